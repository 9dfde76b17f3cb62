import { FanoutStream, LandingStream } from "../../domains/index.ts";
import { idIn, Session } from "../../kernel/index.ts";
import type { ShownFanout } from "../../services/index.ts";
import type { Context, StreamItem } from "../define.ts";
import { fanoutWire } from "./wire.ts";

const WATCH_REST_MS = 100;

export function hearsOf(id: string, { candidates }: ShownFanout): (stream: string) => boolean {
  const sessions = new Set(candidates.map(({ sessionId }) => sessionId));
  return (of) =>
    idIn(FanoutStream, of) === id || sessions.has(idIn(Session, of) ?? "") || idIn(LandingStream, of) !== null;
}

export const isDone = ({ state }: ShownFanout): boolean => state !== "starting" && state !== "working";

export function progressOf({ candidates }: ShownFanout): string {
  const count = (state: string) => candidates.filter((one) => one.state === state).length;
  const told = ["opening", "working", "waiting", "judging", "judged", "failed"]
    .map((state) => [count(state), state] as const)
    .filter(([many]) => many > 0);
  return told.map(([many, state]) => `${many} ${state}`).join(", ");
}

/** A watcher that is slower than the changes gets the newest alone. */
export async function* watch(
  context: Context<"fanOuts" | "store">,
  id: string,
  first: ShownFanout,
): AsyncGenerator<StreamItem> {
  const { fanOuts, store } = context.services;
  const hears = hearsOf(id, first);
  let heard = true;
  let wake: () => void = () => undefined;
  const stop = store.onAppend((events) => {
    if (!events.some(({ stream: of }) => hears(of))) return;
    heard = true;
    wake();
  });
  const onAbort = () => wake();
  context.signal.addEventListener("abort", onAbort);
  try {
    for (let last = ""; !context.signal.aborted; ) {
      if (!heard)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      heard = false;
      if (context.signal.aborted) return;
      const shown = await fanOuts.show(id);
      const data = fanoutWire(shown);
      const text = JSON.stringify(data);
      if (text !== last) yield { event: "status", data };
      last = text;
      if (isDone(shown)) {
        // Without it a reader takes the end for a broken connection, and comes back.
        yield { event: "end", data: { id } };
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, WATCH_REST_MS));
    }
  } finally {
    stop();
    context.signal.removeEventListener("abort", onAbort);
  }
}
