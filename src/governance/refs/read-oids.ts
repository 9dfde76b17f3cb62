import { type BigIntStats, constants } from "node:fs";
import { open, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { RepositoryGit } from "../../host/index.ts";
import type { RefPlace } from "./ref-place.ts";

/** Where refs point, read from files: a lease is checked at every write, and a process takes milliseconds. */
export interface OidReader {
  /** Null when there is no such ref. */
  readonly oidOf: (place: RefPlace, ref: string) => Promise<string | null>;
}

const OID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const REF_BYTES = 128;
const PACKED_BYTES_MAX = 268_435_456n;
const CLONES_MAX = 64;

interface Known {
  readonly stamp: string;
  readonly oids: Map<string, string | null>;
}

export function createOidReader(git: RepositoryGit): OidReader {
  /** By common dir: what `packed-refs`, or the list of reftables, held when it had this stamp. */
  const known = new Map<string, Known>();
  const remember = (commonDir: string, one: Known): Known => {
    known.delete(commonDir);
    known.set(commonDir, one);
    for (const oldest of [...known.keys()].slice(0, Math.max(0, known.size - CLONES_MAX))) known.delete(oldest);
    return one;
  };
  const asked = async ({ commonDir }: RefPlace, ref: string): Promise<string | null> => {
    const { exitCode, stdout } = await git.run(["rev-parse", "--verify", "--quiet", ref], { gitDir: commonDir });
    const oid = stdout.toString().trim();
    return exitCode === 0 && OID.test(oid) ? oid : null;
  };

  const packed = async (place: RefPlace, ref: string): Promise<string | null> => {
    const path = join(place.commonDir, "packed-refs");
    const before = await stampOf(path);
    if (before === null) return null;
    if (before.size > PACKED_BYTES_MAX) return asked(place, ref);
    const last = known.get(place.commonDir);
    if (last?.stamp === before.stamp) return last.oids.get(ref) ?? null;
    const oids = oursIn(await readFile(path, "latin1"));
    // Somebody who packs right now has replaced it between the two looks.
    if ((await stampOf(path))?.stamp === before.stamp) remember(place.commonDir, { stamp: before.stamp, oids });
    return oids.get(ref) ?? null;
  };
  const inTables = async (place: RefPlace, ref: string): Promise<string | null> => {
    const stamp = (await stampOf(join(place.commonDir, "reftable", "tables.list")))?.stamp ?? "";
    const last = known.get(place.commonDir);
    const all = last?.stamp === stamp ? last : remember(place.commonDir, { stamp, oids: new Map() });
    const found = all.oids.get(ref);
    if (found !== undefined) return found;
    const oid = await asked(place, ref);
    all.oids.set(ref, oid);
    return oid;
  };
  return {
    oidOf: async (place, ref) => {
      if (place.refFormat === "reftable") return inTables(place, ref);
      const own = await looseRef(join(place.commonDir, ref));
      if (own === null) return packed(place, ref);
      return OID.test(own) ? own : asked(place, ref);
    },
  };
}

/** Whoever packs refs writes the pack before it removes the loose ones, so this is read first. */
async function looseRef(path: string): Promise<string | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(orNothing);
  if (file === null) return null;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(REF_BYTES), 0, REF_BYTES, 0);
    return buffer.toString("latin1", 0, bytesRead).trim();
  } catch (thrown) {
    return orNothing(thrown);
  } finally {
    await file.close();
  }
}

/** Git replaces these files by renaming, so a new content has another inode or another time. */
async function stampOf(path: string): Promise<{ readonly stamp: string; readonly size: bigint } | null> {
  const found: BigIntStats | null = await stat(path, { bigint: true }).catch(orNothing);
  if (found === null || !found.isFile()) return null;
  return { stamp: [found.ino, found.size, found.mtimeNs, found.ctimeNs].join(" "), size: found.size };
}

function oursIn(text: string): Map<string, string | null> {
  const found = new Map<string, string | null>();
  for (const [, oid = "", ref = ""] of text.matchAll(/^([0-9a-f]{40,64}) (refs\/nomos\/\S+)$/gm)) found.set(ref, oid);
  return found;
}

function orNothing(thrown: unknown): null {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : null;
  if (["ENOENT", "ENOTDIR", "EISDIR", "ELOOP"].includes(String(code))) return null;
  throw thrown;
}
