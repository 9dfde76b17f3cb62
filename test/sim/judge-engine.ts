import type { RecordedEvent } from "../../src/store/index.ts";
import type { Disk } from "./disk.ts";
import type { Provider } from "./sim-model.ts";
import type { Outside } from "./sim-processes.ts";

/** Guarantees of turns that go on from the log, beside those of every run. */
export function judgeEngine(disk: Disk, provider: Provider, outside: Outside): readonly string[] {
  return [...cutProblems(disk), ...steerProblems(disk, provider), ...tellingProblems(disk, provider, outside)];
}

/** A turn of the engine ends by itself, by a person, or after it was cut too often; never because a daemon stopped. */
function cutProblems(disk: Disk): readonly string[] {
  const asked = new Set(of(disk, "turn.interrupt_requested@1").map((event) => text(event, "turnId")));
  const suspended = new Set(
    disk.log.filter(({ type }) => ENDINGS.some((one) => type.startsWith(one))).map(({ stream }) => stream),
  );
  const own = new Set(of(disk, "step.started@1").map(({ stream }) => stream));
  return of(disk, "turn.ended@1").flatMap((end) => {
    const isOurs = own.has(end.stream) && text(end, "outcome") === "interrupted";
    const isWanted = asked.has(text(end, "turnId")) || suspended.has(end.stream) || errorOf(end) === "turn_cut";
    return isOurs && !isWanted ? [`cut and not gone on: turn ${text(end, "turnId")}`] : [];
  });
}

const ENDINGS = ["session.suspended", "session.killed", "session.exited", "session.forgotten"];

/** Delivered at most once; and a turn that was completed leaves none behind. */
function steerProblems(disk: Disk, provider: Provider): readonly string[] {
  const delivered = new Map<string, number>();
  for (const { data } of of(disk, "step.started@1"))
    for (const steerId of Object(data).steers as readonly string[])
      delivered.set(steerId, (delivered.get(steerId) ?? 0) + 1);
  const outcomes = new Map(of(disk, "turn.ended@1").map((end) => [text(end, "turnId"), text(end, "outcome")]));
  const admitted = new Set(of(disk, "turn.admitted@1").map((event) => text(event, "turnId")));
  const problems: string[] = [];
  for (const steered of of(disk, "turn.steered@1")) {
    const steerId = text(steered, "steerId") ?? "";
    const times = delivered.get(steerId) ?? 0;
    if (times > 1) problems.push(`steering ${steerId} was delivered ${times} times`);
    if (times === 1 && admitted.has(steerId)) problems.push(`steering ${steerId} was delivered, and is a turn too`);
    const isOver = outcomes.get(text(steered, "turnId") ?? "") === "completed";
    if (isOver && times === 0 && !admitted.has(steerId)) problems.push(`steering ${steerId} is lost`);
    const words = text(steered, "text") ?? "";
    if (times === 1 && isOver && !provider.requests.some(({ said }) => said.includes(words)))
      problems.push(`no request contains the steering ${words}`);
  }
  for (const { said } of provider.requests) {
    const marks: readonly string[] = said.match(/mark-[\w-]+/g) ?? [];
    const twice = marks.find((mark, at) => marks.indexOf(mark) !== at);
    if (twice !== undefined) problems.push(`a request says ${twice} twice`);
  }
  return problems;
}

/** What a command did is told to the model as the log has it: done, or unknown. */
function tellingProblems(disk: Disk, provider: Provider, outside: Outside): readonly string[] {
  const settled = new Map(of(disk, "effect.settled@1").map((end) => [text(end, "effectId"), text(end, "outcome")]));
  const completed = new Set(
    of(disk, "turn.ended@1").flatMap((end) => (text(end, "outcome") === "completed" ? [text(end, "turnId")] : [])),
  );
  const calls = new Set(of(disk, "tool.ended@1").map((event) => text(event, "turnId")));
  const isTold = provider.requests.some(({ results }) => results.includes("outcome is unknown"));
  return of(disk, "effect.intended@1").flatMap((intended) => {
    if (text(intended, "kind") !== "run" || !calls.has(text(intended, "turnId"))) return [];
    const command = String(Object(Object(intended.data).detail).command);
    const outcome = settled.get(text(intended, "effectId"));
    if (outcome === "refused" && outside.includes(command)) return [`refused and done: ${command}`];
    const isCompleted = completed.has(text(intended, "turnId"));
    return outcome === "unknown" && isCompleted && !isTold ? [`nobody told the model: ${command}`] : [];
  });
}

function of(disk: Disk, type: string): readonly RecordedEvent[] {
  return disk.log.filter((event) => event.type === type);
}

function text(event: RecordedEvent, key: string): string | null {
  const value: unknown = Reflect.get(Object(event.data), key);
  return typeof value === "string" ? value : null;
}

function errorOf(event: RecordedEvent): unknown {
  return Object(Object(event.data).error).code;
}
