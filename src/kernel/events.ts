import { DRIVER_EVENT_TYPES, type DriverEventMap } from "./driver-events.ts";
import type { Continuity, TextOrBlob } from "./event-parts.ts";
import type { Json } from "./json.ts";
import type { ArchiveRef, BackedUp, Collected, Restored } from "./keeping.ts";
import type { Artifact, TodoItem, View } from "./session/view.ts";
import { WORKTREE_EVENT_TYPES, type WorktreeEventMap } from "./worktree-events.ts";
import { WORLD_EVENT_TYPES, type WorldEventMap } from "./world-events.ts";

/** What a session is and where it works; fixed at birth, inherited by forks. */
export interface SessionSpec {
  readonly name: string;
  readonly adapter: string;
  readonly agent: string;
  readonly workspace: string;
  readonly ground: string;
  readonly cwd: string;
  readonly sandbox: SandboxMode;
  readonly scope: { readonly allow: readonly string[]; readonly deny: readonly string[] } | null;
  readonly network: { readonly allow: readonly string[] } | null;
  readonly parentSessionId: string | null;
  readonly depth: number;
  /** A user's TypeScript file, for the script driver. */
  readonly file: string | null;
  /** An agent that somebody else started, known by pid and start time. */
  readonly external: { readonly pid: number; readonly startTime: string } | null;
  /** The agents that it may start sessions of. Absent when nobody said which agent it works as: it may start none. */
  readonly delegates?: readonly string[];
}

export type SandboxMode = "off" | "warn" | "enforce" | "strict";

export interface Question {
  readonly approvalId: string;
  readonly turnId: string;
  readonly question: string;
  readonly options: readonly string[];
  /** What is asked for, when the gate put the question. */
  readonly action: { readonly verb: string; readonly resource: string } | null;
  readonly effectId: string | null;
  /** The driver's own note of where to go on after a restart; null: the turn cannot outlive the daemon. */
  readonly checkpoint: Json;
}

export type TurnOutcome = "completed" | "failed" | "interrupted" | "cancelled";
/** The tool that an effect is had by: `run`, `write`, `process`, or one that an engine brings. The gate's verb is `tool.<kind>`. */
export type EffectKind = string;
/** What may be done with an effect that a crash cut: run it again, ask a person, or call it failed. */
export type RedoClass = "safe" | "ask" | "failed";
export type EffectOutcome = "done" | "failed" | "refused" | "unknown";

