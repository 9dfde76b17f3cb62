/** What a command works with. The environment is read once, in main.ts, and passed on in here. */
export interface Terminal {
  readonly version: string;
  readonly home: string;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** A person looks at what is printed. */
  readonly isScreen: boolean;
  /** A person types. */
  readonly isKeyboard: () => boolean;
  readonly hasColour: boolean;
  /** It is a screen on which a line can be drawn anew. */
  readonly hasCursor: boolean;
  readonly columns: number;
  readonly print: (line: string) => void;
  readonly printBytes: (bytes: Uint8Array | string) => void;
  readonly complain: (line: string) => void;
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
