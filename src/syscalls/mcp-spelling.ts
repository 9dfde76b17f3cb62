/** `inside`: what an agent inside a session needs; its own token is shown these. `core`: what everybody else is shown. */
export type Toolset = "inside" | "core";

/** How a syscall shows in MCP beyond its tool, which every syscall is. Data, so that the surface decides nothing. */
export interface McpSpelling<Value = unknown> {
  /** Toolsets that list its tool, beside the one that is called as its family. */
  readonly toolsets?: readonly Toolset[];
  /** Further names of the tool, each with the input members that it calls otherwise: `{ agent_kill: { sessionId: "id" } }`. */
  readonly aliases?: { readonly [tool: string]: { readonly [theirs: string]: string } };
  /** The answer as a document with an address: `nomos://sessions/{id}`; `{+path}` may hold slashes. */
  readonly resource?: { readonly uri: string; readonly title: string; readonly mediaType: string };
  /** The documents that an answer names, and where the next page begins. */
  lists?(
    value: Value,
    input: SpelledInput,
  ): { readonly documents: readonly ListedDocument[]; readonly next: string | null };
  /** The names that an answer offers for the `id` of a session. */
  completes?(value: Value): readonly string[];
  /** The answer as something to begin a conversation with. */
  readonly prompt?: true;
  /** The answer as it is shown: default is its JSON. */
  shows?(value: Value, input: SpelledInput): readonly Shown[];
}

/** The call's own members, as they were given. */
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

/** A piece of an answer. With an address it is a document inside the answer. */
export interface Shown {
  readonly mediaType: string;
  readonly uri?: string;
  readonly content: { readonly text: string } | { readonly base64: string };
}
