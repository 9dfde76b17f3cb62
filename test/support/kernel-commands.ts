import {
  ALWAYS,
  addCustom,
  admitTurn,
  answerApproval,
  askApproval,
  beginEffect,
  beginTurn,
  completeMessage,
  type Decision,
  type End,
  endSession,
  endTurn,
  fact,
  forgetSession,
  hibernateSession,
  intendEffect,
  labelSession,
  type Point,
  type Question,
  type RedoClass,
  recordDenial,
  recordOutput,
  recoverSession,
  replaceTodo,
  requestInterrupt,
  resumeSession,
  rewindSession,
  type SessionState,
  settleEffect,
  startNextTurn,
  startSession,
  suspendSession,
  type View,
  wakeSession,
  writeArtifact,
} from "../../src/kernel/index.ts";

/**
 * Commands to a session. A number `n` picks an existing id, path or point, so that a random command mostly hits
 * something, sometimes something ended, and sometimes nothing.
 */
export type Command<Name extends CommandName = CommandName> = {
  readonly [K in Name]: { readonly log: number; readonly do: K } & CommandMap[K];
}[Name];

type CommandName = keyof CommandMap;
type LifeCommand =
  | "start"
  | "suspend"
  | "resume"
  | "hibernate"
  | "wake"
  | "label"
  | "forget"
  | "end"
  | "crash"
  | "erase"
  | "call";
type EffectCommand = "intend" | "begin" | "output" | "settle" | "ask" | "answer";

interface CommandMap {
  readonly start: unknown;
  readonly resume: unknown;
  readonly wake: unknown;
  readonly forget: unknown;
  readonly crash: unknown;
  readonly erase: unknown;
  readonly call: unknown;
  readonly interrupt: unknown;
  readonly next: unknown;
  readonly custom: unknown;
  readonly suspend: { readonly n: number };
  readonly hibernate: { readonly n: number };
  readonly label: { readonly n: number };
  readonly end: { readonly end: End };
  readonly fork: { readonly n: number };
  readonly rewind: { readonly n: number; readonly toParent: boolean };
  readonly admit: { readonly queue: boolean };
  readonly beginTurn: unknown;
  readonly endTurn: { readonly n: number; readonly outcome: "completed" | "failed" | "interrupted" };
  readonly message: { readonly n: number };
  readonly artifact: { readonly n: number; readonly path: number; readonly inTurn: boolean };
  readonly todo: { readonly items: number };
  readonly deny: { readonly n: number };
  readonly intend: { readonly n: number; readonly ask: boolean; readonly redo: RedoClass };
  readonly begin: { readonly n: number };
  readonly output: { readonly n: number };
  readonly settle: { readonly n: number; readonly outcome: "done" | "failed" | "refused" };
  readonly ask: { readonly n: number; readonly checkpoint: boolean };
  readonly answer: { readonly n: number; readonly answer: "reject" | "yes" | "once" | "always" | "unheard-of" };
}

/** What a command can refer to. */
export interface Situation {
  readonly state: SessionState;
  readonly turnIds: readonly string[];
  readonly effectIds: readonly string[];
  readonly approvalIds: readonly string[];
  readonly fresh: (kind: string) => string;
  /** The possible targets of a rewind; for a fork also the parent's. */
  readonly point: (n: number, toParent: boolean) => { readonly to: Point; readonly view: View };
}

export const OPTIONS = ["yes", "no", ALWAYS];
const FENCE = 1;

export function decideCommand(situation: Situation, command: Command<Exclude<CommandName, "fork">>): Decision {
  const { state } = situation;
  switch (command.do) {
    case "start":
      return startSession(state, "fresh");
    case "suspend":
      return suspendSession(state, `reason ${command.n}`);
    case "resume":
      return resumeSession(state);
    case "hibernate":
      return hibernateSession(state, `reason ${command.n}`);
    case "wake":
      return wakeSession(state, "digest");
    case "label":
      return labelSession(state, command.n === 0 ? null : `label ${command.n}`);
    case "forget":
      return forgetSession(state);
    case "end":
      return endSession(state, command.end);
    case "crash":
      return recoverSession(state);
    case "erase":
      return [fact("data.erased@1", { events: [], reason: "asked for" })];
    case "call":
      return [fact("call.made@1", { syscall: "session.suspend" })];
    case "rewind": {
      const { to, view } = situation.point(command.n, command.toParent);
      return rewindSession(state, to, view);
    }
    default:
      return decideInSession(situation, command);
  }
}

