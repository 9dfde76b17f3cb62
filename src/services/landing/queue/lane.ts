import { toNomosError } from "../../../contract/index.ts";
import { LANDING_LIMITS, LANDINGS } from "../../../domains/index.ts";
import type { LandingDeps } from "../landing-deps.ts";
import { landBatch } from "./land-batch.ts";
import { type CheckingRow, checkingIn, fillBatch, idsOf } from "./lane-items.ts";
import type { LaneEnds, LaneParts } from "./lane-parts.ts";
import { recoverLandings } from "./recover-landings.ts";
import { createTries } from "./tries.ts";

/** The landings onto one branch. One round after another; what a round could not settle is in the next one. */
export interface Lane {
  /** Works until nothing is under way. */
  readonly run: () => Promise<void>;
  /** Ends the checks of one that was ejected. */
  readonly drop: (id: string) => void;
}

export function createLane(parts: LaneParts, name: string): Lane {
  const { deps, kept, facts, stopping } = parts;
  const tries = createTries(parts);
  let atWork: { readonly ids: readonly string[]; readonly controller: AbortController } | null = null;
  /** How many of the first ones failed together: they are halved until the guilty one is alone. */
  let suspects = 0;
  let lastCheckMs: number | null = null;
  /** Making many commits takes time, in which others move the branch: a batch that came too late is halved. */
  let room: number = LANDING_LIMITS.batch.max;

  const batchMax = async (): Promise<number> => {
    if (suspects > 0) return Math.max(1, Math.floor(suspects / 2));
    lastCheckMs ??= await lastCheckOf(deps, name);
    return lastCheckMs > deps.settings().batchAfterMs ? room : 1;
  };
  const ends: LaneEnds = {
    refuse: async (id, findings) => {
      await facts.refuse(id, findings);
      // The guilty one is found: those behind it may be innocent together.
      suspects = 0;
      await ends.forget([id]);
    },
    forget: async (ids) => {
      for (const id of ids) {
        tries.forget(id);
        await kept.drop(id);
      }
    },
  };
  const land = async (rows: readonly CheckingRow[], signal: AbortSignal): Promise<void> => {
    const { at, ids, checkMs } = await landBatch(parts, ends, rows, signal);
    lastCheckMs = checkMs ?? lastCheckMs;
    if (at === "moved") room = Math.max(1, Math.floor(ids.length / 2));
    if (at === "landed") room = Math.min(LANDING_LIMITS.batch.max, 2 * room);
    if (at === "landed") suspects = Math.max(0, suspects - ids.length);
    if (at === "apart") suspects = ids.length;
    if (at === "moved") await tries.moved(ids, rows[0]?.order.into ?? "", ends.refuse);
  };
  const round = async (rows: readonly CheckingRow[]): Promise<void> => {
    const controller = new AbortController();
    const signal = AbortSignal.any([stopping, controller.signal]);
    atWork = { ids: idsOf(rows), controller };
    const cut = rows.filter(({ prepared }) => prepared !== null);
    let batch = rows;
    try {
      await tries.pause(idsOf(rows), signal);
      if (cut.length > 0) return await recoverLandings(parts, ends, cut);
      batch = await fillBatch(deps, facts, rows, await batchMax());
      atWork = { ids: idsOf(batch), controller };
      await land(batch, signal);
    } catch (thrown) {
      if (signal.aborted || toNomosError(thrown).code === "landing_settled") return;
      if (batch.length > 1) suspects = batch.length;
      await tries.failed(batch[0] ?? rows[0], thrown, ends.refuse);
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
      tries.forget(id);
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
