import { event } from "../../definitions/event.ts";
import { err, out } from "../../definitions/line.ts";
import type { TextOrBlob } from "../../event-parts.ts";
import type { Json } from "../../json.ts";

/** What a step was for. Only the parts of an `answer` are part of the conversation. */
export type StepPurpose = "answer" | "compaction" | "branch";

/** `aborted`: cut by an interrupt; its parts are as far as they came. `error`: it left no parts. */
export type StepStop = "stop" | "tool_calls" | "length" | "refused" | "aborted" | "error";

/**
 * A part of a step's answer. Texts and thoughts are in the `message.completed@1` before `step.ended@1`, calls in
 * `tool.called@1`, in this order. `meta` is what the provider wants back with it.
 */
export type StepPart =
  | { readonly kind: "text" | "thought"; readonly meta: Json }
  | { readonly kind: "call"; readonly callId: string; readonly name: string; readonly meta: Json };

/** A part of the system prompt, and where it comes from. */
export interface ContextPart extends TextOrBlob {
  readonly name: string;
  readonly source: string;
}

export interface Compaction {
  readonly turnId: string;
  readonly summary: TextOrBlob;
  /** The event from which on, on the path, all is kept; null: nothing before the compaction. */
  readonly keptFrom: string | null;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly reason: "threshold" | "overflow" | "asked";
  readonly strategy: string;
  readonly focus: string | null;
  /** The kept part begins inside of a turn. */
  readonly isSplitTurn: boolean;
  /** Cumulative over all compactions; a modified file is not listed as read. */
  readonly files: { readonly read: readonly string[]; readonly modified: readonly string[] };
}

/** What came of a branch that a rewind left. */
export interface LeftBranch {
  readonly turnId: string;
  /** The head of the branch. */
  readonly from: string;
  readonly summary: TextOrBlob;
  readonly files: Compaction["files"];
}

/** How a session that met a usage limit goes on: the turn resumes, a turn "continue" is admitted, or a person is told. */
export type AfterQuota = "resume" | "continue" | "tell";

/** Events of the engine's steps, of steering, and of usage limits. */
export const STEP_EVENTS = {
  /** One model round. `steers` are the steering messages that it is the first to contain. */
  "step.started@1": event<{
    readonly turnId: string;
    readonly stepId: string;
    readonly model: string;
    readonly purpose: StepPurpose;
    /** 1, and more for each retry. */
    readonly attempt: number;
    readonly steers: readonly string[];
  }>({ spaceNeed: "course" }),
  "step.ended@1": event<{
    readonly turnId: string;
    readonly stepId: string;
    readonly model: string;
    readonly usage: {
      readonly input: number;
      readonly output: number;
      readonly cacheRead: number;
      readonly cacheWrite: number;
    };
    /** Millionths of a dollar; null without a price. */
    readonly costMicroUsd: number | null;
    readonly stop: StepStop;
    readonly parts: readonly StepPart[];
    readonly error: { readonly class: string; readonly message: string } | null;
    readonly firstTokenMs: number | null;
    readonly ms: number;
  }>({
    spaceNeed: "output",
    lines: ({ error }) => (error === null ? [] : err(`[model] ${error.message}`)),
  }),
  /** The system prompt from here on. Recorded when it differs from the last one. */
  "context.composed@1": event<{ readonly turnId: string; readonly parts: readonly ContextPart[] }>({
    erasable: true,
    spaceNeed: "course",
  }),
  /** From here on the summary stands for all that was before `keptFrom`. */
  "context.compacted@1": event<Compaction>({
    erasable: true,
    spaceNeed: "course",
    lines: ({ tokensBefore, tokensAfter }) => out(`[compacted] ${tokensBefore} -> ${tokensAfter} tokens`),
  }),
  /** The model is told what it tried on another branch and left. */
  "context.branched@1": event<LeftBranch>({ erasable: true, spaceNeed: "course" }),
  /** A message for the running turn; the next step contains it. */
  "turn.steered@1": event<TextOrBlob & { readonly turnId: string; readonly steerId: string }>({
    erasable: true,
    spaceNeed: "start",
    words: ({ text }) => text,
    lines: ({ text }) => out(`[steer] ${text}`),
  }),
  /** A cut turn goes on from the log. `by`: what cut it; the end of the driver's process unless it says so. */
  "turn.resumed@1": event<{ readonly turnId: string; readonly reason: string; readonly by?: "daemon" }>(),
  /** Recorded with the end of a turn after which nothing is left to do: no retry, no compaction, no queue. */
  "turn.settled@1": event<{ readonly turnId: string }>(),
  "quota.reached@1": event<{
    readonly turnId: string;
    /** ISO 8601 in UTC. */
    readonly until: string;
    readonly reason: string;
    readonly onReset: AfterQuota;
    /** The id of the turn that `continue` admits. */
    readonly nextTurnId: string;
  }>({ lines: ({ until, reason }) => err(`[quota] ${reason.replace(/[.\s]+$/, "")}; waiting until ${until}`) }),
  "quota.reset@1": event<{ readonly turnId: string }>({ lines: () => out("[quota] the limit has reset") }),
  /** Another driver runs the session's turns from here on. */
  "driver.switched@1": event<{ readonly adapter: string; readonly agent: string }>({ spaceNeed: "start" }),
};