function decideInSession(
  situation: Situation,
  command: Command<Exclude<CommandName, LifeCommand | "rewind" | "fork">>,
): Decision {
  const { state, fresh } = situation;
  switch (command.do) {
    case "admit":
      return admitTurn(state, { turnId: fresh("turn"), prompt: BODY, queue: command.queue });
    case "beginTurn":
      return beginTurn(state, { turnId: fresh("turn"), prompt: BODY });
    case "next":
      return startNextTurn(state);
    case "interrupt":
      return requestInterrupt(state);
    case "endTurn":
      return endTurn(state, { turnId: turnOf(situation, command.n), outcome: command.outcome, error: null });
    case "message":
      return completeMessage(state, { turnId: turnOf(situation, command.n), role: "assistant", body: BODY });
    case "artifact":
      return writeArtifact(state, {
        path: `files/${command.path}`,
        newArtifactId: fresh("artifact"),
        blob: fresh("blob"),
        bytes: 1,
        mediaType: "text/plain",
        turnId: command.inTurn ? turnOf(situation, command.n) : null,
      });
    case "todo":
      return replaceTodo(
        state,
        Array.from({ length: command.items }, (_, n) => ({ text: `${n}`, status: "open" })),
        null,
      );
    case "custom":
      return addCustom(state, null, [{ type: "x.note@1", payload: { said: true } }]);
    case "deny":
      return recordDenial(state, {
        verb: "tool.run",
        resource: "path/a",
        rules: ["r"],
        turnId: maybeTurn(situation, command.n),
      });
    default:
      return decideEffect(situation, command);
  }
}

function decideEffect(situation: Situation, command: Command<EffectCommand>): Decision {
  const { state, effectIds, approvalIds } = situation;
  switch (command.do) {
    case "intend": {
      const [effectId, turnId] = [situation.fresh("effect"), turnOf(situation, command.n)];
      const intent = { effectId, turnId, kind: "run", detail: {}, redo: command.redo, rules: ["r"] } as const;
      return intendEffect(state, intent, FENCE, command.ask ? questionOf(situation, command.n, effectId, true) : null);
    }
    case "begin":
      return beginEffect(state, latest(effectIds, command.n), FENCE);
    case "output":
      return recordOutput(state, { effectId: latest(effectIds, command.n), stream: "stdout", body: BODY });
    case "settle":
      return settleEffect(state, {
        effectId: latest(effectIds, command.n),
        outcome: command.outcome,
        exitCode: 0,
        message: null,
      });
    case "ask":
      return askApproval(state, questionOf(situation, command.n, null, command.checkpoint));
    case "answer": {
      const approvalId = latest(approvalIds, command.n);
      if (command.answer === "reject") return answerApproval(state, approvalId, { status: "rejected", reason: null });
      const option = command.answer === "once" ? null : command.answer;
      return answerApproval(state, approvalId, { status: "approved", option });
    }
  }
}

const BODY = { text: "text", blob: null, bytes: 4 } as const;

function questionOf(situation: Situation, n: number, effectId: string | null, checkpoint: boolean): Question {
  const approvalId = situation.fresh("approval");
  return {
    approvalId,
    turnId: turnOf(situation, n),
    // Half of them are asked in the same words, so that the same question is asked again while it is open.
    question: n % 2 === 0 ? `May it, for ${approvalId}?` : "May it?",
    options: OPTIONS,
    action: { verb: `tool.verb${n}`, resource: "path/a" },
    effectId,
    checkpoint: checkpoint ? { at: n } : null,
  };
}

/** Mostly the running turn. */
function turnOf({ state, turnIds }: Situation, n: number): string {
  return state.phase.at === "busy" && n < 6 ? state.phase.turnId : latest(turnIds, n);
}

function maybeTurn(situation: Situation, n: number): string | null {
  return n % 2 === 0 ? null : turnOf(situation, n);
}

function latest(ids: readonly string[], n: number): string {
  return ids[ids.length - 1 - n] ?? "nothing";
}
