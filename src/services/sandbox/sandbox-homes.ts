import { readdir } from "node:fs/promises";
import type { Clock } from "../../host/index.ts";
import { SESSIONS } from "../../kernel/index.ts";
import type { Store } from "../../store/index.ts";
import type { SessionWalls } from "../../supervisor/index.ts";

const SESSION = "session/";
/** Time for processes that still run in the home to end. */
const LATER_MS = 5000;

/** Removes the private home of a walled session when the session is forgotten; at start, also leftover ones. */
export function tidySandboxHomes(parts: {
  readonly homes: string;
  readonly store: Pick<Store, "row" | "onAppend">;
  readonly walls: Pick<SessionWalls, "remove">;
  readonly clock: Clock;
  readonly log: (message: string, details: object) => void;
}): { readonly stop: () => void; readonly swept: Promise<void> } {
  const { homes, store, walls, clock, log } = parts;
  const remove = (id: string): Promise<void> =>
    walls
      .remove(id)
      .catch((thrown: unknown) =>
        log("the private home of a session could not be removed", { id, reason: String(thrown) }),
      );
  const isForgotten = async (id: string): Promise<boolean> => {
    const row = await store.row(SESSIONS, id);
    return row === null || row.forgotten;
  };
  const sweep = async (): Promise<void> => {
    for (const id of await readdir(homes).catch(() => [])) if (await isForgotten(id)) await remove(id);
  };
  const stop = store.onAppend((events) => {
    for (const { stream, type } of events)
      if (type === "session.forgotten@1" && stream.startsWith(SESSION))
        clock.after(LATER_MS, () => void remove(stream.slice(SESSION.length)));
  });
  return { stop, swept: sweep() };
}
