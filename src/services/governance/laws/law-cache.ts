import { lstat, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Governed } from "../../../governance/index.ts";
import type { HeldLaw } from "./held-law.ts";
import { repositorySignature } from "./repository-signature.ts";

/** Laws of repositories, each read again only after a branch of its repository has moved. */
export interface LawCache {
  /** The law at a directory; null where there is none. Throws when the law cannot be read. */
  readonly at: (cwd: string) => Promise<HeldLaw | null>;
  /** What is known of it without looking. */
  readonly known: (commonDir: string) => HeldLaw | null;
}

export interface LawCacheDeps {
  readonly open: (cwd: string) => Promise<Governed | null>;
  readonly read: (governed: Governed) => Promise<HeldLaw>;
  /** A law that differs from the one before it, or the first one. */
  readonly onRead: (law: HeldLaw) => void;
}

interface Kept {
  readonly law: HeldLaw | null;
  readonly signature: string;
}

const PLACES_MAX = 1000;

export function createLawCache({ open, read, onRead }: LawCacheDeps): LawCache {
  /** By directory: the repository that it is in, and what that looked like. */
  const places = new Map<string, { readonly commonDir: string; readonly kept: Kept }>();
  const laws = new Map<string, HeldLaw>();
  const underWay = new Map<string, Promise<HeldLaw | null>>();

  const load = async (cwd: string): Promise<HeldLaw | null> => {
    const known = places.get(cwd);
    const first = known === undefined ? await open(cwd) : (known.kept.law?.governed ?? null);
    const commonDir = known?.commonDir ?? first?.commonDir ?? (await commonDirAbove(cwd));
    if (commonDir === null) return null;
    // Looked at before the branch is: what moves meanwhile is read again the next time.
    const signature = await repositorySignature(commonDir, first?.ref ?? null);
    const governed = await open(cwd);
    // Another repository is there now: what was looked at was not its own.
    if (known !== undefined && (governed?.commonDir ?? (await commonDirAbove(cwd))) !== commonDir) {
      places.delete(cwd);
      return load(cwd);
    }
    const before = laws.get(commonDir);
    const law = governed === null ? null : before?.governed.tip === governed.tip ? before : await read(governed);
    if (law === null) laws.delete(commonDir);
    else laws.set(commonDir, law);
    if (law !== null && law !== before) onRead(law);
    if (places.size >= PLACES_MAX) places.clear();
    places.set(cwd, { commonDir, kept: { law, signature } });
    return law;
  };

  return {
    known: (commonDir) => laws.get(commonDir) ?? null,
    at: async (given) => {
      const cwd = await realpath(given);
      // It began before this call, and may have read what a commit has replaced since.
      await underWay.get(cwd)?.catch(() => undefined);
      const place = places.get(cwd);
      if (place === undefined && !(await isInRepository(cwd))) return null;
      if (place !== undefined) {
        const { commonDir, kept } = place;
        const ref = kept.law?.governed.ref ?? null;
        if ((await repositorySignature(commonDir, ref)) === kept.signature) return kept.law;
      }
      const loading = underWay.get(cwd) ?? load(cwd).finally(() => void underWay.delete(cwd));
      underWay.set(cwd, loading);
      return loading;
    },
  };
}

/** Most directories are in no repository: no git is started to know it. */
async function isInRepository(cwd: string): Promise<boolean> {
  for (let at = cwd; ; at = dirname(at)) {
    if (await isThere(join(at, ".git"))) return true;
    if (at === cwd && (await isThere(join(at, "objects"))) && (await isThere(join(at, "HEAD")))) return true;
    if (at === dirname(at)) return false;
  }
}

const isThere = async (path: string): Promise<boolean> => (await lstat(path).catch(() => null)) !== null;

/** Of a repository without a law: where it could get one. Null in a linked worktree, which is looked at each time. */
async function commonDirAbove(cwd: string): Promise<string | null> {
  for (let at = cwd; ; at = dirname(at)) {
    const found = await lstat(join(at, ".git")).catch(() => null);
    if (found !== null) return found.isDirectory() ? join(at, ".git") : null;
    if (at === dirname(at)) return cwd;
  }
}
