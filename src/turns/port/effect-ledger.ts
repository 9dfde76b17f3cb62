import type { ToolPolicy, Verdict } from "../../domains/index.ts";
import type { Clock, Files, HostProcess } from "../../host/index.ts";
import {
  ALWAYS,
  beginEffect,
  type Decision,
  intendEffect,
  isEffectKind,
  LIMITS,
  type Question,
  type QuestionDetail,
  recordDenial,
  recordOutput as recordPiece,
  type SessionState,
  settleEffect,
  together,
} from "../../kernel/index.ts";
import type { Store } from "../../store/index.ts";
import { DriverError } from "../driver-error.ts";
import type { Act, Acted, EffectOrder, EffectResult } from "../effects.ts";
import { type Ground, locate, voicesAt } from "../permission/ground.ts";
import type { TurnGate } from "../permission/turn-gate.ts";
import type { Reply } from "../questions.ts";
import type { Recorder } from "../recorder.ts";
import type { CallName, CallNames } from "./call-names.ts";
import { outputOf, PREVIEW_CHARS } from "./effect-output.ts";
import { piecesOf, storeText } from "./texts.ts";
import type { KnownEffect, TurnLedger } from "./turn-ledger.ts";

/** What a turn's effects need. */
export interface EffectScene {
  readonly sessionId: string;
  readonly turnId: string;
  readonly cwd: string;
  readonly store: Store;
  readonly committer: Recorder;
  readonly gate: TurnGate;
  readonly ground: Omit<Ground, "widened">;
  readonly toolPolicy: (tool: string) => Promise<ToolPolicy>;
  readonly signal: AbortSignal;
  readonly names: CallNames;
  readonly ledger: TurnLedger;
  /** The answer to a question in the log. */
  readonly answerTo: (approvalId: string) => Promise<Reply>;
  readonly files: Files;
  /** A change that the scope refused, by its path below the worktree's root: a person is asked after the turn. */
  readonly refusedOutside: (path: string, diff: string) => void;
  readonly clock: Clock;
  readonly show: (stream: "stdout" | "stderr", text: string) => void;
  readonly spawn: (
    argv: readonly string[],
    stdin: "none" | "pipe",
    env?: Readonly<Record<string, string>>,
  ) => HostProcess;
  /** The session's secrets, as variables of its commands. */
  readonly commandVariables: () => Promise<Readonly<Record<string, string>>>;
}

export interface EffectLedger {
  /** Asks the gate and records the intent, or continues what an earlier run of the turn left. */
  readonly begin: (order: EffectOrder, call?: CallName) => Promise<Begun>;
  readonly printer: (effectId: string) => Printer;
  readonly settle: (
    effectId: string,
    outcome: "done" | "failed",
    exitCode: number | null,
    message: string | null,
  ) => Promise<void>;
  /** The name is taken at the call: a call that must prepare something takes it first. */
  readonly effect: (order: EffectOrder, act: Act, call?: CallName) => Promise<EffectResult>;
  readonly deny: (verb: string, resource: string, rules: readonly string[]) => Promise<EffectResult>;
}

/** `over`: it was refused, or an earlier run settled it; `seq` is where its output begins. */
export type Begun = { readonly effectId: string } | { readonly over: EffectResult; readonly seq: number };

export interface Printer {
  readonly print: (stream: "stdout" | "stderr", text: string) => Promise<void>;
  readonly bytes: () => number;
}

