import { event, factsOf } from "./event.ts";
import { err } from "./line.ts";

/** Events that any stream may contain: calls, refusals and erasures. */
export const COMMON_EVENTS = {
  "gate.denied@1": event<{
    readonly verb: string;
    readonly resource: string;
    readonly rules: readonly string[];
    readonly turnId: string | null;
  }>({ erasable: true, spaceNeed: "course", lines: ({ verb, resource }) => err(`[denied] ${verb} ${resource}`) }),
  "data.erased@1": event<{ readonly events: readonly string[]; readonly reason: string }>(),
  /** A call with an idempotency key that changed nothing, recorded so that a repeat changes nothing either. */
  "call.made@1": event<{ readonly syscall: string }>(),
  /** Recorded before the effect. `call.made@1` with this event as cause follows when it is done. */
  "call.begun@1": event<{ readonly syscall: string }>({ spaceNeed: "start" }),
};

export const commonFact = factsOf(COMMON_EVENTS);
