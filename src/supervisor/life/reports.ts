import type { By, Committer } from "../../commit/index.ts";
import { NomosError } from "../../contract/index.ts";
import {
  addCustom,
  beginTurn,
  type CustomFact,
  completeMessage,
  type End,
  endSession,
  endTurn,
  isEnded,
  type Json,
  LIMITS,
  replaceTodo,
  type SessionState,
  type TodoItem,
  together,
  writeArtifact,
} from "../../kernel/index.ts";
import type { RecordedEvent } from "../../store/index.ts";
import { keepWhole, storeText } from "../../turns/index.ts";
import type { SessionFiles } from "../files/session-files.ts";
import type { SpecSources } from "./session-spec.ts";

type Events = Promise<readonly RecordedEvent[]>;

/** Reports about a session from outside: from an agent that somebody else drives, a tool or a person. */
export interface Reports {
  readonly beginTurn: (id: string, prompt: string, by: By) => Events;
  /** A repeated call records nothing. */
  readonly endTurn: (
    id: string,
    turnId: string,
    outcome: "completed" | "failed" | "interrupted",
    message: string | null,
    by: By,
  ) => Events;
  /** The agent ended, normally or with an error; then with its last output. */
  readonly finish: (
    id: string,
    end: { readonly exitCode: number | null; readonly error: string | null },
    by: By,
  ) => Events;
  readonly message: (id: string, turnId: string, text: string, role: "assistant" | "thought", by: By) => Events;
  readonly addEvents: (
    id: string,
    turnId: string | null,
    items: readonly { readonly type: CustomFact["type"]; readonly payload: Json }[],
    by: By,
  ) => Events;
  readonly writeArtifact: (
    id: string,
    input: {
      readonly path: string;
      readonly bytes: Uint8Array;
      readonly mediaType: string;
      readonly turnId: string | null;
    },
    by: By,
  ) => Events;
  readonly replaceTodo: (id: string, items: readonly TodoItem[], turnId: string | null, by: By) => Events;
}

export function createReports(deps: {
  readonly committer: Committer;
  readonly newId: () => string;
  readonly specs: SpecSources;
  readonly sessionFiles: Pick<SessionFiles, "look">;
  /** Called when a reported session has finished. */
  readonly onFinish: (id: string) => void;
}): Reports {
  const { committer, newId } = deps;
  const change = async (id: string, decide: Parameters<Committer["session"]>[1], by: By): Events =>
    (await committer.session(id, decide, by)).events;

  /** Only Nomos begins and ends turns of a session that it drives. */
  const reported = (state: SessionState): SessionState => {
    if (state.spec === null || deps.specs.driver(state.spec.adapter).runTurn === null) return state;
    throw new NomosError("invalid_request", { id: state.id, reason: "this session's turns are driven by Nomos" });
  };

  return {
    beginTurn: async (id, prompt, by) => {
      const kept = await storeText(committer.keeper(id, "start"), prompt, LIMITS.promptInlineBytes);
      const turn = { turnId: newId(), prompt: kept };
      const files = await deps.sessionFiles.look(await committer.sessionState(id), "turn_start", turn.turnId);
      return change(id, (state) => together(beginTurn(reported(state), turn), files), by);
    },
    endTurn: async (id, turnId, outcome, message, by) => {
      const error = message === null ? null : { code: "driver_failed", message };
      const over = (state: SessionState) => state.recentTurns.some((turn) => turn.turnId === turnId);
      const now = await committer.sessionState(id);
      const files = over(now) ? [] : await deps.sessionFiles.look(now, "turn_end", turnId);
      const end = (state: SessionState) => endTurn(reported(state), { turnId, outcome, error });
      return change(id, (state) => (over(state) ? [] : together(files, end(state))), by);
    },
    finish: async (id, { exitCode, error }, by) => {
      const over: End =
        error === null ? { kind: "exited", exitCode } : { kind: "failed", code: "driver_failed", message: error };
      const end = (state: SessionState) => endSession(reported(state), over);
      const events = await change(id, (state) => (isEnded(state) ? [] : end(state)), by);
      deps.onFinish(id);
      return events;
    },
    message: async (id, turnId, text, role, by) => {
      const body = await storeText(committer.keeper(id, "output"), text);
      return change(id, (state) => completeMessage(state, { turnId, role, body }), by);
    },
    addEvents: (id, turnId, items, by) => change(id, (state) => addCustom(state, turnId, items), by),
    writeArtifact: async (id, input, by) => {
      const { bytes, ...rest } = input;
      const kept = await keepWhole(committer.keeper(id, "course"), bytes);
      const written = { ...rest, newArtifactId: newId(), ...kept };
      return change(id, (state) => writeArtifact(state, written), by);
    },
    replaceTodo: (id, items, turnId, by) => change(id, (state) => replaceTodo(state, items, turnId), by),
  };
}
