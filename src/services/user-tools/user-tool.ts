/**
 * A tool of your own: a file in `$NOMOS_HOME/tools/` or in `.nomos/tools/` of a repository that exports one as default.
 * Published as `nomos/tool`, so this file imports nothing.
 */
export interface UserTool<Input = { readonly [name: string]: unknown }> {
  /** Letters, digits, `_` and `-`, 64 at most. Default: the file's name. */
  readonly name?: string;
  /** For the model: what it does, when to use it, what its answer looks like. */
  readonly description: string;
  /** A JSON schema of an object, or a schema of a library that speaks Standard JSON Schema, such as zod 4. */
  readonly input?: UserToolSchema | StandardInput<Input>;
  /**
   * What may be done with a call that a crash cut. `safe`: run it again. `ask`: ask a person (the default). `failed`: the
   * model is told that it failed.
   */
  readonly redo?: "safe" | "ask" | "failed";
  /** What it returns is what the model reads; what it throws is an error that the model reads. */
  run(input: Input, context: UserToolContext): UserToolResult | Promise<UserToolResult>;
}

export interface UserToolContext {
  /** The session's directory. */
  readonly cwd: string;
  /** Aborts when the turn is interrupted or the time is up. The process is killed a second later. */
  readonly signal: AbortSignal;
  /** A line for the daemon's log, and for the model if the call fails. */
  readonly log: (text: string) => void;
}

export type UserToolResult =
  | string
  | { readonly content: readonly UserToolContent[]; readonly isError?: boolean }
  | null
  | undefined;

export type UserToolContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly mediaType: string; readonly base64: string };

/** A JSON schema. */
export interface UserToolSchema {
  readonly type: "object";
  readonly [keyword: string]: unknown;
}

/** A schema that can tell its JSON schema: https://standardschema.dev */
export interface StandardInput<Input> {
  readonly "~standard": {
    readonly types?: { readonly input: unknown; readonly output: Input } | undefined;
  };
}

/** Gives `run` the type of its input. At run time it returns the tool as it is. */
export function defineTool<Input>(tool: UserTool<Input>): UserTool<Input> {
  return tool;
}
