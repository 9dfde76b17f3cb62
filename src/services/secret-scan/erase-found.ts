import type { By, Committer } from "../../commit/index.ts";
import { NomosError, toNomosError } from "../../contract/index.ts";
import type { Scanned } from "../../domains/index.ts";
import { type Store, StoreError } from "../../store/index.ts";
import type { Breathe } from "./breath.ts";

/** An event whose data is to be erased. */
export interface Target {
  readonly id: string;
  readonly type: string;
}

export type Erasures = Pick<Scanned, "left"> & { readonly erased: ReadonlySet<string>; readonly streams: number };

/** How many ids fit into one `data.erased` event. */
const ERASED_AT_ONCE = 10_000;
const LEFT_NAMED_MAX = 100;
const REASON = "a scan found a secret in it";

/**
 * Erases stream by stream, each in one append. Killed at any moment, the rest is found again by the next scan. A session in
 * the middle of a turn is left as it is and named.
 */
export async function eraseFound(
  { store, committer }: { readonly store: Pick<Store, "definitions" | "event">; readonly committer: Committer },
  found: ReadonlyMap<string, readonly Target[]>,
  { by, breathe, progress }: { readonly by: By; readonly breathe: Breathe; readonly progress: (done: number) => void },
): Promise<Erasures> {
  const erased = new Set<string>();
  const left: { stream: string; events: number; code: string }[] = [];
  let streams = 0;
  // The call is recorded with the event of the whole scan, not with a step.
  const step = { ...by, call: null };
  const eraseIn = async (stream: string, targets: readonly Target[]): Promise<void> => {
    const known = store.definitions.kindOf(stream);
    if (known === null) return;
    for (let at = 0; at < targets.length; at += ERASED_AT_ONCE)
      await committer.alone(known.of, known.id, async (own) => {
        const present = await stillThere(store, targets.slice(at, at + ERASED_AT_ONCE));
        if (present.length > 0) await own.erase(present, REASON, step);
        for (const { id } of present) erased.add(id);
      });
    streams += 1;
  };
  let done = 0;
  for (const [stream, targets] of found) {
    await breathe();
    await eraseIn(stream, targets).catch((thrown: unknown) => {
      if (!(thrown instanceof NomosError) && !(thrown instanceof StoreError)) throw thrown;
      const events = targets.filter(({ id }) => !erased.has(id)).length;
      if (left.length < LEFT_NAMED_MAX) left.push({ stream, events, code: toNomosError(thrown).code });
    });
    done += 1;
    progress(done);
  }
  return { erased, streams, left };
}

/** Without those that were erased since they were found. */
async function stillThere(store: Pick<Store, "event">, targets: readonly Target[]): Promise<readonly Target[]> {
  const present: Target[] = [];
  for (const target of targets) if (((await store.event(target.id))?.data ?? null) !== null) present.push(target);
  return present;
}
