import fc from "fast-check";
import { type Asked, createPath } from "./path.ts";

/**
 * A random path: turns of the engine and of foreign drivers, steering, retries, aborts, crashes, commands and
 * compactions. `compactAt` is asked for the event to keep from, so that a caller decides with the code it tests.
 */
export const anyMoves = fc.array(
  fc.record({
    do: fc.constantFrom(
      ...["prompt", "prompt", "queue", "steer", "end", "interrupt", "fail", "crash"],
      ...STEPS(),
      "compact",
      "command",
      "say",
      "tool",
      "effect",
      "todo",
      "late",
    ),
    chars: fc.integer({ min: 0, max: 400 }),
    calls: fc.integer({ min: 0, max: 3 }),
    pick: fc.nat(1000),
  }),
  { maxLength: 40 },
);

export type Move = typeof anyMoves extends fc.Arbitrary<readonly (infer M)[]> ? M : never;

function STEPS() {
  return ["step", "step", "step", "step", "error", "abort", "hang"] as const;
}

type Path = ReturnType<typeof createPath>;

interface Played {
  readonly path: Path;
  turn: string | null;
  turns: number;
  queue: string[];
  steers: string[];
  calls: number;
  unfinished: Asked[];
}

/** Plays the moves; one that makes no sense where it stands is skipped. */
export function play(moves: readonly Move[], keptFrom: (path: Path, pick: number) => string | null): Path {
  const path = createPath();
  const played: Played = { path, turn: null, turns: 0, queue: [], steers: [], calls: 0, unfinished: [] };
  path.compose("You are Nomos.");
  for (const move of moves) {
    if (move.do === "compact") path.compact(keptFrom(path, move.pick), `summary ${move.pick}`);
    else if (played.turn === null) between(played, move);
    else inside(played, played.turn, move);
  }
  return path;
}

function between(played: Played, { do: what, chars }: Move): void {
  const { path } = played;
  played.turns += 1;
  const turnId = `t${played.turns}`;
  const next = played.queue.shift();
  if (next !== undefined) path.start(next);
  else path.prompt(turnId, what === "command" ? "/compact" : words(turnId, chars));
  played.turn = next ?? turnId;
}

function inside(played: Played, turnId: string, move: Move): void {
  const { path } = played;
  const said = words(turnId, move.chars);
  switch (move.do) {
    case "queue":
      played.turns += 1;
      path.admit(`t${played.turns}`, said);
      played.queue.push(`t${played.turns}`);
      break;
    case "steer":
      played.steers.push(`st${path.events.length}`);
      path.steer(turnId, `st${path.events.length}`, said);
      break;
    case "end":
    case "interrupt":
    case "fail":
      end(played, turnId, move.do);
      break;
    case "crash":
      path.stepStart(turnId);
      if (move.chars > 0) path.message(turnId, said);
      break;
    case "say":
      path.message(turnId, said, move.pick % 3 === 0 ? "thought" : "assistant");
      break;
    case "todo":
      path.add("todo.replaced@1", { turnId, items: [{ text: said, status: "open" }] });
      break;
    case "tool":
    case "effect":
      act(played, turnId, move);
      break;
    case "late":
      for (const call of played.unfinished.splice(0)) path.result(turnId, { ...call, output: said });
      break;
    default:
      step(played, turnId, move);
  }
}

function end(played: Played, turnId: string, how: "end" | "interrupt" | "fail"): void {
  const outcome = how === "end" ? "completed" : how === "fail" ? "failed" : "interrupted";
  played.path.end(turnId, outcome, how === "fail" ? "model_failed" : undefined);
  played.turn = null;
  played.unfinished = [];
}

function act(played: Played, turnId: string, { do: what, chars, pick }: Move): void {
  const { path } = played;
  played.calls += 1;
  const id = `c${played.calls}`;
  if (what === "tool") {
    path.called(turnId, { id, name: "read", path: `f${pick % 5}` });
    if (pick % 4 > 0) path.result(turnId, { id, name: "read", output: "x".repeat(chars * 50) });
    return;
  }
  const detail = { command: `cmd ${pick}` };
  path.add("effect.intended@1", {
    effectId: id,
    turnId,
    kind: "run",
    detail,
    redo: "ask",
    verdict: "allow",
    rules: [],
  });
  if (pick % 4 > 0)
    path.add("effect.settled@1", { effectId: id, turnId, outcome: "done", exitCode: 0, message: null, redo: null });
}

function step(played: Played, turnId: string, { do: what, chars, calls, pick }: Move): void {
  const { path } = played;
  const asked = Array.from({ length: calls }, (_, index): Asked => {
    played.calls += 1;
    const isUnfinished = what === "hang" && index === 0;
    const call = { id: `c${played.calls}`, name: index === 0 ? "edit" : "read", path: `f${(pick + index) % 7}` };
    if (isUnfinished) played.unfinished.push(call);
    return isUnfinished ? call : { ...call, output: words("out", chars * 3) };
  });
  const steers = pick % 2 === 0 ? played.steers.splice(0) : [];
  const said = { thought: "hm", ...(chars > 50 ? { text: words(turnId, chars) } : {}), calls: asked };
  if (what === "error") path.step(turnId, { ...said, calls: [] }, { steers, stop: "error", parts: [] });
  else if (what === "abort") path.step(turnId, said, { steers, stop: "aborted" });
  else
    path.step(turnId, said, {
      steers,
      resultsReversed: pick % 3 === 0,
      usage: { input: chars, output: 1, cacheRead: 2, cacheWrite: 3 },
    });
}

function words(first: string, chars: number): string {
  return chars === 0 ? "" : `${first} ${"word ".repeat(chars / 5)}`;
}
