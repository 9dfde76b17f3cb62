import type { LogEvent, Session } from "../../src/client/index.ts";

/** The event up to which two sessions have the same talk; null when they have nothing in common. */
export async function forkPoint(
  one: Session,
  other: Session,
  show: (eventId: string) => Promise<LogEvent>,
): Promise<LogEvent | null> {
  const [left, right] = [one.forkedFrom, other.forkedFrom];
  if (right?.sessionId === one.id) return show(right.eventId);
  if (left?.sessionId === other.id) return show(left.eventId);
  if (left === undefined || right === undefined || left.sessionId !== right.sessionId) return null;
  const [first, second] = [await show(left.eventId), await show(right.eventId)];
  return first.seq < second.seq ? first : second;
}
