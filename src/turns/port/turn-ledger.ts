import { canonicalJson, type Fact, type Json, type Question, sessionFact, sessionStream } from "../../kernel/index.ts";
import type { Store } from "../../store/index.ts";
import { DriverError } from "../driver-error.ts";
import type { EffectResult } from "../effects.ts";
import type { ResumedQuestion } from "../identity.ts";
import type { Reply } from "../questions.ts";
import { type CallName, tailIn } from "./call-names.ts";
import { replyIn } from "./turn-facts.ts";

/** What an earlier run of a turn did and asked, read from the log. Empty for a new turn. */
export interface TurnLedger {
  /** Open questions, oldest first. */
  readonly open: readonly ResumedQuestion[];
  /** The same effect of the earlier run; null when there was none. A key that named another effect is refused. */
  readonly effect: (call: CallName, same: { readonly kind: string; readonly detail: Json }) => KnownEffect | null;
  readonly question: (call: CallName, same: AskedBefore) => KnownQuestion | null;
  /** The last effect whose id ends in this; null when there was none. */
  readonly at: (tail: string) => KnownEffect | null;
}

export interface KnownEffect {
  readonly effectId: string;
  readonly kind: string;
  readonly detail: Json;
  /** Position after which its output is found. */
  readonly seq: number;
  question: KnownQuestion | null;
  isBegun: boolean;
  /** It was under way when its run was cut. */
  isUnknown: boolean;
  settled: Pick<EffectResult, "exitCode" | "message" | "outcome"> | null;
}

export interface KnownQuestion {
  readonly asked: Question;
  reply: Reply | null;
}

type AskedBefore = Pick<Question, "question" | "options" | "action" | "inputHash">;

export const NO_LEDGER: TurnLedger = { open: [], effect: () => null, question: () => null, at: () => null };

export async function readTurnLedger(store: Store, sessionId: string, turnId: string): Promise<TurnLedger> {
  const effects = new Map<string, KnownEffect>();
  const questions = new Map<string, KnownQuestion>();
  for (const { seq, fact } of await factsOfTurn(store, sessionId, turnId)) note(effects, questions, seq, fact);
  const calls = [...questions].filter(([, { asked }]) => asked.effectId === null).map(([id, known]) => ({ id, known }));
  const findEffect = createFinder([...effects.values()], ({ effectId }) => effectId, isUnsettled);
  const findQuestion = createFinder(
    calls,
    ({ id }) => id,
    ({ known }) => known.reply === null,
  );
  return {
    open: [...new Set(questions.values())].flatMap((known) => openOf(known, effects)),
    at: (tail) => [...effects.values()].findLast(({ effectId }) => tailIn(effectId) === tail) ?? null,
    effect: (call, { kind, detail }) => {
      const isSame = (known: KnownEffect) =>
        known.kind === kind && canonicalJson(known.detail) === canonicalJson(detail);
      return findEffect(call.tail("effect"), call.isKeyed, isSame);
    },
    question: (call, same) => {
      const isSame = ({ known }: QuestionCall) => sameQuestion(known.asked) === sameQuestion(same);
      return findQuestion(call.tail("question"), call.isKeyed, isSame)?.known ?? null;
    },
  };
}

/** Finds each call once: by the name in its id, else, for a call without a key, an open one with the same content. */
function createFinder<T extends object>(all: readonly T[], idOf: (one: T) => string, isOpen: (one: T) => boolean) {
  const byTail = Map.groupBy(all, (one) => tailIn(idOf(one)));
  const open = all.filter(isOpen);
  const taken = new Set<T>();
  return (tail: string, isKeyed: boolean, isSame: (one: T) => boolean): T | null => {
    const isFree = (one: T) => !taken.has(one);
    // If a driver passed a checkpoint several times, the last time counts.
    const named = byTail.get(tail)?.findLast(isFree);
    if (isKeyed && named !== undefined && !isSame(named))
      throw new DriverError("invalid_request", "the key named something else in an earlier run of this turn");
    const same = named !== undefined && isSame(named) ? named : null;
    // The order of calls may have changed, and versions without keys gave ids no names.
    const found = same ?? (isKeyed ? null : (open.find((one) => isFree(one) && isSame(one)) ?? null));
    if (found !== null) taken.add(found);
    return found;
  };
}

