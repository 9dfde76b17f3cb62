import { mkdir } from "node:fs/promises";
import { dirname, relative } from "node:path";
import { NomosError, toNomosError } from "../contract/index.ts";
import type { EffectResult, Reply } from "../drivers/index.ts";
import { confinePath, HostError, type HostProcess, writeFileAtomic } from "../host/index.ts";
import {
  ALWAYS,
  beginEffect,
  decideGate,
  type EffectKind,
  intendEffect,
  type Json,
  type Policy,
  type Question,
  type RedoClass,
  recordDenial,
  recordOutput as recordPiece,
  settleEffect,
  type ToolPolicy,
} from "../kernel/index.ts";
import type { Store } from "../store/index.ts";
import type { Committer } from "./committer.ts";
import { recordOutput } from "./output-recorder.ts";
import { storeText } from "./texts.ts";

/** What a turn's effects need to know and to reach. */
export interface EffectScene {
  readonly sessionId: string;
  readonly turnId: string;
  readonly cwd: string;
  readonly store: Store;
  readonly committer: Committer;
  readonly newId: () => string;
  readonly policy: Policy;
  readonly toolPolicy: (tool: string) => ToolPolicy;
  readonly signal: AbortSignal;
  readonly checkpoint: () => Json;
  /** A question that an earlier run of this turn has put already. */
  readonly adopt: () => Question | null;
  readonly waitFor: (approvalId: string) => Promise<Reply>;
  readonly show: (stream: "stdout" | "stderr", text: string) => void;
  readonly spawn: (argv: readonly string[], stdin: "none" | "pipe") => HostProcess;
}

export interface Effects {
  readonly run: (command: string) => Promise<EffectResult>;
  readonly write: (path: string, text: string) => Promise<EffectResult>;
  /** Asks the gate and records the intent; null effect id means refused. */
  readonly begin: (kind: EffectKind, detail: Json, resource: string, redo: RedoClass) => Promise<Begun>;
  readonly record: (effectId: string, stream: "stdout" | "stderr", text: string) => Promise<null>;
  readonly settle: (
    effectId: string,
    outcome: "done" | "failed",
    exitCode: number | null,
    message: string | null,
  ) => Promise<void>;
}

type Begun = { readonly effectId: string } | { readonly refused: EffectResult };

