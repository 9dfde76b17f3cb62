import { NomosError } from "../../contract/index.ts";
import { isSettled, LANDINGS, type LandingRow, LandingStream } from "../../domains/index.ts";
import { idIn } from "../../kernel/index.ts";
import type { RecordedEvent } from "../../store/index.ts";
import type { Context } from "../define.ts";
import { lookUntil } from "../session/wait.ts";
import { landingWire } from "./wire.ts";

type Needed = Context<"landings" | "store">;

/** A landing as these events left it, so that a repeated call gets the same answer; as it is now when there are none. */
export async function landingAfter(
  { services: { store } }: Context<"store">,
  events: readonly RecordedEvent[],
  given?: string,
): Promise<LandingRow> {
  const own = events.findLast(({ stream }) => idIn(LandingStream, stream) !== null);
  const id = own === undefined ? given : idIn(LandingStream, own.stream);
  if (id === undefined || id === null) throw new NomosError("internal", { reason: "no landing in what was written" });
  const state = await store.fold(LandingStream, id, own?.version);
  if (state.at === "absent") throw new NomosError("landing_not_found", { id });
  return { id, ...state };
}

export async function landingRowOf({ services: { store } }: Context<"store">, id: string): Promise<LandingRow> {
  const row = await store.row(LANDINGS, id);
  if (row === null) throw new NomosError("landing_not_found", { id });
  return row;
}

/** What a check prints takes time, and starting the next one is no event. */
const LOOK_EVERY_MS = 500;

/** Resolves when a landing is settled. Tells a caller that listens what it waits for. */
export async function waitForLanding(context: Needed, id: string, timeoutMs: number): Promise<LandingRow> {
  let told = "";
  const tell = async (row: LandingRow): Promise<void> => {
    const message = await waitsFor(context, row);
    if (message !== told) context.progress({ message });
    told = message;
  };
  const looks = setInterval(() => {
    landingRowOf(context, id)
      .then(tell)
      .catch(() => undefined);
  }, LOOK_EVERY_MS);
  try {
    // Also those ahead of it are heard: its place changes with them.
    return await lookUntil(context, { id, timeoutMs, hears: isOfLanding }, async () => {
      const row = await landingRowOf(context, id);
      if (isOver(row)) return row;
      await tell(row);
      return null;
    });
  } finally {
    clearInterval(looks);
  }
}

const isOfLanding = (stream: string): boolean => idIn(LandingStream, stream) !== null;

/** A landing for a pull request is over when its branch is pushed. */
function isOver(row: LandingRow): boolean {
  if (row.at === "landed") return row.order.pullRequest === null || row.pushed !== null;
  return isSettled(row);
}

async function waitsFor(context: Needed, row: LandingRow): Promise<string> {
  const { state, held, ahead = 0, behind, checking, into } = await landingWire(context, row);
  if (held !== undefined) return `held back: ${held}`;
  if (state === "checking") return checking === undefined ? "passing the gate" : `checking: ${checking}`;
  if (state === "landed") return "landed, pushing the branch";
  if (behind === undefined) return `first in the queue of ${into}`;
  return `queued behind ${behind.sessionName}, ${ahead} ahead`;
}
