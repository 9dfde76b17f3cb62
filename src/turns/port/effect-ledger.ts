import { type Clock, type Files, HostError, type HostProcess, shellQuoted } from "../../host/index.ts";
import {
  ALWAYS,
  beginEffect,
  decideGate,
  type EffectKind,
  intendEffect,
  type Json,
  LIMITS,
  type Policy,
  type Question,
  type RedoClass,
  recordDenial,
  recordOutput as recordPiece,
  settleEffect,
  type ToolPolicy,
} from "../../kernel/index.ts";
import type { EffectResult } from "../effects.ts";
import type { Reply } from "../questions.ts";
import type { Recorder } from "../recorder.ts";
import { recordOutput } from "./output-recorder.ts";
import { storeText } from "./texts.ts";

/** What a turn's effects need to know and to reach. */
export interface EffectScene {
  readonly sessionId: string;
  readonly turnId: string;
  readonly cwd: string;
  readonly committer: Recorder;
  readonly newId: () => string;
  readonly policy: Policy;
  readonly toolPolicy: (tool: string) => ToolPolicy;
  readonly signal: AbortSignal;
  readonly checkpoint: () => Json;
  /** A question that an earlier run of this turn has put already. */
  readonly adopt: () => Question | null;
  readonly waitFor: (approvalId: string) => Promise<Reply>;
  readonly files: Files;
  readonly clock: Clock;
  readonly show: (stream: "stdout" | "stderr", text: string) => void;
  readonly spawn: (argv: readonly string[], stdin: "none" | "pipe") => HostProcess;
}

export interface Effects {
  readonly run: (command: string) => Promise<EffectResult>;
  readonly write: (path: string, text: string) => Promise<EffectResult>;
  /** Asks the gate and records the intent; null effect id means refused. */
  readonly begin: (kind: EffectKind, detail: Json, about: About, redo: RedoClass) => Promise<Begun>;
  readonly record: (effectId: string, stream: "stdout" | "stderr", text: string) => Promise<null>;
  readonly settle: (
    effectId: string,
    outcome: "done" | "failed",
    exitCode: number | null,
    message: string | null,
  ) => Promise<void>;
}

/** What an effect touches: by the name that rules know it by, and in full for the person who is asked. */
interface About {
  readonly resource: string;
  readonly shown: string;
}

type Begun = { readonly effectId: string } | { readonly refused: EffectResult };

/** The effect ledger: nothing touches the world before its intent is durable, and each outcome is recorded once. */
export function createEffects(scene: EffectScene): Effects {
  const { committer, sessionId, turnId } = scene;
  const by = { actor: `session:${sessionId}` };

  const begin: Effects["begin"] = async (kind, detail, { resource, shown }, redo) => {
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
    // Nobody can allow what they cannot read.
    if (verdict === "ask" && shown.length > LIMITS.questionChars - QUESTION_WORDS_CHARS)
      return deny(verb, resource, ["question_too_long"]);
    const effectId = scene.newId();
    const intent = { effectId, turnId, kind, detail, redo, rules };
    const question = verdict === "ask" ? putQuestion(effectId, verb, { resource, shown }) : null;
    await committer.session(sessionId, (state) => intendEffect(state, intent, committer.fence, question), by);
    return question === null ? { effectId } : afterAnswer(effectId, question.approvalId);
  };

  const putQuestion = (effectId: string, verb: string, { resource, shown }: About): Question => ({
    approvalId: scene.newId(),
    turnId,
    question: `May this session ${verb.slice("tool.".length)}: ${shown}?`,
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
    const body = await storeText(committer.keeper(sessionId, "output"), text);
    await committer.session(sessionId, (state) => recordPiece(state, { effectId, stream, body }), by);
    return null;
  };

  /** What goes wrong in the world is a result of the effect; what goes wrong in the log, or an interruption, goes on up. */
  const carryOut = async (effectId: string, act: () => Promise<Acted>): Promise<EffectResult> => {
    const acted = await act().catch(
      (thrown: unknown): Acted => ({ exitCode: null, output: "", message: explain(thrown) }),
    );
    scene.signal.throwIfAborted();
    const outcome = acted.message === null && (acted.exitCode ?? 0) === 0 ? "done" : "failed";
    await settle(effectId, outcome, acted.exitCode, acted.message);
    return { effectId, outcome, ...acted };
  };

  const run = async (command: string): Promise<EffectResult> => {
    const resource = `command/${command.replaceAll("/", "∕").slice(0, COMMAND_SHOWN)}`;
    const begun = await begin("run", { command }, { resource, shown: command }, "ask");
    if ("refused" in begun) return begun.refused;
    const { effectId } = begun;
    return carryOut(effectId, async () => {
      await using process = scene.spawn(["sh", "-c", command], "none");
      const sinks = {
        show: scene.show,
        record: (stream: "stdout" | "stderr", text: string) => record(effectId, stream, text),
      };
      const output = await recordOutput(process, sinks, scene.clock);
      const { exitCode, signal, failure } = await process.exited;
      if (failure !== undefined) throw failure;
      return { exitCode, output, message: exitCode === null ? `ended by ${signal ?? "a signal"}` : null };
    });
  };

  const write = async (path: string, text: string): Promise<EffectResult> => {
    const place = placeOf(path);
    if (place === null) return (await deny("tool.write", `path/${path}`, ["path_outside"])).refused;
    const body = await storeText(committer.keeper(sessionId, "course"), text);
    const begun = await begin(
      "write",
      { path, ...body },
      { resource: `path/${place}`, shown: shellQuoted(place) },
      "safe",
    );
    if ("refused" in begun) return begun.refused;
    return carryOut(begun.effectId, async () => {
      await scene.files.write(scene.cwd, path, text);
      return { exitCode: null, output: "", message: null };
    });
  };

  const placeOf = (path: string): string | null => {
    try {
      return scene.files.place(scene.cwd, path);
    } catch (thrown) {
      if (thrown instanceof HostError && thrown.code === "path_outside") return null;
      throw thrown;
    }
  };

  return { run, write, begin, record, settle };
}

const COMMAND_SHOWN = 500;
/** Room for the words around what is asked for. */
const QUESTION_WORDS_CHARS = 100;
const MESSAGE_CHARS = 2000;

interface Acted {
  readonly exitCode: number | null;
  readonly output: string;
  readonly message: string | null;
}

function explain(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const code = thrown instanceof Error && "code" in thrown ? `${String(thrown.code)}: ` : "";
  return `${message.startsWith(code) ? "" : code}${message}`.slice(0, MESSAGE_CHARS);
}
