import { NomosError } from "../../contract/index.ts";
import type { Clock } from "../../host/index.ts";
import {
  type Aggregate,
  type Alarm,
  type AlarmRow,
  type Decision,
  type Folding,
  isRefusal,
} from "../../kernel/index.ts";
import type { Store } from "../../store/index.ts";
import type { Committer } from "../committer.ts";
import { stateAfter, subjectIn } from "../decide-on-stream.ts";

export interface RingDeps {
  readonly store: Pick<Store, "definitions">;
  readonly committer: Pick<Committer, "change">;
  readonly clock: Clock;
  readonly isStopped: () => boolean;
}

const BY = { actor: "daemon" };

/**
 * Rings an alarm that a row shows as due. The state is checked at the append: the alarm rings only while the state
 * still has it with this time, and the decision ends it. So each time rings once, however many look. Returns true when
 * the alarm was set again for a later time.
 */
export async function ringAlarm({ store, committer, clock, isStopped }: RingDeps, row: AlarmRow): Promise<boolean> {
  const { of, id } = subjectIn(store, row.stream);
  let isMeant = false;
  let isSetAgain = false;
  const decide = (state: Folding): Decision => {
    const alarm = of.alarms(state).find(({ name, dueAt }) => name === row.name && dueAt === row.dueAt);
    isMeant = alarm !== undefined;
    // The wall clock may have been set back since the look.
    if (alarm === undefined || isStopped() || alarm.dueAt > clock.iso(clock.nowMs())) return [];
    const { decision, left } = rung(of, state, alarm, clock.iso(clock.nowMs()));
    isSetAgain = left;
    return decision;
  };
  await committer.change(of, id, decide, BY);
  if (!isMeant) throw new NomosError("alarm_failed", { stream: row.stream, alarm: row.name, reason: NOT_MEANT });
  return isSetAgain;
}

const NOT_MEANT = "The list says that it is due, its stream does not; `nomos doctor --repair` mends the list.";

/** Refuses a decision that would leave the alarm due: it would ring for the same time for ever. */
function rung(of: Aggregate, state: Folding, alarm: Alarm, now: string): { decision: Decision; left: boolean } {
  const decision = of.ring(state, alarm);
  if (isRefusal(decision)) return { decision, left: true };
  const left = of.alarms(stateAfter(of, state, decision, now)).find(({ name }) => name === alarm.name);
  if (left === undefined || left.dueAt > alarm.dueAt) return { decision, left: left !== undefined };
  const reason = `Ringing ${alarm.name} of a ${of.kind} leaves it due at ${left.dueAt}.`;
  throw new NomosError("alarm_failed", { kind: of.kind, alarm: alarm.name, reason });
}
