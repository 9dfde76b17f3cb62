import { NomosError } from "../../contract/index.ts";
import {
  addCustom,
  answerApproval,
  askApproval,
  completeMessage,
  fact,
  isCustomType,
  type Json,
  LIMITS,
  type Question,
  recordDenial,
  recordDriver,
  replaceTodo,
  type SessionSpec,
  type SessionState,
  writeArtifact,
} from "../../kernel/index.ts";
import type { TurnPort } from "../driver.ts";
import type { AskedAction, Permits, Reply } from "../questions.ts";
import { createEffects, type EffectScene } from "./effect-ledger.ts";
import { keepWhole, storeText } from "./texts.ts";
import { startTurnProcess } from "./turn-process.ts";

export interface PortScene extends Omit<EffectScene, "checkpoint" | "adopt" | "cwd"> {
  readonly spec: SessionSpec;
  readonly prompt: string;
  /** Set when the turn goes on after a restart: the question it waits on. */
  readonly resumed: Question | null;
  readonly frame: (source: "message" | "stdout" | "stderr", text: string) => void;
  readonly hostProcess: TurnPort["host"];
  readonly past: TurnPort["past"];
  readonly settings: TurnPort["settings"];
  readonly attachments: TurnPort["attachments"];
  readonly permits: Permits;
  /** Null: a question waits as long as it takes. */
  readonly answerWithinMs: () => number | null;
}

/** A turn's port: what a driver may do, each thing decided by the kernel and durable when it resolves. */
export function createTurnPort(scene: PortScene): TurnPort {
  const { sessionId, turnId, committer, spec, signal } = scene;
  const by = { actor: `session:${sessionId}` };
  let checkpoint: Json = scene.resumed?.checkpoint ?? null;
  let resumed = scene.resumed;
  const adopt = (): Question | null => {
    const question = resumed;
    resumed = null;
    return question;
  };
  const effectScene: EffectScene = { ...scene, cwd: spec.cwd, checkpoint: () => checkpoint, adopt };
  const effects = createEffects(effectScene);

  const ask = async (text: string, options: readonly string[], action: AskedAction | null): Promise<Reply> => {
    const adopted = adopt();
    if (adopted !== null) return scene.waitFor(adopted.approvalId);
    // Cut short it would be another question: nobody can allow what they cannot read.
    if (text.length > LIMITS.questionChars)
      return { approved: false, reason: `the question is longer than ${LIMITS.questionChars} characters` };
    const question: Question = {
      approvalId: scene.newId(),
      turnId,
      question: text,
      options: options.slice(0, LIMITS.optionsMax).map((option) => option.slice(0, LIMITS.optionChars)),
      action,
      effectId: null,
      checkpoint,
    };
    const waiting = scene.waitFor(question.approvalId);
    waiting.catch(() => undefined);
    await committer.session(sessionId, (state) => askApproval(state, question), by);
    const withinMs = scene.answerWithinMs();
    if (withinMs === null) return waiting;
    const stopTimer = scene.clock.after(withinMs, () => void giveUp(question.approvalId));
    return waiting.finally(stopTimer);
  };

  /** Nobody answered: that is a no, and stands in the log as one. */
  const giveUp = async (approvalId: string): Promise<void> => {
    const no = { status: "rejected", reason: "nobody answered in time" } as const;
    const decide = (state: SessionState) => answerApproval(state, approvalId, no);
    await committer.session(sessionId, decide, { actor: "daemon" }).catch((thrown: unknown) => {
      // Somebody was quicker, or the turn is over.
      if (!(thrown instanceof NomosError)) throw thrown;
    });
  };

  const finishMessage = async (text: string, role: "assistant" | "thought"): Promise<void> => {
    const body = await storeText(committer.keeper(sessionId, "output"), text);
    await committer.session(sessionId, (state) => completeMessage(state, { turnId, role, body }), by);
  };
  const denied: TurnPort["noteDenial"] = async (denial) => {
    await committer.session(sessionId, (state) => recordDenial(state, { ...denial, turnId }), by);
  };

  const warn = async (title: string, text: string): Promise<void> => {
    const body = await storeText(committer.keeper(sessionId, "output"), text);
    const noticed = fact("driver.noticed@1", { turnId, severity: "warning", title, body });
    await committer.session(sessionId, (state) => recordDriver(state, turnId, [noticed]), by);
  };

  return {
    sessionId,
    turnId,
    spec,
    prompt: scene.prompt,
    signal,
    checkpoint: scene.resumed?.checkpoint ?? null,
    reach: (reached) => {
      checkpoint = reached;
    },
    say: async (text, role = "assistant") => {
      if (role === "assistant") scene.frame("message", text);
      await finishMessage(text, role);
    },
    finishMessage,
    stream: (text) => scene.frame("message", text),
    run: effects.run,
    write: effects.write,
    read: (path) => scene.files.read(spec.cwd, path, LIMITS.artifactBytes),
    sleep: (ms) => scene.clock.sleep(ms, signal),
    start: (argv) => startTurnProcess(effectScene, effects, argv),
    ask: (text, options, action) => ask(text, options, action ?? null),
    permit: (wish) => scene.permits(wish, ask, denied, warn),
    noteDenial: denied,
    past: scene.past,
    settings: scene.settings,
    attachments: scene.attachments,
    record: async (facts) => {
      await committer.session(sessionId, (state) => recordDriver(state, turnId, facts), by);
    },
    keep: (text) => storeText(committer.keeper(sessionId, "output"), text),
    artifact: async (path, bytes, mediaType) => {
      const input = {
        path,
        newArtifactId: scene.newId(),
        blob: await keepWhole(committer.keeper(sessionId, "course"), bytes),
        bytes: bytes.length,
        mediaType,
        turnId,
      };
      const { events } = await committer.session(sessionId, (state) => writeArtifact(state, input), by);
      return writtenArtifact(events[0]?.data);
    },
    todo: async (items) => {
      await committer.session(sessionId, (state) => replaceTodo(state, items, turnId), by);
    },
    event: async (name, payload) => {
      const type = `x.${name}@1`;
      if (!isCustomType(type)) throw new NomosError("invalid_request", { name });
      await committer.session(sessionId, (state) => addCustom(state, turnId, [{ type, payload }]), by);
    },
    host: scene.hostProcess,
  };
}

export function writtenArtifact(data: Json | undefined): { readonly artifactId: string; readonly version: number } {
  if (typeof data === "object" && data !== null && "artifactId" in data && typeof data["version"] === "number")
    return { artifactId: String(data["artifactId"]), version: data["version"] };
  throw new NomosError("internal", { reason: "no artifact was written" });
}
