import { NomosError } from "../../contract/index.ts";
import type { Actor } from "../../domains/index.ts";
import { dispatch, type Services, type StreamItem, type Syscall } from "../../syscalls/index.ts";
import type { Resources } from "./resources.ts";

/**
 * Calls `changed` when a resource changes, until the signal aborts. Resolves once it listens; refuses what a read would
 * refuse.
 */
export type Watch = (actor: Actor, uri: string, changed: () => void, signal: AbortSignal) => Promise<void>;

/** A reader is notified at most four times a second. */
const TOLD_EVERY_MS = 250;

export function createWatch(given: {
  readonly services: Services;
  readonly table: readonly Syscall[];
  readonly resources: Resources;
  readonly log: (error: unknown) => void;
}): Watch {
  const { services, table, resources, log } = given;
  const follow = table.find(({ kind, about }) => kind === "stream" && about === "session");
  return async (actor, uri, changed, signal) => {
    const found = resources.find(uri);
    if (found === null) throw new NomosError("doc_not_found", { uri });
    const { syscall } = found.document;
    if (follow === undefined || syscall.about !== "session") return mayRead(services, syscall, actor, found.input);
    const input = { id: found.input["id"], after: "now" };
    const output = await dispatch(services, follow, { actor, input, key: null, signal });
    if (!("stream" in output)) return;
    const items = output.stream[Symbol.asyncIterator]();
    await items.next();
    tell(items, changed, signal).catch(log);
  };
}

/** This resource never changes while the daemon runs, so only the permission is checked. */
async function mayRead(
  services: Services,
  syscall: Syscall,
  actor: Actor,
  input: Record<string, unknown>,
): Promise<void> {
  await dispatch(services, syscall, { actor, input, key: null, signal: AbortSignal.timeout(TOLD_EVERY_MS) });
}

async function tell(items: AsyncIterator<StreamItem>, changed: () => void, signal: AbortSignal): Promise<void> {
  let due: NodeJS.Timeout | null = null;
  const cancel = () => {
    if (due !== null) clearTimeout(due);
  };
  signal.addEventListener("abort", cancel, { once: true });
  while (!signal.aborted) {
    const { done, value } = await items.next();
    if (done === true) break;
    if (value.event !== "event" || due !== null) continue;
    due = setTimeout(() => {
      due = null;
      changed();
    }, TOLD_EVERY_MS);
  }
}