/** The effect ledger: nothing touches the world before its intent is durable, and each outcome is recorded once. */
export function createEffects(scene: EffectScene): Effects {
  const { committer, sessionId, turnId } = scene;
  const by = { actor: `session:${sessionId}` };

  const begin = async (kind: EffectKind, detail: Json, resource: string, redo: RedoClass): Promise<Begun> => {
    const verb = `tool.${kind}`;
    const adopted = scene.adopt();
    if (adopted?.effectId != null) return afterAnswer(adopted.effectId, adopted.approvalId);
    const { grants } = await committer.sessionState(sessionId);
    const actor = { principal: by.actor, capabilities: ["tool.*"], sessionId };
    const tool = { policy: scene.toolPolicy(kind), granted: grants.includes(verb) };
    const { verdict, rules } = decideGate(
      actor,
      { verb, resource: `session/${sessionId}/${resource}`, tool },
      scene.policy,
    );
    if (verdict === "deny") return deny(verb, resource, rules);
    const effectId = scene.newId();
    const intent = { effectId, turnId, kind, detail, redo, rules };
    const question = verdict === "ask" ? putQuestion(effectId, verb, resource) : null;
    await committer.session(sessionId, (state) => intendEffect(state, intent, committer.fence, question), by);
    return question === null ? { effectId } : afterAnswer(effectId, question.approvalId);
  };

  const putQuestion = (effectId: string, verb: string, resource: string): Question => ({
    approvalId: scene.newId(),
    turnId,
    question: `May this session ${verb.slice("tool.".length)}: ${resource}?`,
    options: ["once", ALWAYS],
    action: { verb, resource },
    effectId,
    checkpoint: scene.checkpoint(),
  });

  const afterAnswer = async (effectId: string, approvalId: string): Promise<Begun> => {
    const reply = await scene.waitFor(approvalId);
    if (reply.approved) {
      await committer.session(sessionId, (state) => beginEffect(state, effectId, committer.fence), by);
      return { effectId };
    }
    const message = reply.reason ?? "rejected";
    return { refused: { effectId, outcome: "refused", exitCode: null, output: "", message } };
  };

  const deny = async (
    verb: string,
    resource: string,
    rules: readonly string[],
  ): Promise<{ readonly refused: EffectResult }> => {
    await committer.session(sessionId, (state) => recordDenial(state, { verb, resource, rules, turnId }), by);
    return {
      refused: { effectId: "", outcome: "refused", exitCode: null, output: "", message: `denied: ${rules.join(", ")}` },
    };
  };

  const settle: Effects["settle"] = async (effectId, outcome, exitCode, message) => {
    await committer.session(sessionId, (state) => settleEffect(state, { effectId, outcome, exitCode, message }), by);
  };

  const record: Effects["record"] = async (effectId, stream, text) => {
    const body = await storeText(scene.store, text);
    await committer.session(sessionId, (state) => recordPiece(state, { effectId, stream, body }), by);
    return null;
  };

  const run = async (command: string): Promise<EffectResult> => {
    const begun = await begin(
      "run",
      { command },
      `command/${command.replaceAll("/", "∕").slice(0, COMMAND_SHOWN)}`,
      "ask",
    );
    if ("refused" in begun) return begun.refused;
    const { effectId } = begun;
    try {
      await using process = scene.spawn(["sh", "-c", command], "none");
      const output = await recordOutput(process, {
        show: scene.show,
        record: (stream, text) => record(effectId, stream, text),
      });
      const { exitCode, failure } = await process.exited;
      if (failure !== undefined) throw failure;
      const outcome = exitCode === 0 ? "done" : "failed";
      scene.signal.throwIfAborted();
      await settle(effectId, outcome, exitCode, null);
      return { effectId, outcome, exitCode, output, message: null };
    } catch (thrown) {
      return failed(effectId, thrown);
    }
  };

  const write = async (path: string, text: string): Promise<EffectResult> => {
    const target = confined(path);
    if (target === null) return (await deny("tool.write", `path/${path}`, ["path_outside"])).refused;
    const body = await storeText(scene.store, text);
    const begun = await begin("write", { path, body: { ...body } }, `path/${relative(scene.cwd, target)}`, "safe");
    if ("refused" in begun) return begun.refused;
    const { effectId } = begun;
    try {
      await mkdir(dirname(target), { recursive: true });
      await writeFileAtomic(confinePath(scene.cwd, path), Buffer.from(text));
      await settle(effectId, "done", null, null);
      return { effectId, outcome: "done", exitCode: null, output: "", message: null };
    } catch (thrown) {
      return failed(effectId, thrown);
    }
  };

  /** An effect that failed is a result, not the end of the turn; only an interruption goes on up. */
  const failed = async (effectId: string, thrown: unknown): Promise<EffectResult> => {
    scene.signal.throwIfAborted();
    const error = toNomosError(thrown);
    if (error.code === "internal" || error.code === "turn_ended" || error.code === "session_ended") throw thrown;
    const message = `${error.code}: ${thrown instanceof Error ? thrown.message : error.message}`;
    await settle(effectId, "failed", null, message);
    return { effectId, outcome: "failed", exitCode: null, output: "", message };
  };

  const confined = (path: string): string | null => {
    try {
      return confinePath(scene.cwd, path);
    } catch (thrown) {
      if (thrown instanceof HostError && thrown.code === "path_outside") return null;
      throw thrown instanceof HostError ? new NomosError("path_invalid", { path }) : thrown;
    }
  };

  return { run, write, begin, record, settle };
}

const COMMAND_SHOWN = 500;
