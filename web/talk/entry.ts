/** Where in the log an entry begins. */
interface Place {
  /** The same after every fold, however much of the log is held. */
  readonly key: string;
  readonly stream: string;
  readonly seq: number;
  readonly version: number;
  readonly eventId: string;
  readonly at: string;
  readonly actor: string;
  readonly turnId: string | null;
}

/** A text, or its beginning when a blob holds the whole. */
export interface StoredText {
  readonly text: string;
  readonly blob: string | null;
  readonly bytes: number;
}

export interface PromptEntry extends Place {
  readonly kind: "prompt";
  readonly body: StoredText;
  readonly standing: "queued" | "running" | "ended";
  readonly attachments: readonly { readonly name: string; readonly mediaType: string; readonly bytes: number }[];
}

export interface MessageEntry extends Place {
  readonly kind: "message";
  readonly isThought: boolean;
  readonly body: StoredText;
}

export interface ToolEntry extends Place {
  readonly kind: "tool";
  /** What the agent calls it: `run`, `edit`, `search` */
  readonly tool: string;
  readonly title: string;
  readonly places: readonly { readonly path: string; readonly line: number | null }[];
  readonly input: StoredText | null;
  readonly command: string | null;
  readonly output: readonly OutputPiece[];
  /** Pieces that were too many to hold; the log has them. */
  readonly droppedPieces: number;
  readonly diffs: readonly { readonly path: string; readonly before: StoredText | null; readonly after: StoredText }[];
  /** Pictures that the model was given. */
  readonly images: readonly { readonly mediaType: string; readonly bytes: number }[];
  /** Null while it runs. */
  readonly outcome: string | null;
  readonly exitCode: number | null;
  readonly message: string | null;
  readonly endedAt: string | null;
}

export interface OutputPiece {
  readonly stream: "stdout" | "stderr";
  readonly body: StoredText;
}

export interface QuestionEntry extends Place {
  readonly kind: "question";
  readonly approvalId: string;
  readonly question: string;
  readonly options: readonly string[];
  readonly action: { readonly verb: string; readonly resource: string } | null;
  readonly detail: { readonly command?: string; readonly path?: string; readonly diff?: string };
  readonly status: "pending" | "approved" | "rejected" | "cancelled" | "expired";
  readonly option: string | null;
  readonly reason: string | null;
  /** Who answered. */
  readonly by: string | null;
}

export interface TurnEndEntry extends Place {
  readonly kind: "turn-end";
  readonly outcome: string;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly startedAt: string | null;
  readonly tools: number;
  readonly tokens: number | null;
  readonly cost: string | null;
  /** Model rounds of the own engine; other agents tell none. */
  readonly steps: readonly Step[];
}

/** One model round. */
export interface Step {
  readonly stepId: string;
  readonly model: string;
  /** It wrote a summary, no answer. */
  readonly isCompaction: boolean;
  readonly attempt: number;
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  /** Millionths of a dollar; null without a price. */
  readonly costMicroUsd: number | null;
  /** Null while it runs. */
  readonly ms: number | null;
  readonly firstTokenMs: number | null;
  readonly error: string | null;
}

/** A message for a turn that runs. */
export interface SteerEntry extends Place {
  readonly kind: "steer";
  readonly body: StoredText;
  /** `late`: its turn ended before, so the next prompt brings it. */
  readonly standing: "accepted" | "delivered" | "late";
}

/** From here on a summary stands for the older part of the conversation. */
export interface CompactionEntry extends Place {
  readonly kind: "compaction";
  /** In tokens. */
  readonly before: number;
  readonly after: number;
  readonly reason: string;
  readonly focus: string | null;
  readonly summary: StoredText;
}

export interface TodoEntry extends Place {
  readonly kind: "todo";
  readonly items: readonly { readonly text: string; readonly status: string }[];
}

export interface NoteEntry extends Place {
  readonly kind: "note";
  readonly tone: "plain" | "warn" | "bad";
  readonly text: string;
  readonly more: StoredText | null;
  /** Names below it, such as files. */
  readonly names: readonly { readonly name: string; readonly why: string }[];
  /** The session that it is about. */
  readonly session: { readonly id: string; readonly name: string } | null;
  /** An error's code, for its remedy. */
  readonly code: string | null;
}

/** An event of a type that this page does not know. */
export interface OtherEntry extends Place {
  readonly kind: "other";
  readonly type: string;
  readonly data: unknown;
}

export type Entry =
  | PromptEntry
  | MessageEntry
  | ToolEntry
  | QuestionEntry
  | TurnEndEntry
  | TodoEntry
  | NoteEntry
  | SteerEntry
  | CompactionEntry
  | OtherEntry;

export type { Place };
