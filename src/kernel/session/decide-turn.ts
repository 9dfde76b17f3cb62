import type { Decision } from "../definitions/aggregate.ts";
import type { CustomFact } from "../definitions/event.ts";
import type { TextOrBlob } from "../event-parts.ts";
import type { Json } from "../json.ts";
import { LIMITS } from "../limits.ts";
import { ownEntry } from "../own-entry.ts";
import { type Refusal, refuse } from "../refusal.ts";
import { cancelQueue, closeTurn, isBusy } from "./decide-life.ts";
import { type Fact, fact } from "./events.ts";
import { isEnded, nextArtifactVersion, type SessionState } from "./state.ts";
import type { TodoItem } from "./view.ts";

/** Admission is separate from execution: durable before it is answered. A busy session only queues a prompt. */
export function admitTurn(
  state: SessionState,
  input: { readonly turnId: string; readonly prompt: TextOrBlob; readonly queue: boolean },
): Decision {
  if (isEnded(state)) return refuse("session_ended", { id: state.id, state: state.phase.at });
  const queued = isBusy(state) || state.phase.at === "suspended";
  if (queued && !input.queue)
    return refuse(state.phase.at === "suspended" ? "session_suspended" : "session_busy", { id: state.id });
  if (state.queue.length >= LIMITS.queuedTurnsMax) return refuse("queue_full", { queued: state.queue.length });
  return [admitted(state, input.turnId, input.prompt, queued)];
}

function admitted(state: SessionState, turnId: string, { text, blob, bytes }: TextOrBlob, queued: boolean): Fact {
  const isFirst = state.turnsEnded + state.queue.length === 0 && state.phase.at !== "busy";
  const title = isFirst && state.title === undefined ? titleIn(text) : "";
  return fact("turn.admitted@1", { turnId, prompt: text, blob, bytes, queued, ...(title === "" ? {} : { title }) });
}

/** The first line, cut between characters. */
function titleIn(prompt: string): string {
  const line = [...(prompt.trim().split("\n", 1)[0]?.trim() ?? "")];
  return line.length <= TITLE_CHARS
    ? line.join("")
    : `${line
        .slice(0, TITLE_CHARS - 1)
        .join("")
        .trimEnd()}…`;
}

const TITLE_CHARS = 80;

/** A turn driven from outside: admitted and started in one append, since it already runs. */
export function beginTurn(
  state: SessionState,
  input: { readonly turnId: string; readonly prompt: TextOrBlob },
): Decision {
  if (isEnded(state)) return refuse("session_ended", { id: state.id, state: state.phase.at });
  if (isBusy(state)) return refuse("turn_open", { id: state.id });
  if (state.phase.at === "suspended") return refuse("session_suspended", { id: state.id });
  const ready = state.phase.at === "starting" ? [fact("session.started@1", { continuity: "fresh" })] : [];
  const awake = state.phase.at === "hibernated" ? [fact("session.woken@1", { continuity: "native" })] : [];
  const admission = admitted(state, input.turnId, input.prompt, false);
  return [...ready, ...awake, admission, fact("turn.started@1", { turnId: input.turnId })];
}

/** Starts the next turn in order of arrival; no facts when there is none or the session is not free. */
export function startNextTurn(state: SessionState): Decision {
  const next = state.queue[0];
  if (next === undefined || state.phase.at !== "idle" || state.restoring !== undefined) return [];
  return [fact("turn.started@1", { turnId: next.turnId })];
}

/** A turn with nothing before it is admitted and started in one append. */
export function startIfFree(state: SessionState, admission: Decision, turnId: string): Decision {
  if ("refused" in admission || state.phase.at !== "idle" || isBusy(state)) return admission;
  return [...admission, fact("turn.started@1", { turnId })];
}

/**
 * The request is a fact of its own; the turn's end follows when the driver has stopped. It targets the turn that the
 * session is busy with: the running one, or the one about to start.
 */
export function requestInterrupt(state: SessionState): Decision {
  const turnId = state.phase.at === "busy" ? state.phase.turnId : isBusy(state) ? state.queue[0]?.turnId : undefined;
  return turnId === undefined ? [] : [fact("turn.interrupt_requested@1", { turnId })];
}