/** Every fact there is. A name once written is never changed in meaning; a new shape is a new version. */
export interface EventMap extends DriverEventMap, WorldEventMap, WorktreeEventMap {
  "session.opened@1": { readonly spec: SessionSpec; readonly label: string | null };
  "session.forked@1": {
    readonly spec: SessionSpec;
    readonly label: string | null;
    readonly from: {
      readonly sessionId: string;
      readonly stream: string;
      readonly version: number;
      readonly eventId: string;
    };
    readonly root: string;
    readonly view: View;
  };
  "session.started@1": { readonly continuity: Continuity };
  "session.suspended@1": { readonly reason: string };
  "session.resumed@1": Record<string, never>;
  "session.hibernated@1": { readonly reason: string };
  "session.woken@1": { readonly continuity: Continuity };
  "session.exited@1": { readonly exitCode: number | null };
  "session.killed@1": { readonly reason: string };
  "session.failed@1": { readonly code: string; readonly message: string };
  "session.forgotten@1": Record<string, never>;
  "session.labelled@1": { readonly label: string | null };
  /** Its erasable data was erased; the archive, where one was made, still has it. */
  "session.archived@1": { readonly archive: ArchiveRef | null; readonly events: number };
  "session.rewound@1": {
    readonly to: { readonly stream: string; readonly version: number; readonly eventId: string };
    readonly view: View;
  };
  /** It has started another session; `ended` are those it had started before that are over by now. */
  "session.delegated@1": { readonly childId: string; readonly agent: string; readonly ended: readonly string[] };
  "turn.admitted@1": {
    readonly turnId: string;
    /** The whole prompt, or its beginning when `blob` holds it. */
    readonly prompt: string;
    readonly blob: string | null;
    readonly bytes: number;
    readonly queued: boolean;
  };
  "turn.started@1": { readonly turnId: string };
  "turn.ended@1": {
    readonly turnId: string;
    readonly outcome: TurnOutcome;
    readonly error: { readonly code: string; readonly message: string } | null;
  };
  "turn.interrupt_requested@1": { readonly turnId: string };
  "message.completed@1": TextOrBlob & { readonly turnId: string; readonly role: "assistant" | "thought" };
  "effect.intended@1": {
    readonly effectId: string;
    readonly turnId: string;
    readonly kind: EffectKind;
    readonly detail: Json;
    readonly redo: RedoClass;
    readonly verdict: "allow" | "ask";
    readonly rules: readonly string[];
  };
  "effect.begun@1": { readonly effectId: string; readonly turnId: string; readonly fence: number };
  "effect.output@1": TextOrBlob & {
    readonly effectId: string;
    readonly turnId: string;
    readonly stream: "stdout" | "stderr";
  };
  "effect.settled@1": {
    readonly effectId: string;
    readonly turnId: string;
    readonly outcome: EffectOutcome;
    readonly exitCode: number | null;
    readonly message: string | null;
    /** For an effect that a crash cut: what a person may do about it. */
    readonly redo: RedoClass | null;
  };
  "approval.requested@1": Question;
  "approval.answered@1": {
    readonly approvalId: string;
    readonly turnId: string;
    readonly status: "approved" | "rejected";
    readonly option: string | null;
    readonly reason: string | null;
  };
  "approval.closed@1": {
    readonly approvalId: string;
    readonly turnId: string;
    readonly status: "cancelled" | "expired";
  };
  "artifact.written@1": Artifact & {
    readonly path: string;
    readonly artifactId: string;
    readonly turnId: string | null;
  };
  "todo.replaced@1": { readonly items: readonly TodoItem[]; readonly turnId: string | null };
  "gate.denied@1": {
    readonly verb: string;
    readonly resource: string;
    readonly rules: readonly string[];
    readonly turnId: string | null;
  };
  "data.erased@1": { readonly events: readonly string[]; readonly reason: string };
  "agent.created@1": {
    readonly slug: string;
    readonly name: string;
    readonly driver: string;
    readonly tools: { readonly [tool: string]: ToolPolicy };
    readonly builtIn: boolean;
    /** Whom its sessions may start. Absent: nobody. */
    readonly delegatesTo?: readonly string[];
  };
  "agent.deleted@1": Record<string, never>;
  "agent.defaulted@1": { readonly slug: string };
  "token.issued@1": {
    /** The weakest sandbox that it starts and drives sessions in. Absent: `strict`. */
    readonly sandbox?: SandboxMode;
    readonly tokenId: string;
    readonly secretHash: string;
    readonly label: string;
    readonly capabilities: readonly string[];
    readonly sessionId: string | null;
    readonly expiresAtMs: number | null;
  };
  "token.revoked@1": Record<string, never>;
  /** Added, or changed under its slug. */
  "workspace.added@1": { readonly slug: string; readonly path: string; readonly label: string | null };
  "workspace.removed@1": { readonly slug: string };
  "workspace.used@1": { readonly slug: string };
  /** A call with an idempotency key that found nothing to change: so that asking again finds nothing to change either. */
  "call.made@1": { readonly syscall: string };
  /** Before it touches the world. `call.made@1` with this one as its cause follows when it is done. */
  "call.begun@1": { readonly syscall: string };
  /** The whole log was written out, up to this many events. Who may read all of it is worth knowing. */
  "log.exported@1": { readonly path: string; readonly size: number };
  /** A copy of everything was made, of the log as it was at this size. */
  "log.backed_up@1": BackedUp;
  /** From here on the log goes on from a backup of this size: whatever came behind it elsewhere is not in this log. */
  "log.restored@1": Restored;
  /** What nobody needs any more was taken out: the data of sessions that ended long ago, and blobs that no event names. */
  "log.collected@1": Collected;
  "lease.acquired@1": { readonly resource: string; readonly holder: string; readonly fence: number };
  "lease.released@1": { readonly resource: string; readonly fence: number };
}

