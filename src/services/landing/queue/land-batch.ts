import type { Prepared } from "../../../domains/index.ts";
import type { LandingRepository } from "../../../host/index.ts";
import type { MadeCommits } from "../judge.ts";
import { makeAndJudge } from "../make-landing.ts";
import { bringHome, landedAs, type Stacked } from "./bring-home.ts";
import { type CheckingRow, type Item, idsOf, loadItem } from "./lane-items.ts";
import type { LaneEnds, LaneParts } from "./lane-parts.ts";

/** What came of landings that were taken together. */
export interface BatchEnd {
  /** `apart`: they cannot land together, so they are tried in smaller batches. */
  readonly at: "settled" | "landed" | "apart" | "moved";
  readonly ids: readonly string[];
  /** Null: no checks ran. */
  readonly checkMs: number | null;
}

/** Stacks landings on the branch, checks the last commit once, and moves the branch to it. One alone may be refused. */
export async function landBatch(
  parts: LaneParts,
  ends: LaneEnds,
  rows: readonly CheckingRow[],
  signal: AbortSignal,
): Promise<BatchEnd> {
  const { deps, kept, checks } = parts;
  const items = await loadAll(parts, ends, rows);
  const [leader] = items;
  if (leader === undefined) return SETTLED;
  const { repository, into } = leader.order;
  const works = items.map(({ id, captured: { sharedObjects } }) => ({ folder: kept.folderOf(id), sharedObjects }));
  await using opened = await deps.git.open(repository, works);
  const onto = await opened.tip(into);
  if (onto === null) {
    await ends.refuse(leader.id, [branchIsGone(into)]);
    return SETTLED;
  }
  const waiting = await withoutLanded(parts, ends, opened, items, onto);
  const stacked = await stack(parts, ends, opened, waiting, onto, signal);
  const last = stacked.at(-1);
  if (last === undefined) return SETTLED;
  const ids = idsOf(stacked);
  const report = await whileThere(opened, { branch: into, commit: onto }, signal, (unmoved) =>
    checks.check({ opened, landings: stacked, onto, commit: last.made.commit }, unmoved),
  );
  if (report === null) return { at: "moved", ids, checkMs: null };
  const { findings, message, checkMs, passed } = report;
  const isAlone = stacked.length === 1;
  // A hook may change one message at a time.
  if (!isAlone && (findings.length > 0 || message !== undefined)) return { at: "apart", ids, checkMs };
  if (findings.length > 0) {
    await ends.refuse(last.id, findings);
    return { at: "settled", ids, checkMs };
  }
  const ready = message === undefined ? stacked : [await reworded(parts, opened, last, { message, onto }, signal)];
  const home = await bringHome(parts, opened, ready, { checkMs, passed, onto }, signal);
  if (home.at === "landed") await ends.forget(ids);
  if (home.at !== "blocked") return { at: home.at, ids, checkMs };
  if (!isAlone) return { at: "apart", ids, checkMs };
  await ends.refuse(last.id, home.findings);
  return { at: "settled", ids, checkMs };
}

/** Null when the branch moved meanwhile: what is checked then is not what would land, so checking ends at once. */
async function whileThere<T>(
  opened: LandingRepository,
  at: Parameters<LandingRepository["watch"]>[0],
  signal: AbortSignal,
  work: (unmoved: AbortSignal) => Promise<T>,
): Promise<T | null> {
  const moved = new AbortController();
  const over = new AbortController();
  opened.watch(at, () => moved.abort(), AbortSignal.any([signal, over.signal]));
  try {
    const done = await work(AbortSignal.any([signal, moved.signal]));
    signal.throwIfAborted();
    return moved.signal.aborted ? null : done;
  } catch (thrown) {
    signal.throwIfAborted();
    if (moved.signal.aborted) return null;
    throw thrown;
  } finally {
    over.abort();
  }
}

const SETTLED: BatchEnd = { at: "settled", ids: [], checkMs: null };

