import { NomosError } from "../../contract/index.ts";
import type { Policy, ToolPolicy } from "../../domains/index.ts";
import type { Clock, Files } from "../../host/index.ts";
import {
  addCustom,
  completeMessage,
  dataIn,
  isCustomType,
  LIMITS,
  recordDriver,
  replaceTodo,
  SESSION_EVENTS,
  type SessionState,
  together,
  writeArtifact,
} from "../../kernel/index.ts";
import type { RecordedEvent, Store } from "../../store/index.ts";
import type { TurnPort } from "../driver.ts";
import type { TurnIdentity } from "../identity.ts";
import type { Ground } from "../permission/ground.ts";
import { createTurnGate } from "../permission/turn-gate.ts";
import type { Permits } from "../questions.ts";
import type { Recorder } from "../recorder.ts";
import type { TurnRecording } from "../recording.ts";
import type { SessionLaw } from "../session-law.ts";
import type { ApprovalWaiters } from "./approval-waiters.ts";
import { createCallNames } from "./call-names.ts";
import { createEffectLedger, type EffectScene } from "./effect-ledger.ts";
import { outputOf, readOutput } from "./effect-output.ts";
import { keyNotices } from "./key-notices.ts";
import { createMessageFrames, type MessageFrames } from "./message-frames.ts";
import { createReads } from "./reads.ts";
import { keepWhole, storeText } from "./texts.ts";
import { createTools } from "./tools.ts";
import { NO_LEDGER, readTurnLedger } from "./turn-ledger.ts";
import { startTurnProcess } from "./turn-process.ts";
import { createTurnQuestions } from "./turn-questions.ts";
import { createTurnSteps } from "./turn-steps.ts";

export interface PortScene extends Omit<TurnIdentity, "checkpoint" | "resumed" | "reach"> {
  readonly store: Store;
  readonly committer: Recorder;
  readonly newId: () => string;
  readonly clock: Clock;
  readonly files: Files;
  readonly policy: () => Policy;
  readonly law?: Pick<SessionLaw, "refresh"> | undefined;
  readonly ground: Omit<Ground, "widened">;
  readonly toolPolicy: (tool: string) => Promise<ToolPolicy>;
  readonly permits: Permits;
  readonly waiters: Pick<ApprovalWaiters, "wait" | "waitOrRead">;
  /** Null: a question may wait without a limit. */
  readonly answerWithinMs: () => number | null;
  readonly frame: (source: "message" | "thought" | "stdout" | "stderr", text: string) => void;
  readonly spawn: EffectScene["spawn"];
  readonly refusedOutside: EffectScene["refusedOutside"];
  readonly commandVariables: EffectScene["commandVariables"];
  readonly hostProcess: TurnPort["host"];
}

/** A turn's port: what a driver may do, each call decided by the kernel and durable when it resolves. */
export async function createTurnPort(scene: PortScene): Promise<TurnPort> {
  const { sessionId, turnId, spec, signal, store, waiters } = scene;
  const ledger = scene.isResumed ? await readTurnLedger(store, sessionId, turnId) : NO_LEDGER;
  const names = createCallNames(turnId, scene.newId);
  const checkpoint = ledger.open[0]?.checkpoint ?? null;
  names.reach(checkpoint);
  const shared = {
    ...scene,
    cwd: spec.cwd,
    names,
    ledger,
    show: scene.frame,
    gate: createTurnGate(scene),
    waitFor: (approvalId: string, unneeded: AbortSignal) =>
      waiters.wait(approvalId, AbortSignal.any([signal, unneeded])),
    answerTo: (approvalId: string) => waiters.waitOrRead({ sessionId, turnId, approvalId }, signal),
  };
  const effects = createEffectLedger(shared);
  const frames = createMessageFrames(scene.committer.redactor, scene.frame);
  return {
    ...createRecording(scene, frames),
    ...createTurnQuestions(shared),
    ...createTools(shared, effects),
    ...createReads(shared, effects),
    ...createTurnSteps({ ...scene, frames }),
    sessionId,
    turnId,
    spec,
    prompt: scene.prompt,
    isOnTicket: scene.isOnTicket,
    attachments: scene.attachments,
    settings: scene.settings,
    past: scene.past,
    secretVariables: scene.secretVariables,
    signal,
    isResumed: scene.isResumed,
    checkpoint,
    resumed: ledger.open,
    reach: names.reach,
    start: (argv, place) => startTurnProcess(shared, effects, argv, place),
    effect: (order, act) => effects.effect(order, act),
    known: async (key) => {
      const found = ledger.at(names.tailOf(key));
      if (found === null) return null;
      const { effectId, settled, seq, isUnknown } = found;
      if (settled === null) return { result: null, isUnknown };
      return { result: { effectId, ...settled, ...(await outputOf(shared, effectId, seq)) }, isUnknown };
    },
    output: (effectId, page = {}) => readOutput(shared, effectId, page),
    read: (path) => scene.files.read(spec.cwd, path, LIMITS.artifactBytes),
    sleep: (ms, unneeded) =>
      scene.clock.sleep(ms, unneeded === undefined ? signal : AbortSignal.any([signal, unneeded])),
    host: scene.hostProcess,
  };
}

function createRecording(scene: PortScene, frames: MessageFrames): TurnRecording {
  const { sessionId, turnId, committer } = scene;
  const { redactor } = committer;
  const by = { actor: `session:${sessionId}` };
  const finishMessage = async (text: string, role: "assistant" | "thought"): Promise<void> => {
    frames.end(role);
    const body = await storeText(committer.keeper(sessionId, "output"), text);
    await committer.session(sessionId, (state) => completeMessage(state, { turnId, role, body }), by);
  };
  return {
    finishMessage,
    say: async (text, role = "assistant") => {
      if (role === "assistant") frames.push(text);
      await finishMessage(text, role);
    },
    stream: frames.push,
    record: async (facts) => {
      frames.endWith(facts);
      const { events } = await committer.session(sessionId, (state) => recordDriver(state, turnId, facts), by);
      return events.map(({ id, seq, at }) => ({ id, seq, at }));
    },
    redactor,
    keepBytes: async (bytes) => (await keepWhole(committer.keeper(sessionId, "output"), bytes)).blob,
    keep: (text) => storeText(committer.keeper(sessionId, "output"), text),
    artifact: async (path, bytes, mediaType) => {
      const input = {
        path,
        newArtifactId: scene.newId(),
        ...(await keepWhole(committer.keeper(sessionId, "course"), bytes)),
        mediaType,
        turnId,
      };
      const notices = keyNotices(redactor, input, bytes);
      const write = (state: SessionState) =>
        together(writeArtifact(state, input), recordDriver(state, turnId, notices));
      const { events } = await committer.session(sessionId, write, by);
      return writtenArtifact(events);
    },
    todo: async (items) => {
      await committer.session(sessionId, (state) => replaceTodo(state, items, turnId), by);
    },
    event: async (name, payload) => {
      const type = `x.${name}@1`;
      if (!isCustomType(type)) throw new NomosError("invalid_request", { name });
      await committer.session(sessionId, (state) => addCustom(state, turnId, [{ type, payload }]), by);
    },
  };
}

export function writtenArtifact(events: readonly RecordedEvent[]): {
  readonly artifactId: string;
  readonly version: number;
} {
  const written = dataIn(SESSION_EVENTS, events, "artifact.written@1");
  if (written === null) throw new NomosError("internal", { reason: "no artifact was written" });
  return { artifactId: written.artifactId, version: written.version };
}
