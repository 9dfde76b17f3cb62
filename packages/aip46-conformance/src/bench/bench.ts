/** AIP-46's record, as far as the cases look at it. A server may add to it. */
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
  /** The text as JSON; undefined when it is none. */
  readonly body: unknown;
}

export interface Asked {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Null: none. Default: the operator's. */
  readonly token?: string | null;
}

/**
 * A server under test, and what AIP-46 leaves open but a case needs: how its agent is made to work, where its registry is,
 * how it is restarted. What a server cannot do is null; the cases that need it are not run, and say so.
 */
export interface Bench {
  readonly url: string;
  readonly bearer: string;
  readonly call: (method: string, path: string, asked?: Asked) => Promise<Answer>;
  /** A stream, with the operator's token. */
  readonly open: (
    path: string,
    init: { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal },
  ) => Promise<Response>;
  /** Of a spawn that must succeed. */
  readonly spawnBody: Readonly<Record<string, unknown>>;
  readonly prompts: Prompts;
  /** An agent that keeps a word in its own process and nowhere else: what a spawn must say, and how it is talked to. */
  readonly memory: {
    readonly body: Readonly<Record<string, unknown>>;
    readonly remember: (word: string) => string;
    readonly recall: () => string;
  };
  /** An adapter that is known and not installed. */
  readonly uninstalled: string | null;
  /** A session whose agent's program ends before it is ready, with this word on its stderr. */
  readonly stillborn: ((word: string) => Promise<string>) | null;
  /** A session whose agent ends by itself with this code. */
  readonly leaving: ((exitCode: number) => Promise<string>) | null;
  /** A busy session whose adapter cannot cancel a turn. */
  readonly uncancellable: (() => Promise<string>) | null;
  readonly restart: (() => Promise<void>) | null;
  /** Null: the server runs elsewhere, so its processes and folders cannot be seen from here. */
  readonly machine: "same" | null;
  /** Where a store of an earlier kind would lie. */
  readonly legacyFile: string | null;
  readonly workspaces: WorkspaceBench | null;
  readonly delegation: DelegationBench | null;
  /** Of the cases, those that the server itself says it does otherwise, or that do not apply to it. */
  readonly deviations: readonly number[];
  readonly inapplicable: readonly number[];
  readonly keepAliveMaxMs: number;
  readonly bucketSessions: readonly [many: number, few: number];
}

export interface OpenedBench {
  readonly bench: Bench;
  /** Puts back what was there before. */
  readonly close: () => Promise<void>;
}

export interface BenchOptions {
  readonly url: string;
  readonly token: string;
  /** The adapter that obeys the prompts of the cases; Nomos is driven through its own. */
  readonly adapter: string;
  /** Where root sessions work; null leaves it to the server. */
  readonly ground: string | null;
  /** Stops the server and starts it again on the same state and address; resolves when it is back. */
  readonly restart: (() => Promise<void>) | null;
  readonly isRemote: boolean;
}

/** The text asks for a comment every 30 seconds; the rest is for the way. */
export const KEEP_ALIVE_MAX_MS = 31_000;

/** What to say to the agent to make it do something. */
export interface Prompts {
  readonly say: (text: string) => string;
  readonly complain: (text: string) => string;
  /** For longer than any case takes. */
  readonly work: () => string;
  readonly remember: (word: string) => string;
  readonly recall: () => string;
  /** Processes that have this mark on their command line, a grandchild among them; the turn goes on. */
  readonly breed: (mark: string) => string;
}

export interface WorkspaceBench {
  readonly add: (slug: string, path: string) => Promise<void>;
  /** Null: none is active any more. */
  readonly use: (slug: string | null) => Promise<void>;
  readonly remove: (slug: string) => Promise<void>;
}

export interface DelegationBench {
  readonly adapter: string;
  /** An agent that delegates to these; it is there when this resolves. */
  readonly agent: (slug: string, delegatesTo: readonly string[]) => Promise<void>;
  /** What the session's own process holds. */
  readonly tokenOf: (sessionId: string) => Promise<string>;
  readonly limit: (limits: { readonly depthMax: number; readonly childrenMax: number }) => Promise<void>;
  /** Slug -> whether the session may start it, as the server says. */
  readonly outlook: (sessionId: string) => Promise<ReadonlyMap<string, boolean>>;
}
