import { event } from "../definitions/event.ts";
import { err, type Line, linesOfText, out } from "../definitions/line.ts";
import type { TextOrBlob } from "../event-parts.ts";
import type { Json } from "../json.ts";
import type { Artifact, TodoItem } from "./view.ts";

export interface Question {
  readonly approvalId: string;
  readonly turnId: string;
  readonly question: string;
  readonly options: readonly string[];
  /** What the gate's question asks to allow. */
  readonly action: { readonly verb: string; readonly resource: string } | null;
  readonly effectId: string | null;
  /** The driver checkpoint to continue from after a restart; null: the turn cannot outlive the daemon. */
  readonly checkpoint: Json;
  /** The rules that made the gate ask. Absent where a driver asked of its own accord. */
  readonly rules?: readonly string[];
  /** sha256 of what the tool would be given: the question may show only its beginning. */
  readonly inputHash?: string;
  readonly detail?: QuestionDetail;
}

/** What would be done, for the person who is asked: the whole command, the file, and its change as a unified diff. */
export interface QuestionDetail {
  readonly command?: string;
  readonly path?: string;
  /** Beyond `diffChars` it is cut; its last line says how much is missing. */
  readonly diff?: string;
}

export type TurnOutcome = "completed" | "failed" | "interrupted" | "cancelled";
/** The tool of an effect: `run`, `write`, `process`, or an engine's own. The gate's verb is `tool.<kind>`. */
export type EffectKind = string;
/** The redo class of an effect cut by a crash: run it again, ask a person, or call it failed. */
export type RedoClass = "safe" | "ask" | "failed";
export type EffectOutcome = "done" | "failed" | "refused" | "unknown";

export function isEffectKind(kind: string): boolean {
  return /^[a-z][a-z0-9_]{0,31}$/.test(kind);
}

/** Events of a turn: prompts, messages, effects and questions. */
export const TURN_EVENTS = {
  "turn.admitted@1": event<{
    readonly turnId: string;
    /** The prompt, or its beginning when `blob` holds the whole. */
    readonly prompt: string;
    readonly blob: string | null;
    readonly bytes: number;
    readonly queued: boolean;
    /** In a session's first prompt: the title that it gets from it. */
    readonly title?: string;
  }>({ erasable: true, spaceNeed: "start", words: ({ prompt }) => prompt }),
  "turn.started@1": event<{ readonly turnId: string }>(),
  "turn.ended@1": event<{
    readonly turnId: string;
    readonly outcome: TurnOutcome;
    readonly error: { readonly code: string; readonly message: string } | null;
  }>({
    lines: ({ error, outcome }) => [
      ...(error === null ? [] : err(`[error] ${error.message}`)),
      ...out(`── turn-end (${outcome}) ──`),
    ],
  }),
  "turn.interrupt_requested@1": event<{ readonly turnId: string }>(),
  "message.completed@1": event<TextOrBlob & { readonly turnId: string; readonly role: "assistant" | "thought" }>({
    erasable: true,
    spaceNeed: "output",
    words: ({ text }) => text,
    lines: ({ text, role }) => linesOfText(text, "stdout", role === "thought" ? "[thought] " : ""),
  }),
  "effect.intended@1": event<{
    readonly effectId: string;
    readonly turnId: string;
    readonly kind: EffectKind;
    readonly detail: Json;
    readonly redo: RedoClass;
    readonly verdict: "allow" | "ask";
    readonly rules: readonly string[];
    /** The engine's tool call that it is part of. */
    readonly callId?: string;
  }>({
    erasable: true,
    spaceNeed: "course",
    // A call has a line of its own.
    lines: ({ kind, detail, callId }) => (callId === undefined ? out(`[tool] ${kind}: ${toolDetail(detail)}`) : []),
  }),
  "effect.begun@1": event<{ readonly effectId: string; readonly turnId: string; readonly fence: number }>({
    spaceNeed: "course",
  }),
  "effect.output@1": event<
    TextOrBlob & {
      readonly effectId: string;
      readonly turnId: string;
      readonly stream: "stdout" | "stderr";
    }
  >({
    erasable: true,
    spaceNeed: "output",
    words: ({ text }) => text,
    lines: ({ text, stream }) => linesOfText(text, stream),
  }),
  "effect.settled@1": event<{
    readonly effectId: string;
    readonly turnId: string;
    readonly outcome: EffectOutcome;
    readonly exitCode: number | null;
    readonly message: string | null;
    /** For an effect cut by a crash: what a person may do about it. */
    readonly redo: RedoClass | null;
  }>({ lines: settledLines }),
  "approval.requested@1": event<Question>({
    erasable: true,
    spaceNeed: "course",
    lines: ({ question }) => out(`[awaiting input] ${question}`),
  }),
  "approval.answered@1": event<{
    readonly approvalId: string;
    readonly turnId: string;
    readonly status: "approved" | "rejected";
    readonly option: string | null;
    readonly reason: string | null;
  }>({
    lines: ({ status, reason }) =>
      status === "approved" ? [] : out(`[rejected]${reason === null ? "" : ` ${reason}`}`),
  }),
  /** The same question was asked again while it was open: its answer serves this call too. */
  "approval.joined@1": event<{ readonly approvalId: string; readonly turnId: string; readonly joinId: string }>({
    spaceNeed: "course",
  }),
  /** The gate let a foreign agent do something without asking a person. */
  "gate.allowed@1": event<{
    readonly turnId: string;
    readonly verb: string;
    readonly resource: string;
    readonly rules: readonly string[];
  }>({ erasable: true, spaceNeed: "course" }),
  "approval.closed@1": event<{
    readonly approvalId: string;
    readonly turnId: string;
    readonly status: "cancelled" | "expired";
  }>(),
  "artifact.written@1": event<
    Artifact & {
      readonly path: string;
      readonly artifactId: string;
      readonly turnId: string | null;
    }
  >({ erasable: true, spaceNeed: "course" }),
  "todo.replaced@1": event<{ readonly items: readonly TodoItem[]; readonly turnId: string | null }>({
    erasable: true,
    spaceNeed: "course",
  }),
};

/** Only a failure gets a line; success shows in what follows. */
function settledLines({
  outcome,
  exitCode,
  message,
}: {
  readonly outcome: EffectOutcome;
  readonly exitCode: number | null;
  readonly message: string | null;
}): readonly Line[] {
  if (outcome === "done") return [];
  const exit = exitCode === null ? "" : ` (exit ${exitCode})`;
  return err(`[tool-error] ${outcome}${exit}${message === null ? "" : `: ${message}`}`);
}

function toolDetail(detail: Json): string {
  if (typeof detail !== "object" || detail === null) return "";
  const shown: unknown = Reflect.get(detail, "command") ?? Reflect.get(detail, "path") ?? Reflect.get(detail, "argv");
  return Array.isArray(shown) ? shown.join(" ") : String(shown ?? "");
}
