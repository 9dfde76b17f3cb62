import type { Committer } from "../commit/index.ts";
import { toNomosError } from "../contract/index.ts";
import type { Clock } from "../host/index.ts";
import { acquireLease, HOME_LEASE, isRefusal, type NewId, releaseLease, SYSTEM_STREAM } from "../kernel/index.ts";
import { type Store, StoreError } from "../store/index.ts";

/**
 * Becomes the one writer of the log. Whoever calls this holds the operating system's lock on the home, and in a shared
 * database the lease by its clock, so the last holder is dead or gone: it is taken over at once, with a higher fence.
 * Appends by itself: there is no committer before there is a fence.
 */
export async function takeHomeLease(given: {
  readonly store: Store;
  readonly newId: NewId;
  readonly clock: Clock;
  readonly holder: string;
}): Promise<number> {
  const { store, newId, clock, holder } = given;
  const folded = await store.fold(SYSTEM_STREAM);
  if (folded.kind !== "system") throw new Error("the system's stream has no system's fold");
  const decision = acquireLease(folded.state.lease, { resource: HOME_LEASE, holder, deadHolder: true });
  if (isRefusal(decision)) throw new StoreError("stale_fence", decision.details);
  const fence = folded.state.lease.lastFence + 1;
  const at = clock.iso(clock.nowMs());
  const events = decision.map((fact) => ({ id: newId(), at, actor: "daemon", cause: null, fact }));
  await store.append([{ stream: SYSTEM_STREAM, expectedVersion: folded.state.version, events }], { fence });
  return fence;
}

/** So that the next daemon need not wait for it. */
export async function giveHomeLeaseBack(
  committer: Pick<Committer, "change">,
  fence: number,
  log: (message: string, details: object) => void,
): Promise<void> {
  try {
    await releaseHomeLease(committer, fence);
  } catch (thrown) {
    log("the lease could not be given back", { code: toNomosError(thrown).code });
  }
}

export async function releaseHomeLease(committer: Pick<Committer, "change">, fence: number): Promise<void> {
  await committer.change(
    SYSTEM_STREAM,
    (folded) => (folded.kind === "system" ? releaseLease(folded.state.lease, { resource: HOME_LEASE, fence }) : []),
    { actor: "daemon" },
  );
}