/** The effect ledger: nothing touches the world before its intent is durable, and each outcome is recorded once. */
export function createEffectLedger(scene: EffectScene): EffectLedger {
  const { committer, sessionId, turnId } = scene;
  const by = { actor: `session:${sessionId}` };
  const record = (decide: Parameters<Recorder["session"]>[1]) => committer.session(sessionId, decide, by);

  const begin: EffectLedger["begin"] = async (order, call = scene.names.take(order)) => {
    if (!isEffectKind(order.kind))
      throw new DriverError("invalid_request", `no effect may be of the kind ${order.kind.slice(0, KIND_SHOWN)}`);
    const known = scene.ledger.effect(call, { kind: order.kind, detail: committer.redactor.data(order.detail) });
    return known === null ? intend(order, call) : goOn(known, order);
  };

  const intend = async (order: EffectOrder, call: CallName): Promise<Begun> => {
    const { kind, detail, redo } = order;
    const resource = order.resource.slice(0, RESOURCE_SHOWN);
    const effectId = call.newId("effect");
    const policy = await scene.toolPolicy(kind);
    await scene.gate.refresh();
    const shown = await preview(scene.gate, order, policy);
    const judged: { verdict: ReturnType<typeof judge> | null; question: Question | null } = {
      verdict: null,
      question: null,
    };
    // Judged in the commit that records it, so that the grants cannot change in between.
    await record((state): Decision => {
      const verdict = judge(order, policy, state);
      judged.verdict = verdict;
      judged.question = verdict.verdict === "ask" ? questionAbout(order, { turnId, effectId, call }, shown) : null;
      const { rules } = verdict;
      if (verdict.verdict === "deny") return recordDenial(state, { verb: `tool.${kind}`, resource, rules, turnId });
      const { callId } = order;
      const intent = { effectId, turnId, kind, detail, redo, rules, ...(callId === undefined ? {} : { callId }) };
      return intendEffect(state, intent, committer.fence, judged.question);
    });
    if (judged.verdict?.verdict === "deny") return { over: deniedBy(judged.verdict.rules), seq: 0 };
    return judged.question === null ? { effectId } : afterAnswer(order, effectId, judged.question.approvalId);
  };

  const judge = (order: EffectOrder, policy: ToolPolicy, state: SessionState): Verdict => {
    const { kind, resource, shown, path, removes = false } = order;
    const tool = { policy, granted: state.grants.includes(`tool.${kind}`) };
    const judged = scene.gate.decide({ verb: `tool.${kind}`, resource, tool, removes });
    if (judged.verdict !== "ask") return judged;
    // Nobody can allow what they cannot read, and nobody is asked about what would be undone anyway.
    if (shown.length > LIMITS.questionChars - QUESTION_WORDS_CHARS)
      return { verdict: "deny", rules: ["question_too_long"] };
    const ground = { ...scene.ground, widened: state.widened ?? [] };
    const held = path === undefined ? [] : voicesAt(ground, locate(ground, path), "yes");
    return held.length === 0 ? judged : { verdict: "deny", rules: [...judged.rules, ...held.map(({ id }) => id)] };
  };

  /** Settled: not done again. Allowed or not yet answered: it begins when it is allowed. */
  const goOn = async ({ effectId, settled, question, seq }: KnownEffect, order: EffectOrder): Promise<Begun> => {
    if (settled !== null) return { over: { effectId, ...settled, ...(await outputOf(scene, effectId, seq)) }, seq };
    if (question === null) throw new DriverError("invalid_request", "the effect is under way", { effectId });
    return afterAnswer(order, effectId, question.asked.approvalId);
  };

  /** A yes is good for what the gate still lets through: the policy may have changed while the person thought. */
  const afterAnswer = async (order: EffectOrder, effectId: string, approvalId: string): Promise<Begun> => {
    const reply = await scene.answerTo(approvalId);
    if (!reply.approved) return { over: refused(effectId, reply.reason ?? "rejected"), seq: 0 };
    const policy = await scene.toolPolicy(order.kind);
    await scene.gate.refresh();
    let no: readonly string[] | null = null;
    await record((state): Decision => {
      const { verdict, rules } = judge(order, policy, state);
      no = verdict === "deny" ? rules : null;
      if (no === null) return beginEffect(state, effectId, committer.fence);
      const denial = { verb: `tool.${order.kind}`, resource: order.resource.slice(0, RESOURCE_SHOWN), rules, turnId };
      const end = { effectId, outcome: "refused", exitCode: null, message: deniedBy(rules).message } as const;
      return together(recordDenial(state, denial), settleEffect(state, end));
    });
    return no === null ? { effectId } : { over: { ...deniedBy(no), effectId }, seq: 0 };
  };

  const deny: EffectLedger["deny"] = async (verb, resource, rules) => {
    await record((state) => recordDenial(state, { verb, resource, rules, turnId }));
    return deniedBy(rules);
  };

  const settle: EffectLedger["settle"] = async (effectId, outcome, exitCode, message) => {
    await record((state) => settleEffect(state, { effectId, outcome, exitCode, message }));
  };

  const printer: EffectLedger["printer"] = (effectId) => {
    let bytes = 0;
    return {
      bytes: () => bytes,
      print: async (stream, text) => {
        for (const piece of piecesOf(committer.redactor.text(text))) {
          const body = await storeText(committer.keeper(sessionId, "output"), piece);
          await record((state) => recordPiece(state, { effectId, stream, body }));
          bytes += body.bytes;
        }
      },
    };
  };

  /** A failure of the action is the effect's result; a failure of the log, or an interrupt, is thrown. */
  const effect: EffectLedger["effect"] = async (order, act, call) => {
    const begun = await begin(order, call);
    if ("over" in begun) return begun.over;
    const { effectId } = begun;
    const { print, bytes } = printer(effectId);
    const acted = await act({ effectId, print }).catch(
      (thrown: unknown): Acted => ({ exitCode: null, output: "", message: explain(thrown) }),
    );
    scene.signal.throwIfAborted();
    if (bytes() === 0 && acted.output !== "") await print("stdout", acted.output);
    const outcome = acted.message === null && (acted.exitCode ?? 0) === 0 ? "done" : "failed";
    const { text } = committer.redactor;
    const message = acted.message === null ? null : text(acted.message).slice(0, MESSAGE_CHARS);
    await settle(effectId, outcome, acted.exitCode, message);
    const output = text(acted.output).slice(0, PREVIEW_CHARS);
    return { effectId, outcome, exitCode: acted.exitCode, output, outputBytes: bytes(), message };
  };

  return { begin, printer, settle, effect, deny };
}

