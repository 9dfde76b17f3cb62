import type { RecordedEvent } from "../../src/store/index.ts";
import type { Plan } from "./reminder-events.ts";

const LANE_MAX = 2;

/**
 * What a log of reminders must show at the end: each due time rang exactly once and never early, each reminder started
 * once, and no more ran at once than the limit. Returns every violation.
 */
export function breachesIn(events: readonly RecordedEvent[]): readonly string[] {
  const breaches: string[] = [];
  const plans = new Map<string, Plan>();
  const rang = new Map<string, string[]>();
  const started = new Map<string, number>();
  const running = new Set<string>();
  for (const { stream, type, data, at } of events) {
    const facts: { readonly dueAt?: string } = Object(data);
    if (type === "reminder.set@1") plans.set(stream, Object(data));
    if (type === "reminder.rang@1") {
      rang.set(stream, [...(rang.get(stream) ?? []), facts.dueAt ?? ""]);
      if (at < (facts.dueAt ?? "")) breaches.push(`${stream} rang at ${at}, early for ${facts.dueAt}`);
    }
    if (type === "reminder.started@1") {
      started.set(stream, (started.get(stream) ?? 0) + 1);
      running.add(stream);
    }
    if (type === "reminder.done@1") running.delete(stream);
    if (running.size > LANE_MAX) breaches.push(`${running.size} run at once`);
  }
  for (const [stream, plan] of plans) {
    const times = Array.from({ length: plan.times }, (_, n) =>
      new Date(Date.parse(plan.dueAt) + n * plan.everyMs).toISOString(),
    );
    if (String(rang.get(stream) ?? []) !== String(times))
      breaches.push(`${stream} rang for ${rang.get(stream) ?? "nothing"} instead of ${times}`);
  }
  for (const [stream, times] of started) if (times !== 1) breaches.push(`${stream} was started ${times} times`);
  return breaches;
}