export type ToolPolicy = "auto" | "on_demand" | "always_ask" | "never";

export const EVENT_TYPES = [
  "session.opened@1",
  "session.forked@1",
  "session.started@1",
  "session.suspended@1",
  "session.resumed@1",
  "session.hibernated@1",
  "session.woken@1",
  "session.exited@1",
  "session.killed@1",
  "session.failed@1",
  "session.forgotten@1",
  "session.labelled@1",
  "session.archived@1",
  "session.rewound@1",
  "session.delegated@1",
  "turn.admitted@1",
  "turn.started@1",
  "turn.ended@1",
  "turn.interrupt_requested@1",
  "message.completed@1",
  "effect.intended@1",
  "effect.begun@1",
  "effect.output@1",
  "effect.settled@1",
  "approval.requested@1",
  "approval.answered@1",
  "approval.closed@1",
  "artifact.written@1",
  "todo.replaced@1",
  "gate.denied@1",
  "data.erased@1",
  "agent.created@1",
  "agent.deleted@1",
  "agent.defaulted@1",
  "token.issued@1",
  "token.revoked@1",
  "workspace.added@1",
  "workspace.removed@1",
  "workspace.used@1",
  "call.made@1",
  "call.begun@1",
  "log.exported@1",
  "log.backed_up@1",
  "log.restored@1",
  "log.collected@1",
  "lease.acquired@1",
  "lease.released@1",
  ...DRIVER_EVENT_TYPES,
  ...WORLD_EVENT_TYPES,
  ...WORKTREE_EVENT_TYPES,
] as const satisfies readonly (keyof EventMap)[];

export type EventType = keyof EventMap;
export type Fact<T extends EventType = EventType> = {
  readonly [K in T]: { readonly type: K; readonly data: EventMap[K] };
}[T];

/** A fact of somebody else's making, kept and filtered like ours but never interpreted: `x.<name>@1`. */
export interface CustomFact {
  readonly type: `x.${string}@1`;
  readonly data: { readonly turnId: string | null; readonly payload: Json };
}

/** A fact in its place in a stream: what a fold sees. `fact` is null when its data was erased. */
export interface Placed {
  readonly id: string;
  readonly version: number;
  readonly at: string;
  readonly fact: Fact | CustomFact | null;
}

export function fact<T extends EventType>(type: T, data: EventMap[T]): Fact<T> {
  return { type, data } as Fact<T>;
}

export function isEffectKind(kind: string): boolean {
  return /^[a-z][a-z0-9_]{0,31}$/.test(kind);
}

export function isCustomType(type: string): type is CustomFact["type"] {
  return /^x\.[a-z0-9][a-z0-9_.-]{0,63}@1$/.test(type);
}

/** By the prefix alone: a fold has to pass over every fact of somebody else's making, also one with an odd name. */
export function isCustom(given: Fact | CustomFact): given is CustomFact {
  return given.type.startsWith("x.");
}

/**
 * A stored event's data as the fact it was written as; null for a type this version does not know. No shape is checked:
 * the chain has proved that these are the bytes that were appended, and what was appended was checked by the compiler.
 */
export function recallFact(type: string, data: Json): Fact | CustomFact | null {
  const known: readonly string[] = EVENT_TYPES;
  return known.includes(type) || isCustomType(type) ? ({ type, data } as Fact | CustomFact) : null;
}

/** What was said and done: data that may be erased. What holds the machines together stays. */
const ERASABLE: readonly string[] = [
  "turn.admitted@1",
  "message.completed@1",
  "effect.intended@1",
  "effect.output@1",
  "approval.requested@1",
  "artifact.written@1",
  "todo.replaced@1",
  "session.labelled@1",
  "gate.denied@1",
  "driver.noticed@1",
  "driver.update_kept@1",
  "tool.called@1",
  "tool.ended@1",
  "turn.attached@1",
  "worktree.kept@1",
  "scope.reverted@1",
] satisfies readonly EventType[];

export function isErasable(type: string): boolean {
  return ERASABLE.includes(type) || isCustomType(type);
}
