/** The members of AIP-46's session record that the cases check. A server may add more. */
export interface SessionRecord {
  readonly id: string;
  readonly adapterSlug: string;
  readonly workspaceSlug: string;
  readonly ground: string;
  readonly cwd: string;
  readonly status: string;
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly exitCode?: number;
  readonly agentSlug?: string;
  readonly parentSessionId?: string;
  readonly depth?: number;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The text parsed as JSON; undefined when it is not JSON. */
  readonly body: unknown;
}

export interface Asked {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Null: no token. Default: the operator's. */
  readonly token?: string | null;
}

/**
 * A server under test, with what the cases need and AIP-46 leaves open: how to make its agent work, where its registry is,
 * how to restart it. Null means that the server cannot do it; cases that need it are reported as not run.
 */
export interface Bench {
  readonly url: string;
  readonly bearer: string;
  readonly call: (method: string, path: string, asked?: Asked) => Promise<Answer>;
  /** Opens a stream with the operator's token. */
  readonly open: (
    path: string,
    init: { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal },
  ) => Promise<Response>;
  /** The body of a spawn that must succeed. */
  readonly spawnBody: Readonly<Record<string, unknown>>;
  readonly prompts: Prompts;
  /** An agent that keeps a word only in its own process: the body of its spawn, and its prompts. */
  readonly memory: {
    readonly body: Readonly<Record<string, unknown>>;
    readonly remember: (word: string) => string;
    readonly recall: () => string;
  };
  /** A known adapter that is not installed. */
  readonly uninstalled: string | null;
  /** Starts a session whose agent writes this word to stderr and exits before it is ready. */
  readonly stillborn: ((word: string) => Promise<string>) | null;
  /** Starts a session whose agent exits by itself with this code. */
  readonly leaving: ((exitCode: number) => Promise<string>) | null;
  /** Starts a busy session whose adapter cannot cancel a turn. */
  readonly uncancellable: (() => Promise<string>) | null;
  readonly restart: (() => Promise<void>) | null;
  /** Null: the server runs elsewhere, so its processes and folders cannot be seen from here. */
  readonly machine: "same" | null;
  /** The path that a store of the older format would have. */
  readonly legacyFile: string | null;
  readonly workspaces: WorkspaceBench | null;
  readonly delegation: DelegationBench | null;
  /** Cases from which the server declares a deviation, and cases that do not apply to it. */
  readonly deviations: readonly number[];
  readonly inapplicable: readonly number[];
  readonly keepAliveMaxMs: number;
  readonly bucketSessions: readonly [many: number, few: number];
}

export interface OpenedBench {
  readonly bench: Bench;
  /** Restores the state from before the test. */
  readonly close: () => Promise<void>;
}

export interface BenchOptions {
  readonly url: string;
  readonly token: string;
  /** An adapter that understands the cases' prompts. Not used with Nomos, which brings its own. */
  readonly adapter: string;
  /** The ground of root sessions; null: the server chooses. */
  readonly ground: string | null;
  /** Restarts the server with the same state and address; resolves when it answers again. */
  readonly restart: (() => Promise<void>) | null;
  readonly isRemote: boolean;
}

/** AIP-46 requires a comment every 30 seconds; one second more for the network. */
export const KEEP_ALIVE_MAX_MS = 31_000;

/** Prompts that make the agent do something. */
export interface Prompts {
  readonly say: (text: string) => string;
  readonly complain: (text: string) => string;
  /** Works for longer than any case takes. */
  readonly work: () => string;
  readonly remember: (word: string) => string;
  readonly recall: () => string;
  /** Starts processes with this mark on their command line, including a grandchild; the turn goes on. */
  readonly breed: (mark: string) => string;
}

export interface WorkspaceBench {
  readonly add: (slug: string, path: string) => Promise<void>;
  /** Null: no workspace is active. */
  readonly use: (slug: string | null) => Promise<void>;
  readonly remove: (slug: string) => Promise<void>;
}

export interface DelegationBench {
  readonly adapter: string;
  /** Creates an agent that may delegate to these; resolves when it exists. */
  readonly agent: (slug: string, delegatesTo: readonly string[]) => Promise<void>;
  /** The token of the session's own process. */
  readonly tokenOf: (sessionId: string) => Promise<string>;
  readonly limit: (limits: { readonly depthMax: number; readonly childrenMax: number }) => Promise<void>;
  /** Slug -> whether the session may start that agent, according to the server. */
  readonly outlook: (sessionId: string) => Promise<ReadonlyMap<string, boolean>>;
}
