import type { Decision } from "../definitions/aggregate.ts";
import type { TextOrBlob } from "../event-parts.ts";
import { canonicalJson, type Json } from "../json.ts";
import { LIMITS } from "../limits.ts";
import { ownEntry } from "../own-entry.ts";
import { type Refusal, refuse } from "../refusal.ts";
import { notRunning, unwritable } from "./decide-turn.ts";
import { type EventData, fact } from "./events.ts";
import type { SessionState } from "./state.ts";
import type { EffectKind, EffectOutcome, Question, RedoClass } from "./turn-events.ts";

export interface Intent {
  readonly effectId: string;
  readonly turnId: string;
  readonly kind: EffectKind;
  readonly detail: Json;
  readonly redo: RedoClass;
  readonly rules: readonly string[];
  readonly callId?: string;
}

/**
 * Intended, begun, settled. An allowed effect is intended and begun in one append; one that needs a person waits in
 * between. Nothing touches the world before `effect.begun@1` is durable.
 */
export function intendEffect(state: SessionState, intent: Intent, fence: number, question: Question | null): Decision {
  const off = notRunning(state, intent.turnId);
  if (off !== null) return off;
  const open = Object.keys(state.effects);
  if (open.length >= LIMITS.openEffectsMax || open.includes(intent.effectId))
    return refuse("effect_not_open", { effectId: intent.effectId, openMax: LIMITS.openEffectsMax });
  const full = question === null ? null : tooManyQuestions(state);
  if (full !== null) return full;
  const verdict = question === null ? "allow" : "ask";
  const intended = fact("effect.intended@1", { ...intent, verdict });
  if (question === null)
    return [intended, fact("effect.begun@1", { effectId: intent.effectId, turnId: intent.turnId, fence })];
  return [intended, fact("approval.requested@1", question)];
}

/** Refused while its question is open. */
export function beginEffect(state: SessionState, effectId: string, fence: number): Decision {
  const effect = ownEntry(state.effects, effectId);
  const asked = Object.values(state.approvals).some((question) => question.effectId === effectId);
  if (effect?.status !== "intended" || asked) return refuse("effect_not_open", { effectId });
  return notRunning(state, effect.turnId) ?? [fact("effect.begun@1", { effectId, turnId: effect.turnId, fence })];
}

export function recordOutput(
  state: SessionState,
  input: { readonly effectId: string; readonly stream: "stdout" | "stderr"; readonly body: TextOrBlob },
): Decision {
  const effect = ownEntry(state.effects, input.effectId);
  if (effect?.status !== "begun") return refuse("effect_not_open", { effectId: input.effectId });
  return [
    fact("effect.output@1", { effectId: input.effectId, turnId: effect.turnId, stream: input.stream, ...input.body }),
  ];
}

export function settleEffect(
  state: SessionState,
  input: {
    readonly effectId: string;
    readonly outcome: Exclude<EffectOutcome, "unknown">;
    readonly exitCode: number | null;
    readonly message: string | null;
  },
): Decision {
  const effect = ownEntry(state.effects, input.effectId);
  if (effect === undefined || (effect.status === "intended" && input.outcome !== "refused"))
    return refuse("effect_not_open", { effectId: input.effectId });
  return [fact("effect.settled@1", { ...input, turnId: effect.turnId, redo: null })];
}

export function recordDenial(
  state: SessionState,
  input: {
    readonly verb: string;
    readonly resource: string;
    readonly rules: readonly string[];
    readonly turnId: string | null;
  },
): Decision {
  return unwritable(state, input.turnId) ?? [fact("gate.denied@1", input)];
}

/** The same question asked again while it is open is one question: the second call joins the first. */
export function askApproval(state: SessionState, question: Question): Decision {
  const { approvalId: joinId, turnId } = question;
  const open = Object.values(state.approvals).find((one) => isSameQuestion(one, question));
  if (open === undefined)
    return notRunning(state, turnId) ?? tooManyQuestions(state) ?? [fact("approval.requested@1", question)];
  return notRunning(state, turnId) ?? [fact("approval.joined@1", { approvalId: open.approvalId, turnId, joinId })];
}

/** An effect is a deed of its own: `once` is said to one of them, however alike two are. */
function isSameQuestion(one: Question, other: Question): boolean {
  const same = ({ turnId, question, options, action, checkpoint, inputHash }: Question) =>
    canonicalJson({ turnId, question, options, action, checkpoint, inputHash: inputHash ?? null });
  return one.effectId === null && other.effectId === null && same(one) === same(other);
}

export function recordAllowed(state: SessionState, given: EventData<"gate.allowed@1">): Decision {
  return notRunning(state, given.turnId) ?? [fact("gate.allowed@1", given)];
}

export type Answer =
  | { readonly status: "approved"; readonly option: string | null }
  | { readonly status: "rejected"; readonly reason: string | null };

/** The first answer counts, and a rejected effect is settled with it: it can never begin. Whoever comes later is told so. */
export function answerApproval(state: SessionState, approvalId: string, answer: Answer): Decision {
  const question = ownEntry(state.approvals, approvalId);
  if (question === undefined) return refuse("already_answered", { approvalId });
  const { turnId, effectId } = question;
  if (answer.status === "rejected") {
    const { reason } = answer;
    const answered = fact("approval.answered@1", { approvalId, turnId, status: "rejected", option: null, reason });
    const refused = { outcome: "refused", exitCode: null, message: reason ?? "rejected", redo: null } as const;
    const open = effectId !== null && ownEntry(state.effects, effectId) !== undefined;
    return !open ? [answered] : [answered, fact("effect.settled@1", { effectId, turnId, ...refused })];
  }
  // A question without options takes free text.
  const isOffered = question.options.length === 0 || question.options.includes(answer.option ?? "");
  if (answer.option !== null && !isOffered)
    return refuse("invalid_option", { option: answer.option, options: question.options });
  return [fact("approval.answered@1", { approvalId, turnId, status: "approved", option: answer.option, reason: null })];
}

function tooManyQuestions(state: SessionState): Refusal | null {
  const { pendingApprovalsMax } = LIMITS;
  return Object.keys(state.approvals).length < pendingApprovalsMax
    ? null
    : refuse("queue_full", { pendingApprovalsMax });
}