async function loadAll(
  { deps, kept }: LaneParts,
  { refuse }: LaneEnds,
  rows: readonly CheckingRow[],
): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (const row of rows) {
    const item = await loadItem(deps, kept, row);
    if (item === null) await refuse(row.id, [WORK_IS_GONE]);
    else items.push(item);
  }
  return items;
}

/** Landings that were tried before, and whose commits a git that outlived its daemon brought onto the branch. */
async function withoutLanded(
  { deps, facts }: LaneParts,
  { forget }: LaneEnds,
  opened: LandingRepository,
  items: readonly Item[],
  onto: string,
): Promise<readonly Item[]> {
  const left: Item[] = [];
  for (const item of items) {
    const prepared = await foundOn(opened, item, onto);
    if (prepared === null) {
      left.push(item);
      continue;
    }
    await facts.land([{ id: item.id, landed: await landedAs(deps, opened, item, prepared, 0) }]);
    await forget([item.id]);
  }
  return left;
}

const DAY_MS = 86_400_000;

async function foundOn(
  { git }: LandingRepository,
  { eventId, triedSince, order }: Item,
  onto: string,
): Promise<Prepared | null> {
  if (triedSince === null || order.pullRequest !== null) return null;
  // Clocks of a machine may be set; commits carry their time.
  const since = new Date(Date.parse(triedSince) - DAY_MS).toISOString();
  const words = ["--fixed-strings", `--grep=Nomos-Event: ${eventId}`, `--since=${since}`];
  const args = ["log", "--first-parent", "--no-show-signature", "--format=%H", ...words, onto];
  const found = (await git.text(args)).split("\n").filter(Boolean);
  const [commit] = found;
  if (commit === undefined) return null;
  // Of a rebased landing every commit has the trailer.
  const base = await git.text(["rev-parse", `${found.at(-1)}^1`]);
  const commits = (await git.text(["rev-list", "--reverse", "--topo-order", commit, `^${base}`])).split("\n");
  return { base, commit, commits };
}

/** Commits of each landing on those of the one before it. The first is refused if they cannot be made; others wait. */
async function stack(
  { deps, facts }: LaneParts,
  { refuse }: LaneEnds,
  opened: LandingRepository,
  items: readonly Item[],
  onto: string,
  signal: AbortSignal,
): Promise<readonly Stacked[]> {
  const stacked: Stacked[] = [];
  for (const item of items) {
    const below = stacked.at(-1);
    const base = below?.made.commit ?? onto;
    const judged = await makeAndJudge(deps, opened, item, base, signal, { mayWait: below !== undefined });
    if ("made" in judged) stacked.push({ ...item, made: judged.made, base });
    else if (below !== undefined)
      await facts.giveBack([item.id], `it does not fit onto ${below.id}, which is before it`);
    else {
      await refuse(item.id, judged.findings);
      return [];
    }
  }
  return stacked;
}

/** The same files under the message that a hook made of ours. */
async function reworded(
  { deps }: LaneParts,
  opened: LandingRepository,
  item: Stacked,
  { message, onto }: { readonly message: string; readonly onto: string },
  signal: AbortSignal,
): Promise<Stacked> {
  const judged = await makeAndJudge(deps, opened, item, onto, signal, { message });
  if (!("made" in judged)) throw new Error(`with another message ${item.id} could not be made again`);
  await requireSameFiles(opened, item.made, judged.made);
  return { ...item, made: judged.made };
}

async function requireSameFiles({ git }: LandingRepository, checked: MadeCommits, again: MadeCommits): Promise<void> {
  const trees = [checked, again].map(({ commit }) => git.text(["rev-parse", `${commit}^{tree}`]));
  const [was, is] = await Promise.all(trees);
  if (was !== is) throw new Error(`another message changed the files of ${checked.commit}`);
}

const WORK_IS_GONE = {
  rule: "base",
  message: "The captured work is gone from the home.",
  remedy: "Land again: `nomos land <session>`.",
} as const;

function branchIsGone(into: string) {
  return {
    rule: "base",
    message: `The branch ${into} is gone.`,
    remedy: `Create it (\`git branch ${into}\`), or land onto another one with \`--into\`.`,
  } as const;
}
