import { toNomosError } from "../../contract/index.ts";
import { LANDING_LIMITS, LANDINGS } from "../../domains/index.ts";
import type { LandingRepository } from "../../host/index.ts";
import { bringHome, type Stacked } from "./bring-home.ts";
import type { Checker } from "./check-landings.ts";
import type { MadeCommits } from "./judge.ts";
import type { KeptWork } from "./kept-work.ts";
import type { LandingDeps } from "./landing-deps.ts";
import type { LandingFacts } from "./landing-facts.ts";
import { type CheckingRow, checkingIn, fillBatch, type Item, idsOf, loadItem } from "./lane-items.ts";
import { makeAndJudge } from "./make-landing.ts";
import { recoverLandings } from "./recover-landings.ts";
import { createTries } from "./tries.ts";

/** The landings onto one branch. One round after another; what a round could not settle is in the next one. */
export interface Lane {
  /** Works until nothing is under way. */
  readonly run: () => Promise<void>;
  /** Ends the checks of one that was ejected. */
  readonly drop: (id: string) => void;
}

export interface LaneParts {
  readonly deps: LandingDeps;
  readonly kept: KeptWork;
  readonly facts: LandingFacts;
  readonly checker: Checker;
  readonly stopping: AbortSignal;
}

export function createLane(parts: LaneParts, name: string): Lane {
  const { deps, kept, facts, checker, stopping } = parts;
  const tries = createTries(parts);
  let atWork: { readonly ids: readonly string[]; readonly controller: AbortController } | null = null;
  /** How many of the first ones failed together: they are halved until the guilty one is alone. */
  let suspects = 0;
  let lastCheckMs: number | null = null;

  const batchMax = async (): Promise<number> => {
    if (suspects > 0) return Math.max(1, Math.floor(suspects / 2));
    lastCheckMs ??= await lastCheckOf(deps, name);
    return lastCheckMs > deps.settings().batchAfterMs ? LANDING_LIMITS.batch.max : 1;
  };

  /** Commits of each landing on those of the one before it. The first that cannot be made is refused; others wait. */
  const stack = async (
    opened: LandingRepository,
    items: readonly Item[],
    onto: string,
    signal: AbortSignal,
  ): Promise<readonly Stacked[]> => {
    const stacked: Stacked[] = [];
    for (const item of items) {
      const base: string = stacked.at(-1)?.made.commit ?? onto;
      const judged = await makeAndJudge(deps, opened, item, base, signal);
      if ("made" in judged) stacked.push({ ...item, made: judged.made, base });
      else if (stacked.length > 0)
        await facts.giveBack([item.id], `it does not fit onto ${stacked.at(-1)?.id}, which is before it`);
      else {
        await refuse(item.id, judged.findings);
        return [];
      }
    }
    return stacked;
  };
  const refuse: LandingFacts["refuse"] = async (id, findings) => {
    await facts.refuse(id, findings);
    suspects = 0;
    await forget([id]);
  };
  const forget = async (ids: readonly string[]): Promise<void> => {
    for (const id of ids) {
      tries.forget(id);
      await kept.drop(id);
    }
  };

  const land = async (rows: readonly CheckingRow[], signal: AbortSignal): Promise<void> => {
    const items: Item[] = [];
    for (const row of rows) {
      const item = await loadItem(deps, kept, row);
      if (item === null) await refuse(row.id, [WORK_IS_GONE]);
      else items.push(item);
    }
    const [leader] = items;
    if (leader === undefined) return;
    const { repository, into } = leader.order;
    const works = items.map(({ id, captured }) => ({
      folder: kept.folderOf(id),
      sharedObjects: captured.sharedObjects,
    }));
    await using opened = await deps.git.open(repository, works);
    const onto = await opened.tip(into);
    if (onto === null) return refuse(leader.id, [branchIsGone(into)]);
    const stacked = await stack(opened, items, onto, signal);
    const last = stacked.at(-1);
    if (last === undefined) return;
    const report = await checker.check({ opened, landings: stacked, onto, commit: last.made.commit }, signal);
    signal.throwIfAborted();
    lastCheckMs = report.checkMs;
    const isAlone = stacked.length === 1;
    // A hook may change one message at a time.
    if (!isAlone && (report.findings.length > 0 || report.message !== undefined)) {
      suspects = stacked.length;
      return;
    }
    if (report.findings.length > 0) return refuse(last.id, report.findings);
    const ready = report.message === undefined ? stacked : await reworded(opened, last, report.message, onto, signal);
    const home = await bringHome(parts, opened, ready, report.checkMs, onto, signal);
    if (home.at === "landed") {
      suspects = Math.max(0, suspects - ready.length);
      await forget(idsOf(ready));
    } else if (home.at === "moved") await tries.moved(idsOf(ready), into, refuse);
    else if (isAlone) await refuse(last.id, home.findings);
    else {
      suspects = stacked.length;
      await facts.giveBack(idsOf(ready.slice(1)), "the branch could not be moved for all of them at once");
    }
  };
  const reworded = async (
    opened: LandingRepository,
    item: Stacked,
    message: string,
    onto: string,
    signal: AbortSignal,
  ): Promise<readonly Stacked[]> => {
    const judged = await makeAndJudge(deps, opened, item, onto, signal, { message });
    if (!("made" in judged)) throw new Error(`a new message made ${item.id} another landing`);
    return [{ ...item, made: await sameFiles(opened, item.made, judged.made) }];
  };

  const round = async (rows: readonly CheckingRow[]): Promise<void> => {
    const controller = new AbortController();
    const signal = AbortSignal.any([stopping, controller.signal]);
    atWork = { ids: idsOf(rows), controller };
    const cut = rows.filter(({ prepared }) => prepared !== null);
    let batch: readonly CheckingRow[] = cut;
    try {
      await tries.pause(idsOf(rows), signal);
      if (cut.length > 0) return await recoverLandings(parts, cut, forget);
      batch = await fillBatch(deps, facts, rows, await batchMax());
      atWork = { ids: idsOf(batch), controller };
      await land(batch, signal);
    } catch (thrown) {
      if (signal.aborted || toNomosError(thrown).code === "landing_settled") return;
      if (batch.length > 1) suspects = batch.length;
      await tries.failed(batch[0] ?? rows[0], thrown, refuse);
    } finally {
      atWork = null;
    }
  };

  return {
    run: async () => {
      while (!stopping.aborted) {
        const rows = await checkingIn(deps, name);
        if (rows.length === 0) return;
        await round(rows);
      }
    },
    drop: (id) => {
      if (atWork?.ids.includes(id) === true) atWork.controller.abort();
    },
  };
}

const LANDED_READ = 20;

/** Remembered by the log, so that a new daemon knows how long checks take. */
async function lastCheckOf({ store }: LandingDeps, lane: string): Promise<number> {
  const rows = await store.rows(LANDINGS, { where: { lane, state: "landed" }, limit: LANDED_READ });
  const [last] = rows.toSorted((a, b) => (a.changedAt > b.changedAt ? -1 : 1));
  return last?.at === "landed" ? last.landed.checkMs : 0;
}

async function sameFiles(
  { git }: LandingRepository,
  checked: MadeCommits,
  { commit, ...rest }: MadeCommits,
): Promise<MadeCommits> {
  const [was, is] = await Promise.all([checked.commit, commit].map((id) => git.text(["rev-parse", `${id}^{tree}`])));
  if (was !== is) throw new Error(`the new message changed the files of ${commit}`);
  return { commit, ...rest };
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
