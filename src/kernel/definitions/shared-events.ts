import { event, factsOf } from "./event.ts";
import { err } from "./line.ts";

/** What may stand in a stream of any kind: calls, refusals and erasures. */
export const COMMON_EVENTS = {
  "gate.denied@1": event<{
    readonly verb: string;
    readonly resource: string;
    readonly rules: readonly string[];
    readonly turnId: string | null;
  }>({ erasable: true, spaceNeed: "course", lines: ({ verb, resource }) => err(`[denied] ${verb} ${resource}`) }),
  "data.erased@1": event<{ readonly events: readonly string[]; readonly reason: string }>(),
  /** A call with an idempotency key that found nothing to change: so that asking again finds nothing to change either. */
  "call.made@1": event<{ readonly syscall: string }>(),
  /** Before it touches the world. `call.made@1` with this one as its cause follows when it is done. */
  "call.begun@1": event<{ readonly syscall: string }>({ spaceNeed: "start" }),
};

export const commonFact = factsOf(COMMON_EVENTS);