/** Prepared before the commit that may ask, since that cannot wait for a file. */
async function preview(gate: TurnGate, order: EffectOrder, policy: ToolPolicy): Promise<QuestionDetail | null> {
  const { kind, resource, removes = false } = order;
  const { verdict } = gate.decide({ verb: `tool.${kind}`, resource, tool: { policy, granted: false }, removes });
  return verdict === "ask" ? ((await order.preview?.()) ?? null) : null;
}

function questionAbout(
  { kind, resource, shown }: EffectOrder,
  { turnId, effectId, call }: { readonly turnId: string; readonly effectId: string; readonly call: CallName },
  detail: QuestionDetail | null,
): Question {
  return {
    approvalId: call.newId("question"),
    turnId,
    question: `May this session ${kind}: ${shown}?`,
    options: ["once", ALWAYS],
    action: { verb: `tool.${kind}`, resource: resource.slice(0, RESOURCE_SHOWN) },
    effectId,
    checkpoint: call.checkpoint,
    ...(detail === null ? {} : { detail }),
  };
}

/** Room for the words around what is asked for. */
const QUESTION_WORDS_CHARS = 100;
const MESSAGE_CHARS = 2000;
const KIND_SHOWN = 40;
/** Of a resource in the log: it is judged whole. */
const RESOURCE_SHOWN = 4096;

function refused(effectId: string, message: string): EffectResult {
  return { effectId, outcome: "refused", exitCode: null, output: "", outputBytes: 0, message };
}

/** It was never intended, so it has no id. */
function deniedBy(rules: readonly string[]): EffectResult {
  return refused("", `denied: ${rules.join(", ")}`);
}

function explain(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const code = thrown instanceof Error && "code" in thrown ? `${String(thrown.code)}: ` : "";
  return `${message.startsWith(code) ? "" : code}${message}`;
}
