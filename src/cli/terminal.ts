import type { Writable } from "node:stream";
import type { Text } from "./screen/styled.ts";

/** Where a command prints. Every text is made harmless on its way: see screen/open-screen.ts. */
export interface Screen {
  /** A person looks at what is printed. */
  readonly isScreen: boolean;
  /** A person types. */
  readonly isKeyboard: () => boolean;
  /** It is a screen on which a line can be drawn anew. */
  readonly hasCursor: boolean;
  readonly columns: number;
  /** Exactly one line: line feeds in it are shown as signs. */
  readonly print: (line: Text) => void;
  /** The same on standard error. */
  readonly complain: (line: Text) => void;
  /** One line of JSON, for programs. */
  readonly printJson: (value: unknown) => void;
  /** A file's content: to a pipe byte for byte, to a screen as harmless text. */
  readonly printContent: (content: Uint8Array | string) => void;
  /** Draws the line of the cursor anew. */
  readonly drawLine: (text: Text) => void;
  readonly clearScreen: () => void;
  /** From now on a closed pipe is no reason to end. */
  readonly outliveReader: () => void;
  /** Standard output itself, for line editing and for protocols; test/architecture names who may use it. */
  readonly rawOutput: Writable;
}

/** What a command works with. The environment is read once, in main.ts, and passed on in here. */
export interface Terminal extends Screen {
  readonly version: string;
  readonly home: string;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly readInput: () => Promise<string>;
}

/** What a command was given after its name, and whether the answer is for a program. */
export interface Invocation {
  readonly args: readonly string[];
  readonly json: boolean;
}

/** Resolves with the exit code. What is expected to fail is thrown as a `ClientError`. */
export type RunCommand = (terminal: Terminal, invocation: Invocation) => Promise<number>;

export const EXIT = { ok: 0, failed: 1, usage: 2, unavailable: 6, interrupted: 130 } as const;
