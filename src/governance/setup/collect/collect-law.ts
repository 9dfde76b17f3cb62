import { lstat, readdir, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { NomosError } from "../../../contract/index.ts";
import { isLive } from "../../../domains/index.ts";
import type { HeldLease } from "../../leases/leases.ts";
import { LAW_DIR } from "../../repository/law-path.ts";
import { type Governed, openGoverned } from "../../repository/open-governed.ts";
import type { TicketFiles } from "../../tickets/ticket-files.ts";
import { CACHE } from "../law-names.ts";
import { dropRefs, type LawRef, lawRefs } from "../law-refs.ts";
import { openSetup, type SetupPlace } from "../open-setup.ts";

export interface CollectWish {
  readonly cwd: string;
  readonly dryRun: boolean;
  /** Caches that nobody changed for so long go. */
  readonly days: number;
}

export interface CollectDone {
  readonly root: string;
  readonly repoKey: string;
  readonly files: readonly string[];
  readonly refs: readonly string[];
}

export interface Collecting extends SetupPlace {
  readonly tickets: (governed: Governed) => Promise<TicketFiles>;
  readonly leases: (governed: Governed) => Promise<readonly HeldLease[]>;
  readonly nowMs: () => number;
}

const DAY_MS = 86_400_000;

/**
 * Removes old caches, and what this clone keeps of tickets that are archived or gone: leases that nobody holds, and the
 * status of a ticket without a file. Evidence stays.
 */
export async function collectLaw(collecting: Collecting, { cwd, dryRun, days }: CollectWish): Promise<CollectDone> {
  const { git, scratch, nowMs } = collecting;
  const { checkout, tip } = await openSetup(collecting, cwd);
  const governed = await openGoverned(git, cwd, scratch);
  if (governed === null) throw new NomosError("not_governed", { root: checkout.root });
  const files = await oldFiles(checkout.root, nowMs() - days * DAY_MS);
  const refs = await staleRefs(collecting, governed, await lawRefs(checkout.git));
  if (!dryRun) {
    for (const path of files) await rm(join(checkout.root, path), { force: true });
    await dropEmpty(join(checkout.root, LAW_DIR, CACHE));
    await dropRefs(checkout.git, refs);
  }
  return { root: checkout.root, repoKey: tip.repoKey, files, refs: refs.map(({ name }) => name) };
}

const FILES_MAX = 100_000;

/** Below `.nomos/cache`; links are removed, and never followed. */
async function oldFiles(root: string, beforeMs: number): Promise<readonly string[]> {
  const found: string[] = [];
  const walk = async (folder: string): Promise<void> => {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true }).catch(orNone)) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) await walk(path);
      else if (found.length < FILES_MAX && (await lstat(join(root, path))).mtimeMs < beforeMs) found.push(path);
    }
  };
  await walk(`${LAW_DIR}/${CACHE}`);
  return found.sort();
}

async function dropEmpty(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(orNone))
    if (entry.isDirectory()) await dropEmpty(join(folder, entry.name));
  await rmdir(folder).catch((thrown: unknown) => {
    if (!["ENOENT", "ENOTEMPTY", "EEXIST"].includes(String(Object(thrown).code))) throw thrown;
  });
}

function orNone(thrown: unknown): [] {
  if (["ENOENT", "ENOTDIR"].includes(String(Object(thrown).code))) return [];
  throw thrown;
}

async function staleRefs(
  { tickets, leases, nowMs }: Collecting,
  governed: Governed,
  refs: readonly LawRef[],
): Promise<readonly LawRef[]> {
  const { tickets: known, faults } = await tickets(governed);
  // A ticket that cannot be read is not gone.
  const unclear = new Set(faults.map(({ id }) => id));
  const live = new Set((await leases(governed)).filter((one) => isLive(one, nowMs())).map(({ ticketId }) => ticketId));
  return refs.filter(({ name }) => {
    const [, , kind = "", id = ""] = name.split("/");
    const isLease = kind === "leases" || kind === "seen" || name.startsWith("refs/exoprotocol/");
    if (live.has(id) || unclear.has(id)) return false;
    const ticket = known.get(id);
    if (isLease) return ticket === undefined || ticket.isArchived;
    return kind === "status" && ticket === undefined;
  });
}
