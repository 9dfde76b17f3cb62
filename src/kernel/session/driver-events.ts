import { event } from "../definitions/event.ts";
import { err, linesOfText, out } from "../definitions/line.ts";
import type { Continuity, TextOrBlob } from "../event-parts.ts";

/** What a person chose for a session's agent; null and absent members mean: as the agent has it. */
export interface DriverSettings {
  readonly mode: string | null;
  readonly model: string | null;
  readonly options: { readonly [id: string]: string | boolean };
}

/** What an agent says it can be set to, as last heard. Bounded by whoever records it. */
export interface DriverOffer {
  readonly mode: string | null;
  readonly modes: readonly { readonly id: string; readonly name: string }[];
  readonly options: readonly OfferedOption[];
  readonly commands: readonly { readonly name: string; readonly description: string }[];
}

export interface OfferedOption {
  readonly id: string;
  readonly name: string;
  /** "model", "mode", "thought_level" or whatever the agent calls it. */
  readonly category: string | null;
  readonly current: string | boolean;
  /** Empty for one that is on or off. */
  readonly values: readonly string[];
}

export interface ToolPlace {
  readonly path: string;
  readonly line: number | null;
}

/** A change of a file, as the agent tells it: its own word, not a proof. */
export interface ToolDiff {
  readonly path: string;
  readonly before: TextOrBlob | null;
  readonly after: TextOrBlob;
}

/** Something beside the prompt's text: an image, a file's contents, or only where it lies. */
export interface Attachment {
  readonly kind: "image" | "resource" | "link";
  readonly name: string;
  readonly mediaType: string;
  readonly uri: string | null;
  /** Null for a link. */
  readonly blob: string | null;
  readonly bytes: number;
}

/** What foreign agents bring: their sessions, what they offer, the tools they call, what they use. */
export const DRIVER_EVENTS = {
  /** A foreign agent's own session serves this one from here on, and how it got its memory. */
  "driver.attached@1": event<{
    readonly turnId: string;
    /** The agent's own name for the session: what it is resumed by. */
    readonly nativeId: string;
    readonly continuity: Continuity;
    /** Why it was not resumed natively, when it was not; or why it had to be resumed at all. */
    readonly reason: string | null;
    readonly program: string;
    readonly protocol: string;
    /** Whether it was given our tools. */
    readonly tools: boolean;
  }>({ spaceNeed: "course" }),
  "driver.configured@1": event<DriverSettings>({ spaceNeed: "start" }),
  "driver.offered@1": event<DriverOffer & { readonly turnId: string }>({ spaceNeed: "course" }),
  "driver.noticed@1": event<{
    readonly turnId: string;
    readonly severity: "info" | "warning" | "error";
    readonly title: string;
    readonly body: TextOrBlob | null;
  }>({
    erasable: true,
    spaceNeed: "output",
    lines: ({ severity, title, body }) =>
      severity === "info" ? linesOfText(body?.text ?? "", "stderr") : err(`[notice] ${title}`),
  }),
  /** What an agent sent and this version does not know: kept as it came. */
  "driver.update_kept@1": event<TextOrBlob & { readonly turnId: string; readonly kind: string }>({
    erasable: true,
    spaceNeed: "output",
  }),
  "tool.called@1": event<{
    readonly turnId: string;
    readonly callId: string;
    readonly title: string;
    readonly kind: string;
    readonly places: readonly ToolPlace[];
    readonly input: TextOrBlob | null;
  }>({ erasable: true, spaceNeed: "output", lines: ({ title }) => out(`[tool] ${title}`) }),
  "tool.ended@1": event<{
    readonly turnId: string;
    readonly callId: string;
    readonly title: string;
    /** `unknown`: the turn ended without a word about it. */
    readonly outcome: "done" | "failed" | "unknown";
    readonly places: readonly ToolPlace[];
    readonly diffs: readonly ToolDiff[];
    readonly output: TextOrBlob | null;
  }>({
    erasable: true,
    spaceNeed: "output",
    lines: ({ outcome, title }) => (outcome === "failed" ? err(`[tool-error] ${title}`) : []),
  }),
  "usage.reported@1": event<{
    readonly turnId: string;
    /** How full the agent's context is, and how much fits. */
    readonly contextTokens: number | null;
    readonly contextMax: number | null;
    readonly inputTokens: number | null;
    readonly outputTokens: number | null;
    readonly cost: { readonly amount: number; readonly currency: string } | null;
  }>({ spaceNeed: "output" }),
  /** Stands directly behind the admission of its turn. */
  "turn.attached@1": event<{ readonly turnId: string; readonly items: readonly Attachment[] }>({
    erasable: true,
    spaceNeed: "start",
  }),
};
