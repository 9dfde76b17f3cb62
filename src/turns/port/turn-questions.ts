import { NomosError } from "../../contract/index.ts";
import type { Clock } from "../../host/index.ts";
import {
  answerApproval,
  askApproval,
  dataIn,
  fact,
  LIMITS,
  type Question,
  recordAllowed,
  recordDenial,
  recordDriver,
  SESSION_EVENTS,
  type SessionState,
} from "../../kernel/index.ts";
import { ASK_VERB, type TurnGate } from "../permission/turn-gate.ts";
import type { Denial, Permits, Reply, TurnQuestions } from "../questions.ts";
import type { Recorder } from "../recorder.ts";
import type { CallNames } from "./call-names.ts";
import { storeText } from "./texts.ts";
import { NOBODY_IN_TIME } from "./turn-facts.ts";
import type { TurnLedger } from "./turn-ledger.ts";

export interface QuestionScene {
  readonly sessionId: string;
  readonly turnId: string;
  readonly committer: Recorder;
  readonly clock: Clock;
  readonly names: CallNames;
  readonly ledger: TurnLedger;
  readonly gate: TurnGate;
  readonly permits: Permits;
  /** The answer to a question that is about to be put, unless it is not needed after all. */
  readonly waitFor: (approvalId: string, unneeded: AbortSignal) => Promise<Reply>;
  /** The answer to a question that stands in the log. */
  readonly answerTo: (approvalId: string) => Promise<Reply>;
  /** Null: a question may wait without a limit. */
  readonly answerWithinMs: () => number | null;
}

export function createTurnQuestions(scene: QuestionScene): TurnQuestions {
  const { sessionId, turnId, committer } = scene;
  const by = { actor: `session:${sessionId}` };

  const ask: TurnQuestions["ask"] = async (text, given, { action = null, rules, inputHash, detail, ...place } = {}) => {
    const call = scene.names.take(place);
    // Refused, not cut: a person cannot allow what they cannot read.
    if (text.length > LIMITS.questionChars)
      return { approved: false, reason: `the question is longer than ${LIMITS.questionChars} characters` };
    const options = given.slice(0, LIMITS.optionsMax).map((option) => option.slice(0, LIMITS.optionChars));
    const asked = committer.redactor.data({ question: text, options, action });
    const known = scene.ledger.question(call, { ...asked, ...present({ inputHash }) });
    if (known !== null) return known.reply ?? inTime(known.asked.approvalId, scene.answerTo(known.asked.approvalId));
    const may = scene.gate.mayAsk();
    if (may.verdict === "deny") {
      await noteDenial({ verb: ASK_VERB, resource: "question", rules: may.rules });
      return { approved: false, reason: `denied: ${may.rules.join(", ")}` };
    }
    return put({
      approvalId: call.newId("question"),
      turnId,
      question: text,
      options,
      action,
      effectId: null,
      checkpoint: call.checkpoint,
      ...present({ rules, inputHash, detail }),
    });
  };

  /** Waits before it is recorded, so that no answer is missed; a question that was open already has its own answer. */
  const put = async (question: Question): Promise<Reply> => {
    const unneeded = new AbortController();
    const waiting = scene.waitFor(question.approvalId, unneeded.signal);
    waiting.catch(() => undefined);
    const { events } = await committer.session(sessionId, (state) => askApproval(state, question), by);
    const joined = dataIn(SESSION_EVENTS, events, "approval.joined@1");
    if (joined === null) return inTime(question.approvalId, waiting);
    unneeded.abort();
    return inTime(joined.approvalId, scene.answerTo(joined.approvalId));
  };

  const inTime = (approvalId: string, waiting: Promise<Reply>): Promise<Reply> => {
    const withinMs = scene.answerWithinMs();
    if (withinMs === null) return waiting;
    const stopTimer = scene.clock.after(withinMs, () => void giveUp(approvalId));
    return waiting.finally(stopTimer);
  };

  /** No answer in time counts as no, and is recorded. */
  const giveUp = async (approvalId: string): Promise<void> => {
    const no = { status: "rejected", reason: NOBODY_IN_TIME } as const;
    const decide = (state: SessionState) => answerApproval(state, approvalId, no);
    await committer.session(sessionId, decide, { actor: "daemon" }).catch((thrown: unknown) => {
      // Another answer came first, or the turn has ended.
      if (!(thrown instanceof NomosError)) throw thrown;
    });
  };

  const noteDenial: TurnQuestions["noteDenial"] = async (denial) => {
    await committer.session(sessionId, (state) => recordDenial(state, { ...denial, turnId }), by);
  };

  const warn = async (title: string, text: string): Promise<void> => {
    const body = await storeText(committer.keeper(sessionId, "output"), text);
    const noticed = fact("driver.noticed@1", { turnId, severity: "warning", title, body });
    await committer.session(sessionId, (state) => recordDriver(state, turnId, [noticed]), by);
  };

  const noteAllowed = async (allowed: Denial): Promise<void> => {
    await committer.session(sessionId, (state) => recordAllowed(state, { ...allowed, turnId }), by);
  };

  const { gate } = scene;
  return { ask, noteDenial, permit: (wish) => scene.permits(wish, { gate, ask, noteDenial, noteAllowed, warn }) };
}

/** Without the members that are not there. */
function present<T extends object>(members: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  const there = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(there) as { readonly [K in keyof T]?: Exclude<T[K], undefined> };
}