const isUnsettled = ({ settled }: KnownEffect): boolean => settled === null;

/** One call that asked: the one that put the question, or one that joined it. */
interface QuestionCall {
  readonly id: string;
  readonly known: KnownQuestion;
}

function sameQuestion({ question, options, action, inputHash }: AskedBefore): string {
  return canonicalJson({ question, options, action, inputHash: inputHash ?? null });
}

function openOf(
  { asked, reply }: KnownQuestion,
  effects: ReadonlyMap<string, KnownEffect>,
): readonly ResumedQuestion[] {
  const { approvalId, effectId, question, checkpoint } = asked;
  const effect = effectId === null ? undefined : effects.get(effectId);
  const isAllowed = reply?.approved === true && effect?.isBegun === false && effect.settled === null;
  if (reply !== null && !isAllowed) return [];
  return [{ approvalId, effectId, question, isAnswered: reply !== null, checkpoint }];
}

function note(effects: Map<string, KnownEffect>, questions: Map<string, KnownQuestion>, seq: number, fact: Fact): void {
  switch (fact.type) {
    case "effect.intended@1": {
      const { effectId, kind, detail } = fact.data;
      const open = { question: null, isBegun: false, isUnknown: false, settled: null };
      effects.set(effectId, { effectId, kind, detail, seq, ...open });
      return;
    }
    case "effect.begun@1": {
      const effect = effects.get(fact.data.effectId);
      if (effect !== undefined) effect.isBegun = true;
      return;
    }
    case "effect.settled@1": {
      const { effectId, exitCode, message } = fact.data;
      const outcome = fact.data.outcome === "unknown" ? "failed" : fact.data.outcome;
      const effect = effects.get(effectId);
      if (effect === undefined) return;
      effect.settled = { outcome, exitCode, message };
      effect.isUnknown = fact.data.outcome === "unknown";
      return;
    }
    case "approval.requested@1": {
      const { approvalId, effectId } = fact.data;
      const known: KnownQuestion = { asked: fact.data, reply: null };
      questions.set(approvalId, known);
      const effect = effectId === null ? undefined : effects.get(effectId);
      if (effect !== undefined) effect.question = known;
      return;
    }
    case "approval.joined@1": {
      const known = questions.get(fact.data.approvalId);
      if (known !== undefined) questions.set(fact.data.joinId, known);
      return;
    }
    default: {
      const said = replyIn(fact);
      const known = said === null ? undefined : questions.get(said.approvalId);
      if (said !== null && known !== undefined) known.reply = said.reply;
    }
  }
}

const LEDGER_TYPES = [
  "turn.started@1",
  "effect.intended@1",
  "effect.begun@1",
  "effect.settled@1",
  "approval.requested@1",
  "approval.joined@1",
  "approval.answered@1",
  "approval.closed@1",
];
const PAGE = 500;
const LEDGER_EVENTS_MAX = 50_000;

/** Read backwards, because an open turn is at the end; returned oldest first. */
async function factsOfTurn(
  store: Store,
  sessionId: string,
  turnId: string,
): Promise<readonly { readonly seq: number; readonly fact: Fact }[]> {
  const found: { readonly seq: number; readonly fact: Fact }[] = [];
  for (let before: number | undefined; ; ) {
    const { events, next } = await store.readStream(sessionStream(sessionId), {
      descending: true,
      limit: PAGE,
      types: LEDGER_TYPES,
      turnId,
      ...(before === undefined ? {} : { before }),
    });
    for (const event of events) {
      const fact = sessionFact(event);
      if (fact?.type === "turn.started@1") return found.reverse();
      if (fact !== null) found.push({ seq: event.seq, fact });
    }
    if (found.length > LEDGER_EVENTS_MAX)
      throw new DriverError("limit_reached", "the turn has done too much to be resumed", { max: LEDGER_EVENTS_MAX });
    if (next === null) return found.reverse();
    before = next;
  }
}
