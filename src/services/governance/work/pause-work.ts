import type { By } from "../../../commit/index.ts";
import { resumeWork, suspendWork, WorkStream } from "../../../domains/index.ts";
import type { RecordedEvent } from "../../../store/index.ts";
import { lawAt } from "./plan-work.ts";
import { leaseOwner, type WorkDeps } from "./work-deps.ts";

type Events = Promise<readonly RecordedEvent[]>;

/** After its session was suspended. The lease goes back unless it is to be kept. */
export async function pause(
  deps: WorkDeps,
  sessionId: string,
  how: { readonly reason: string; readonly keepsLease: boolean },
  by: By,
): Events {
  const decide = (state: Parameters<typeof suspendWork>[0]) => suspendWork(state, how.reason, how.keepsLease);
  return (await deps.committer.change(WorkStream, sessionId, decide, by)).events;
}

/** Before its session is resumed: refused while somebody else holds the ticket. */
export async function unpause(deps: WorkDeps, sessionId: string, by: By): Events {
  const { at, order, fence } = await deps.store.fold(WorkStream, sessionId);
  if (at !== "suspended" || order === null) return [];
  const law = await lawAt(deps, order.cwd);
  const claim = { owner: leaseOwner(order.agent), sessionId, minutes: law.sound.config.leases.minutes };
  const lease = order.role === "audit" ? null : await deps.leases.claim(law.governed, order.ticketId, claim);
  const decide = (state: Parameters<typeof resumeWork>[0]) => resumeWork(state, lease?.fence ?? fence);
  return (await deps.committer.change(WorkStream, sessionId, decide, by)).events;
}
