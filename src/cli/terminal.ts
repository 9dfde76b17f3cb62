import type { Writable } from "node:stream";
import type { Page } from "./screen/page.ts";
import type { Text } from "./screen/styled.ts";

/** Output of a command. All text is made harmless: see screen/open-screen.ts. */
export interface Screen {
  /** Output goes to a terminal. */
  readonly isScreen: boolean;
  /** Input comes from a terminal. */
  readonly isKeyboard: () => boolean;
  /** The terminal can redraw a line. */
  readonly hasCursor: boolean;
  readonly columns: number;
  readonly rows: number;
  /** A line as `print` would write it: harmless, on one line, with its styles. */
  readonly painted: (line: Text) => string;
  /** The same without styles, to measure it. */
  readonly plain: (line: Text) => string;
  /** Prints exactly one line; line feeds are shown as symbols. */
  readonly print: (line: Text) => void;
  /** The same on standard error. */
  readonly complain: (line: Text) => void;
  /** One line of JSON, for programs. */
  readonly printJson: (value: unknown) => void;
  /** Prints a file's content: byte for byte to a pipe, as harmless text to a terminal. */
  readonly printContent: (content: Uint8Array | string) => void;
  /** Redraws the cursor's line. */
  readonly drawLine: (text: Text) => void;
  readonly clearScreen: () => void;
  /** A page of its own over the terminal, drawn again in place; closing it brings the terminal back as it was. */
  readonly openPage: () => Page;
  /** From now on a closed pipe does not end the process. */
  readonly outliveReader: () => void;
  /** Standard output itself, for line editing and protocols; test/architecture lists who may use it. */
  readonly rawOutput: Writable;
}

/** Everything a command works with. main.ts reads the environment once and passes it on. */
export interface Terminal extends Screen {
  readonly version: string;
  readonly home: string;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Standard input to its end. One with more bytes is refused as soon as that is known. */
  readonly readInput: (bytesMax?: number) => Promise<string>;
}

/** The arguments after the command's name, and whether the answer is for a program. */
export interface Invocation {
  readonly args: readonly string[];
  readonly json: boolean;
}

/** Resolves with the exit code. Expected failures are thrown as `ClientError`. */
export type RunCommand = (terminal: Terminal, invocation: Invocation) => Promise<number>;

export const EXIT = { ok: 0, failed: 1, usage: 2, unavailable: 6, interrupted: 130 } as const;

/** How a turn ended, for scripts. Below 10 are the codes of refused calls; see `nomos run --help`. */
export const TURN_EXIT = { refused: 10, budget: 11, late: 12, schema: 13 } as const;
