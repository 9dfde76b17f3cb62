import type { z } from "zod";
import type { Json, RedoClass, TodoItem } from "../kernel/index.ts";
import type { EffectResult, Reply, Served } from "../turns/index.ts";
import type { Image, Text } from "./model.ts";

/** A tool that the model may call. Its state belongs to the session; a definition holds none. */
export interface Tool<Input = never> {
  readonly name: string;
  /** For the model: what it does, when to use it, what its answer looks like. */
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** How the gate sees it. `read`: looks only. `none`: touches nothing outside the log. */
  readonly permission: ToolPermission;
  /** What may be done with a call that a crash cut: run it again, ask a person, or call it failed. */
  readonly redo: RedoClass;
  /** One call may change several things, so the first one done is not the call done. */
  readonly effects?: "many";
  /** A sequential tool never runs beside another call. */
  readonly mode: "parallel" | "sequential";
  /** One line for people: what this call does. */
  readonly title: (input: Input) => string;
  /** A thrown error becomes an error result. A path it gets is the session's, never this process's. */
  readonly run: (input: Input, context: ToolContext) => Promise<ToolResult>;
}

export type ToolPermission = "read" | "write" | "edit" | "run" | "process" | "git" | "ask" | "none" | "served";

export interface ToolResult {
  readonly content: readonly (Text | Image)[];
  readonly isError: boolean;
  /** Files it touched, for screens. */
  readonly places?: readonly { readonly path: string; readonly line: number | null }[];
  readonly diffs?: readonly { readonly path: string; readonly before: string | null; readonly after: string }[];
  /** True: the turn needs no further answer of the model, if all results of the step say so. */
  readonly ends?: true;
}

export interface ToolContext {
  readonly callId: string;
  /** The session's directory, for showing; paths are resolved by the world. */
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly world: World;
  /** One for the session: two calls of one step that change the same file take turns. */
  readonly locks: PathLocks;
}

export interface PathLocks {
  /** Waits until nobody else holds any of these absolute paths, does the work, lets go. */
  readonly hold: <Result>(paths: readonly string[], work: () => Promise<Result>) => Promise<Result>;
}

/**
 * The session's files, processes and people, through the daemon: gate, effect ledger and walls are on the other side.
 * Relative paths are below the session's directory. A refusal is an `EffectResult` with outcome `refused`, or a thrown
 * error with `code` and a message for the model.
 */
export interface World {
  /** A range of a file's bytes. Throws `file_missing`, `path_outside`, `not_a_file`. */
  readonly read: (path: string, range: { readonly from: number; readonly bytes: number }) => Promise<FileRange>;
  /** Replaces a whole file, atomically. `ifHash`: sha256 (hex) of what must be there now; null: nothing may be there; undefined: whatever. Else throws `file_changed`. */
  readonly write: (order: {
    readonly kind: "write" | "edit";
    readonly path: string;
    readonly text: string;
    readonly ifHash?: string | null | undefined;
  }) => Promise<EffectResult>;
  /** Deletes a file, as an effect of kind `edit`. `ifHash` as for `write`. Throws `file_missing`, `file_changed`. */
  readonly remove: (order: { readonly path: string; readonly ifHash?: string | undefined }) => Promise<EffectResult>;
  /**
   * Runs a program that only looks (rg, git, find), in the session's directory and inside its walls, without a shell. Not
   * in the effect ledger. `paths`: files and directories that `argv` names; before anything runs each is checked as `read`
   * does it, and throws `path_outside`; a missing one may pass. A missing program has exit code 127.
   */
  readonly look: (
    argv: readonly string[],
    limits: { readonly bytesMax: number; readonly timeoutMs: number; readonly paths?: readonly string[] },
  ) => Promise<Looked>;
  /** Of these names below the worktree's root, those that the session's scope does not let it change. */
  readonly outOfScope: (names: readonly string[]) => Promise<readonly string[]>;
  /** A shell command in the session's directory. After `timeoutMs` it goes on in the background and `processId` is set. */
  readonly run: (
    command: string,
    limits: { readonly timeoutMs: number },
  ) => Promise<EffectResult & { readonly processId: string | null }>;
  /** A program without a shell that changes something (git commit). */
  readonly exec: (
    kind: "git",
    argv: readonly string[],
    limits: { readonly timeoutMs: number },
  ) => Promise<EffectResult>;
  readonly processes: SessionPrograms;
  /** Output of an effect of this turn that was too long to be shown whole, from a byte on. */
  readonly output: (
    effectId: string,
    from: number,
    bytes: number,
  ) => Promise<{ readonly text: string; readonly total: number }>;
  readonly ask: (question: string, options: readonly string[]) => Promise<Reply>;
  readonly todo: (items: readonly TodoItem[]) => Promise<void>;
  readonly todoNow: () => Promise<readonly TodoItem[]>;
  /** A tool that the daemon runs. */
  readonly serve: (tool: string, input: Json) => Promise<Served>;
  readonly artifact: (
    path: string,
    bytes: Uint8Array,
    mediaType: string,
  ) => Promise<{ readonly artifactId: string; readonly version: number }>;
}

/** Programs that run beside the turn and end with it at the latest. */
export interface SessionPrograms {
  readonly start: (command: string) => Promise<{ readonly processId: string }>;
  readonly list: () => Promise<readonly ProgramState[]>;
  /** What it printed from the byte `from` on, 32 KB at most. `at`: where that begins; what is older is not kept here. */
  readonly output: (
    processId: string,
    from: number,
  ) => Promise<{ readonly text: string; readonly at: number; readonly next: number }>;
  readonly write: (processId: string, text: string) => Promise<void>;
  readonly stop: (processId: string) => Promise<EffectResult>;
  /** TCP ports that the program and its children listen on. */
  readonly ports: (processId: string) => Promise<readonly number[]>;
}

export interface ProgramState {
  readonly processId: string;
  readonly command: string;
  /** Null while it runs. */
  readonly exitCode: number | null;
  readonly isRunning: boolean;
}

export interface FileRange {
  readonly bytes: Uint8Array;
  /** Of the whole file. */
  readonly size: number;
  /** sha256 (hex) of the whole file when the range covers it, else null. */
  readonly hash: string | null;
}

export interface Looked {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** More was printed than `bytesMax`, or the time ran out. */
  readonly isCut: boolean;
}

/** Any tool, where the type of its input does not matter: only `parseInput` makes one that `run` takes. */
export type AnyTool = Omit<Tool, "input"> & { readonly input: z.ZodType };
