import { event } from "../definitions/event.ts";
import { err, linesOfText, out } from "../definitions/line.ts";
import type { Continuity, TextOrBlob } from "../event-parts.ts";

/** Settings that a person chose for a session's agent; null or absent: the agent's default. */
export interface DriverSettings {
  readonly mode: string | null;
  readonly model: string | null;
  readonly options: { readonly [id: string]: string | boolean };
}

/** What the agent can be set to, as last reported. The recorder limits its size. */
export interface DriverOffer {
  readonly mode: string | null;
  readonly modes: readonly { readonly id: string; readonly name: string }[];
  readonly options: readonly OfferedOption[];
  readonly commands: readonly { readonly name: string; readonly description: string }[];
}

export interface OfferedOption {
  readonly id: string;
  readonly name: string;
  /** "model", "mode", "thought_level" or the agent's own name for it. */
  readonly category: string | null;
  readonly current: string | boolean;
  /** Empty for an on/off option. */
  readonly values: readonly string[];
}

export interface ToolPlace {
  readonly path: string;
  readonly line: number | null;
}

/** A file change as reported by the agent; not verified. */
export interface ToolDiff {
  readonly path: string;
  readonly before: TextOrBlob | null;
  readonly after: TextOrBlob;
}

/** An attachment: an image, a file's content, or a link. */
export interface Attachment {
  readonly kind: "image" | "resource" | "link";
  readonly name: string;
  readonly mediaType: string;
  readonly uri: string | null;
  /** Null for a link. */
  readonly blob: string | null;
  readonly bytes: number;
}

/** Tokens and money as the agent tells them; millionths of a dollar, null without a price. `input` is without the cached. */
export interface Spent {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly costMicroUsd: number | null;
}

/** Events of foreign agents: native sessions, offers, tool calls, usage. */
export const DRIVER_EVENTS = {
  /** From here on this native session serves the session; says how it got its memory. */
  "driver.attached@1": event<{
    readonly turnId: string;
    /** The native session's id, by which it is resumed. */
    readonly nativeId: string;
    readonly continuity: Continuity;
    /** Why it was not resumed natively, or why a resume was needed. */
    readonly reason: string | null;
    readonly program: string;
    readonly protocol: string;
    /** Whether it was given our tools. */
    readonly tools: boolean;
  }>({ spaceNeed: "course" }),
  "driver.configured@1": event<DriverSettings>({ spaceNeed: "start", exact: true }),
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
  /** An update of an unknown kind, stored as it came. */
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
    /** `unknown`: the turn ended without a report about it. */
    readonly outcome: "done" | "failed" | "unknown";
    readonly places: readonly ToolPlace[];
    readonly diffs: readonly ToolDiff[];
    readonly output: TextOrBlob | null;
    /** Pictures that the engine's tool gave the model. */
    readonly images?: readonly { readonly mediaType: string; readonly blob: string; readonly bytes: number }[];
  }>({
    erasable: true,
    spaceNeed: "output",
    lines: ({ outcome, title }) => (outcome === "failed" ? err(`[tool-error] ${title}`) : []),
  }),
  "usage.reported@1": event<{
    readonly turnId: string;
    /** Used and total size of the agent's context. */
    readonly contextTokens: number | null;
    readonly contextMax: number | null;
    readonly inputTokens: number | null;
    readonly outputTokens: number | null;
    readonly cost: { readonly amount: number; readonly currency: string } | null;
    /** The share of this turn. Absent when the agent tells nothing of the kind. */
    readonly spent?: Spent;
  }>({ spaceNeed: "output" }),
  /** Directly follows the admission of its turn. */
  "turn.attached@1": event<{ readonly turnId: string; readonly items: readonly Attachment[] }>({
    erasable: true,
    spaceNeed: "start",
  }),
};
