import { NomosError } from "../../contract/index.ts";
import type { Clock } from "../../host/index.ts";
import {
  answerApproval,
  askApproval,
  fact,
  LIMITS,
  type Question,
  recordDenial,
  recordDriver,
  type SessionState,
} from "../../kernel/index.ts";
import type { Permits, Reply, TurnQuestions } from "../questions.ts";
import type { Recorder } from "../recorder.ts";
import type { CallNames } from "./call-names.ts";
import { storeText } from "./texts.ts";
import type { TurnLedger } from "./turn-ledger.ts";

export interface QuestionScene {
  readonly sessionId: string;
  readonly turnId: string;
  readonly committer: Recorder;
  readonly clock: Clock;
  readonly names: CallNames;
  readonly ledger: TurnLedger;
  readonly permits: Permits;
  /** The answer to a question about to be asked. */
  readonly waitFor: (approvalId: string) => Promise<Reply>;
  /** The answer to a question in the log. */
  readonly answerTo: (approvalId: string) => Promise<Reply>;
  /** Null: a question may wait without a limit. */
  readonly answerWithinMs: () => number | null;
}

export function createTurnQuestions(scene: QuestionScene): TurnQuestions {
  const { sessionId, turnId, committer } = scene;
  const by = { actor: `session:${sessionId}` };

  const ask: TurnQuestions["ask"] = async (text, given, { action = null, ...place } = {}) => {
    const call = scene.names.take(place);
    // Refused, not cut: a person cannot allow what they cannot read.
    if (text.length > LIMITS.questionChars)
      return { approved: false, reason: `the question is longer than ${LIMITS.questionChars} characters` };
    const options = given.slice(0, LIMITS.optionsMax).map((option) => option.slice(0, LIMITS.optionChars));
    const known = scene.ledger.question(call, { question: text, options, action });
    if (known !== null) return known.reply ?? inTime(known.asked.approvalId, scene.answerTo(known.asked.approvalId));
    const question: Question = {
      approvalId: call.newId("question"),
      turnId,
      question: text,
      options,
      action,
      effectId: null,
      checkpoint: call.checkpoint,
    };
    const waiting = scene.waitFor(question.approvalId);
    waiting.catch(() => undefined);
    await committer.session(sessionId, (state) => askApproval(state, question), by);
    return inTime(question.approvalId, waiting);
  };

  const inTime = (approvalId: string, waiting: Promise<Reply>): Promise<Reply> => {
    const withinMs = scene.answerWithinMs();
    if (withinMs === null) return waiting;
    const stopTimer = scene.clock.after(withinMs, () => void giveUp(approvalId));
    return waiting.finally(stopTimer);
  };

  /** No answer in time counts as no, and is recorded. */
  const giveUp = async (approvalId: string): Promise<void> => {
    const no = { status: "rejected", reason: "nobody answered in time" } as const;
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

  return {
    ask,
    noteDenial,
    permit: (wish) =>
      scene.permits(wish, (question, options, action) => ask(question, options, { action }), noteDenial, warn),
  };
}
