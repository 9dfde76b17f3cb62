import type { RecordedEvent } from "../../src/store/index.ts";
import type { Ledger } from "./client.ts";
import type { Disk } from "./disk.ts";
import type { Outside } from "./sim-processes.ts";

/** Checks the log and the simulated world against the guarantees. Each line is one violation. */
export function judge(disk: Disk, ledger: Ledger, outside: Outside): readonly string[] {
  return [
    ...disk.log.flatMap((event, at) =>
      at > 0 && (disk.writtenUnder[at] ?? 0) < (disk.writtenUnder[at - 1] ?? 0)
        ? [`written under an old fence: ${event.type} at ${event.seq}`]
        : [],
    ),
    ...ledger.acked.flatMap((event) =>
      disk.log[event.seq - 1]?.id === event.id ? [] : [`acknowledged and lost: ${event.type} ${event.id}`],
    ),
    ...turnProblems(disk),
    ...effectProblems(disk, outside),
    ...approvalProblems(disk),
    ...callProblems(disk),
    ...disk
      .rows("session")
      .flatMap(({ id, row }) => (JSON.parse(row).busy === true ? [`session ${id} is busy for ever: ${row}`] : [])),
  ];
}

function member(event: RecordedEvent, key: string): string | null {
  const { data } = event;
  if (typeof data !== "object" || data === null || !(key in data)) return null;
  const value: unknown = Reflect.get(data, key);
  return typeof value === "string" ? value : null;
}

function turnProblems(disk: Disk): readonly string[] {
  const problems: string[] = [];
  const of = (type: string) => disk.log.filter((event) => event.type === type);
  const ends = count(of("turn.ended@1"), "turnId");
  const starts = count(of("turn.started@1"), "turnId");
  for (const admitted of of("turn.admitted@1")) {
    const turnId = member(admitted, "turnId") ?? "";
    if ((ends.get(turnId) ?? 0) !== 1) problems.push(`turn ${turnId} ended ${ends.get(turnId) ?? 0} times`);
    if ((starts.get(turnId) ?? 0) > 1) problems.push(`turn ${turnId} started ${starts.get(turnId)} times`);
  }
  for (const stream of new Set(disk.log.map((event) => event.stream))) {
    const inStream = disk.streamOf(stream);
    const order = (type: string) =>
      inStream.filter((event) => event.type === type).map((event) => member(event, "turnId"));
    const started = order("turn.started@1");
    const expected = order("turn.admitted@1").filter((turnId) => started.includes(turnId));
    if (JSON.stringify(started) !== JSON.stringify(expected)) problems.push(`turns of ${stream} started out of order`);
  }
  return problems;
}

function effectProblems(disk: Disk, outside: Outside): readonly string[] {
  const problems: string[] = [];
  const marks = new Map<string, number>();
  for (const mark of outside) marks.set(mark, (marks.get(mark) ?? 0) + 1);
  for (const [mark, times] of marks) if (times > 1) problems.push(`done ${times} times: ${mark}`);
  for (const type of ["effect.begun@1", "effect.settled@1"])
    for (const [effectId, times] of count(
      disk.log.filter((event) => event.type === type),
      "effectId",
    ))
      if (times > 1) problems.push(`${type} ${times} times for ${effectId}`);
  const settled = new Map(
    disk.log
      .filter((event) => event.type === "effect.settled@1")
      .map((event) => [member(event, "effectId"), member(event, "outcome")]),
  );
  for (const intended of disk.log.filter(
    (event) => event.type === "effect.intended@1" && member(event, "kind") === "run",
  )) {
    const detail =
      typeof intended.data === "object" && intended.data !== null ? Reflect.get(intended.data, "detail") : null;
    const command = String(Reflect.get(Object(detail), "command"));
    if (settled.get(member(intended, "effectId")) === "done" && marks.get(command) !== 1)
      problems.push(`said to be done and was not: ${command}`);
  }
  return problems;
}

function approvalProblems(disk: Disk): readonly string[] {
  const ends = disk.log.filter(({ type }) => type === "approval.answered@1" || type === "approval.closed@1");
  return [...count(ends, "approvalId")].flatMap(([id, times]) =>
    times > 1 ? [`approval ${id} ended ${times} times`] : [],
  );
}

/** One key, one call: all its events are adjacent. */
function callProblems(disk: Disk): readonly string[] {
  const seen = new Map<string, number>();
  const problems: string[] = [];
  for (const event of disk.log) {
    if (event.cause?.startsWith("call:") !== true) continue;
    const before = seen.get(event.cause);
    if (before !== undefined && event.seq - before > 1)
      problems.push(`one key, two deeds: ${event.type} at ${event.seq}`);
    seen.set(event.cause, event.seq);
  }
  return problems;
}

function count(events: readonly RecordedEvent[], key: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const event of events) {
    const value = member(event, key) ?? "";
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}
