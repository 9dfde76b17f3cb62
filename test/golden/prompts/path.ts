import type { LoadedData, LoadedFact, PathEvent } from "../../../src/engine/view/path-event.ts";
import type { EventData, EventType, Json, StepStop } from "../../../src/kernel/index.ts";

export interface Said {
  readonly thought?: string;
  readonly text?: string;
  readonly calls?: readonly Asked[];
  readonly meta?: Json;
}

export interface Asked {
  readonly id: string;
  readonly name: string;
  readonly input?: string;
  /** Absent: it never ended. */
  readonly output?: string;
  readonly isError?: boolean;
  readonly path?: string;
}

export type StepMore = Partial<EventData<"step.ended@1">> & {
  readonly steers?: readonly string[];
  /** Results in another order than the calls. */
  readonly resultsReversed?: boolean;
};

const NO_USAGE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** Writes the events of a path, as the engine and other drivers would record them. Ids count from e1. */
export function createPath() {
  const events: PathEvent[] = [];
  let steps = 0;
  const add = <T extends EventType>(type: T, data: LoadedData<T>): string => {
    const seq = events.length + 1;
    const fact = { type, data } as unknown as LoadedFact;
    events.push({ id: `e${seq}`, seq, at: "2026-11-01T12:00:00.000Z", fact });
    return `e${seq}`;
  };
  const path = {
    events,
    add,
    admit: (turnId: string, prompt: string) =>
      add("turn.admitted@1", { turnId, prompt, blob: null, bytes: prompt.length, queued: false }),
    start: (turnId: string) => add("turn.started@1", { turnId }),
    prompt(turnId: string, prompt: string) {
      path.admit(turnId, prompt);
      return path.start(turnId);
    },
    steer: (turnId: string, steerId: string, text: string) =>
      add("turn.steered@1", { turnId, steerId, ...whole(text) }),
    message: (turnId: string, text: string, role: "assistant" | "thought" = "assistant") =>
      add("message.completed@1", { turnId, role, ...whole(text) }),
    called: (turnId: string, { id, name, input = "{}", path: file }: Asked) =>
      add("tool.called@1", {
        turnId,
        callId: id,
        title: `${name} ${file ?? id}`,
        kind: name,
        places: file === undefined ? [] : [{ path: file, line: null }],
        input: whole(input),
      }),
    result: (
      turnId: string,
      { id, name, output = "", isError = false }: Asked,
      more: Partial<LoadedData<"tool.ended@1">> = {},
    ) =>
      add("tool.ended@1", {
        turnId,
        callId: id,
        title: `${name} ${id}`,
        outcome: isError ? "failed" : "done",
        places: [],
        diffs: [],
        output: whole(output),
        ...more,
      }),
    stepStart: (turnId: string, more: Partial<EventData<"step.started@1">> = {}) => {
      steps += 1;
      const stepId = `s${steps}`;
      add("step.started@1", { turnId, stepId, model: "p/m", purpose: "answer", attempt: 1, steers: [], ...more });
      return stepId;
    },
    stepEnd: (turnId: string, said: Said, more: StepMore = {}) => {
      const { steers: _steers, resultsReversed: _reversed, ...end } = more;
      const calls = said.calls ?? [];
      const stop: StepStop = calls.length > 0 ? "tool_calls" : "stop";
      return add("step.ended@1", {
        turnId,
        stepId: `s${steps}`,
        model: "p/m",
        usage: NO_USAGE,
        costMicroUsd: null,
        stop,
        parts: [
          ...(said.thought === undefined ? [] : [{ kind: "thought" as const, meta: said.meta ?? null }]),
          ...(said.text === undefined ? [] : [{ kind: "text" as const, meta: null }]),
          ...calls.map(({ id, name }) => ({ kind: "call" as const, callId: id, name, meta: null })),
        ],
        error: null,
        firstTokenMs: null,
        ms: 1,
        ...end,
      });
    },
    /** A whole step with the results of its calls. */
    step(turnId: string, said: Said, more: StepMore = {}) {
      path.stepStart(turnId, { steers: more.steers ?? [], model: more.model ?? "p/m" });
      if (said.thought !== undefined) path.message(turnId, said.thought, "thought");
      if (said.text !== undefined) path.message(turnId, said.text);
      for (const call of said.calls ?? []) path.called(turnId, call);
      path.stepEnd(turnId, said, more);
      const ended = (said.calls ?? []).filter(({ output }) => output !== undefined);
      for (const call of more.resultsReversed === true ? ended.toReversed() : ended) path.result(turnId, call);
    },
    end: (turnId: string, outcome: EventData<"turn.ended@1">["outcome"] = "completed", code?: string) =>
      add("turn.ended@1", { turnId, outcome, error: code === undefined ? null : { code, message: code } }),
    compact: (keptFrom: string | null, summary: string, files = { read: [], modified: [] } as Files) =>
      add("context.compacted@1", {
        turnId: "t0",
        summary: whole(summary),
        keptFrom,
        tokensBefore: 1000,
        tokensAfter: 100,
        reason: "threshold",
        strategy: "summary",
        focus: null,
        isSplitTurn: false,
        files,
      }),
    branch: (turnId: string, summary: string, files = { read: [], modified: [] } as Files) =>
      add("context.branched@1", { turnId, from: "left", summary: whole(summary), files }),
    compose: (...parts: readonly string[]) =>
      add("context.composed@1", {
        turnId: "t0",
        parts: parts.map((text, index) => ({ name: `part${index + 1}`, source: "test", ...whole(text) })),
      }),
  };
  return path;
}

export function whole(text: string) {
  return { text, blob: null, bytes: text.length };
}

interface Files {
  readonly read: readonly string[];
  readonly modified: readonly string[];
}
