/**
 * `inside`: tools for an agent inside a session, listed for its own token. `on-ticket`: beside those, for one that works on a
 * ticket. `core`: tools listed for all others.
 */
export type Toolset = "inside" | "on-ticket" | "core";

/** How a syscall appears in MCP beside its tool. It is data, so that the surface needs no logic. */
export interface McpSpelling<Value = unknown> {
  /** Further toolsets that list its tool, beside that of its family. */
  readonly toolsets?: readonly Toolset[];
  /** Other names of the tool, each with the members it renames: `{ agent_kill: { sessionId: "id" } }`. */
  readonly aliases?: { readonly [tool: string]: { readonly [theirs: string]: string } };
  /** Offers the answer as a resource: `nomos://sessions/{id}`; `{+path}` may contain slashes. */
  readonly resource?: { readonly uri: string; readonly title: string; readonly mediaType: string };
  /** The resources that an answer lists, and the cursor of the next page. */
  lists?(
    value: Value,
    input: SpelledInput,
  ): { readonly documents: readonly ListedDocument[]; readonly next: string | null };
  /** Values that an answer offers to complete a session's `id`. */
  completes?(value: Value): readonly string[];
  /** Offers the answer as an MCP prompt. */
  readonly prompt?: true;
  /** Converts the answer to content; default: its JSON. */
  shows?(value: Value, input: SpelledInput): readonly Shown[];
}

/** The input as the caller gave it. */
export interface SpelledInput {
  readonly [member: string]: unknown;
}

export interface ListedDocument {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly mediaType: string;
  readonly bytes?: number;
}

/** A part of an answer. With a URI it is an embedded resource. */
export interface Shown {
  readonly mediaType: string;
  readonly uri?: string;
  readonly content: { readonly text: string } | { readonly base64: string };
}
