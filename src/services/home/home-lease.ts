import type { Committer } from "../../commit/index.ts";
import { toNomosError } from "../../contract/index.ts";
import {
  acquireLease,
  HOME_LEASE,
  releaseLease,
  SYSTEM_STREAM,
  System,
  type SystemState,
} from "../../domains/index.ts";
import type { Clock } from "../../host/index.ts";
import { isRefusal, type NewId } from "../../kernel/index.ts";
import { type Store, StoreError } from "../../store/index.ts";

/**
 * Takes the home lease. The caller holds the home lock, and for a shared database the lease by the database's clock, so the
 * last holder has ended and its lease is taken over at once, with a higher fence. Appends without a committer, because a
 * committer needs the fence.
 */
export async function takeHomeLease(given: {
  readonly store: Store;
  readonly newId: NewId;
  readonly clock: Clock;
  readonly holder: string;
}): Promise<number> {
  const { store, newId, clock, holder } = given;
  const { lease, version } = await store.fold(System, "");
  const decision = acquireLease(lease, { resource: HOME_LEASE, holder, deadHolder: true });
  if (isRefusal(decision)) throw new StoreError("stale_fence", decision.details);
  const fence = lease.lastFence + 1;
  const at = clock.iso(clock.nowMs());
  const events = decision.map((fact) => ({ id: newId(), at, actor: "daemon", cause: null, fact }));
  await store.append([{ stream: SYSTEM_STREAM, expectedVersion: version, events }], { fence });
  return fence;
}

/** Releases the lease, so that the next daemon need not wait for it to expire. */
export async function giveHomeLeaseBack(
  committer: Pick<Committer, "change">,
  fence: number,
  log: (message: string, details: object) => void,
): Promise<void> {
  try {
    await releaseHomeLease(committer, fence);
  } catch (thrown) {
    log("the lease could not be released", { code: toNomosError(thrown).code });
  }
}

export async function releaseHomeLease(committer: Pick<Committer, "change">, fence: number): Promise<void> {
  const release = ({ lease }: SystemState) => releaseLease(lease, { resource: HOME_LEASE, fence });
  await committer.change(System, "", release, { actor: "daemon" });
}