export function endTurn(
  state: SessionState,
  input: {
    readonly turnId: string;
    readonly outcome: "completed" | "failed" | "interrupted";
    readonly error: { readonly code: string; readonly message: string } | null;
    /** Its driver wants it recorded when nothing is left to do. */
    readonly settles?: boolean;
  },
): Decision {
  const { turnId, outcome, error } = input;
  if (isEnded(state)) return refuse("session_ended", { id: state.id, state: state.phase.at });
  const off = notRunning(state, turnId);
  if (off !== null) return off;
  const closed = closeTurn(state, turnId, outcome, error, "cancelled");
  const isLast = state.queue.length === 0 && (outcome !== "completed" || state.steers === undefined);
  return input.settles === true && isLast ? [...closed, fact("turn.settled@1", { turnId })] : closed;
}

/** The agent never started: its first turn fails, and the session ends in error. */
export function endStillborn(
  state: SessionState,
  turn: Parameters<typeof endTurn>[1] & { readonly error: { readonly code: string; readonly message: string } },
): Decision {
  const last = endTurn(state, turn);
  return "refused" in last ? last : [...last, ...cancelQueue(state), fact("session.failed@1", turn.error)];
}

export function completeMessage(
  state: SessionState,
  input: { readonly turnId: string; readonly role: "assistant" | "thought"; readonly body: TextOrBlob },
): Decision {
  return (
    notRunning(state, input.turnId) ?? [
      fact("message.completed@1", { turnId: input.turnId, role: input.role, ...input.body }),
    ]
  );
}

export function writeArtifact(
  state: SessionState,
  input: {
    readonly path: string;
    readonly newArtifactId: string;
    readonly blob: string;
    readonly bytes: number;
    readonly mediaType: string;
    readonly turnId: string | null;
  },
): Decision {
  const off = unwritable(state, input.turnId);
  if (off !== null) return off;
  const { path, newArtifactId, ...content } = input;
  const before = ownEntry(state.view.artifacts, path);
  if (before === undefined && Object.keys(state.view.artifacts).length >= LIMITS.artifactPathsMax)
    return refuse("artifact_limit", { max: LIMITS.artifactPathsMax });
  const artifactId = before?.artifactId ?? newArtifactId;
  const version = before === undefined ? 1 : nextArtifactVersion(state, before);
  return [fact("artifact.written@1", { path, artifactId, version, ...content })];
}

export function replaceTodo(state: SessionState, items: readonly TodoItem[], turnId: string | null): Decision {
  const off = unwritable(state, turnId);
  if (off !== null) return off;
  if (items.length > LIMITS.todoItemsMax) return refuse("todo_limit", { max: LIMITS.todoItemsMax });
  return [fact("todo.replaced@1", { items, turnId })];
}

/** Custom facts. Outside a turn they are always accepted; inside one only while it runs. */
export function addCustom(
  state: SessionState,
  turnId: string | null,
  items: readonly { readonly type: CustomFact["type"]; readonly payload: Json }[],
): Decision {
  const off = unwritable(state, turnId);
  return off ?? items.map(({ type, payload }): CustomFact => ({ type, data: { turnId, payload } }));
}

/** Null when that turn is running; otherwise why not. */
export function notRunning(state: SessionState, turnId: string): Refusal | null {
  if (state.phase.at === "busy" && state.phase.turnId === turnId) return null;
  if (state.queue.some((turn) => turn.turnId === turnId)) return refuse("turn_not_running", { turnId });
  const past = state.recentTurns.find((turn) => turn.turnId === turnId);
  return past === undefined ? refuse("turn_not_found", { turnId }) : refuse("turn_ended", { ...past });
}

/** Null when the session, and the turn if named, still takes facts; otherwise why not. */
export function unwritable(state: SessionState, turnId: string | null): Refusal | null {
  if (isEnded(state)) return refuse("session_ended", { id: state.id, state: state.phase.at });
  return turnId === null ? null : notRunning(state, turnId);
}
