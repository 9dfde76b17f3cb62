import type { Package } from "../package.ts";

/** An engine under test: ours, a peer, or the bare client that shows what the model itself takes. */
export interface Contender {
  readonly name: ContenderName;
  /** Starts a process of its own in a home that was used before. */
  readonly start: () => Promise<Running>;
  /** A peer with a process per session cannot be asked for a hundred. */
  readonly processPerSession: boolean;
}

export type ContenderName = "nomos" | "pi" | "opencode" | "bare";

export interface Running extends AsyncDisposable {
  /** The root of its processes. */
  readonly pid: number;
  /** A new session and its first turn, until the end of that turn. */
  readonly begin: (prompt: string) => Promise<Conversation>;
}

export interface Conversation {
  /** Resolves when the turn has ended. */
  readonly prompt: (prompt: string) => Promise<void>;
  /** Calls back for each piece of an answer, as a screen would get it. */
  readonly watch: (onDelta: OnDelta) => Promise<AsyncDisposable>;
}

/** The piece as it arrives, in whatever envelope. */
export type OnDelta = (text: string) => void;

/** Where a contender may write, and which model it asks. */
export interface Setting {
  readonly product: () => Promise<Package>;
  readonly modelUrl: string;
  /** A folder in the run's scratch; made when it is not there. */
  readonly folder: (name: string) => string;
  /** The directory that all sessions work in. */
  readonly cwd: string;
}

const TURN_MAX_MS = 120_000;

/** An engine that hangs must not hold up the run. */
export async function inTime<T>(what: string, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`${what}: not done in ${TURN_MAX_MS} ms`)), TURN_MAX_MS);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
