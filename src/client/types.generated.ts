// Generated from the syscall table by `npm run docs`.
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export type Agent = {
  readonly slug: string;
  readonly name: string;
  readonly driver: string;
  readonly tools: { readonly [key: string]: "auto" | "on_demand" | "always_ask" | "never" };
  readonly builtIn: boolean;
  readonly delegatesTo: readonly string[];
  readonly createdAt: string;
  readonly default: boolean;
};

export type Approval = {
  readonly id: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly status: "pending" | "approved" | "rejected" | "cancelled" | "expired";
  readonly question: string;
  readonly options: readonly string[];
  readonly action?: {
    readonly verb: string;
    readonly resource: string;
  };
  readonly createdAt: string;
  /** what would be done; of an open question, when the agent tells it */
  readonly detail?: {
    /** the whole command */
    readonly command?: string;
    /** the file that would be changed */
    readonly path?: string;
    /** the change as a unified diff; a cut one says how many lines are missing */
    readonly diff?: string;
  };
};

export type LogEvent = {
  readonly seq: number;
  readonly id: string;
  readonly stream: string;
  readonly version: number;
  readonly type: string;
  readonly at: string;
  readonly actor: string;
  readonly cause: string | null;
  readonly data: Json;
  readonly hash: string;
  readonly prev: string;
};

export type Session = {
  readonly id: string;
  readonly adapterSlug: string;
  readonly workspaceSlug: string;
  readonly ground: string;
  readonly cwd: string;
  readonly status: "starting" | "running" | "exited" | "killed" | "error";
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly lastOutputAt?: string;
  readonly exitCode?: number;
  readonly label?: string;
  readonly agentSlug?: string;
  readonly parentSessionId?: string;
  readonly depth: number;
  readonly name: string;
  readonly agent: string;
  readonly state: "starting" | "idle" | "busy" | "suspended" | "hibernated" | "exited" | "killed" | "error";
  readonly busy: boolean;
  readonly waitingFor?: "approval" | "quota";
  /** when the usage limit resets that it waits for */
  readonly waitingUntil?: string;
  readonly queued: number;
  readonly sandbox: "off" | "warn" | "enforce" | "strict";
  readonly head: string | null;
  readonly forkedFrom?: {
    readonly sessionId: string;
    readonly eventId: string;
  };
  readonly error?: {
    readonly code: string;
    readonly message: string;
  };
  /** of one session; lists leave it out */
  readonly usage?: {
    readonly events: number;
    /** its events as stored, and the blobs and artifacts it brought, packed */
    readonly bytes: number;
    /** of the first ancestor and all that forked from there: what the limit is for */
    readonly withForks: number;
    /** `limits.sessionBytes` */
    readonly limit: number;
  };
  /** as given, or the beginning of the first prompt */
  readonly title?: string;
  /** the sum over its turns, as its agents tell it; absent when they tell nothing */
  readonly spent?: {
    /** tokens, without cached ones */
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
    /** null when the agent tells no price */
    readonly costUsd: number | null;
  };
  /** what it said and did has left the log */
  readonly archived?: {
    readonly at: string;
    /** in `archive` of the home */
    readonly file?: string;
  };
};

export type TodoItem = {
  readonly text: string;
  readonly status: "open" | "active" | "done";
};

export interface SyscallTypes {
  /** Start a session with a driver, and with a first prompt if you give one. */
  "session.start": {
    readonly kind: "write";
    readonly input: {
      /** the driver; `driver list` shows all */
      readonly adapter: string;
      /** default: the agent with the driver's name */
      readonly agent?: string;
      /** a workspace by its slug; older form of `ground` */
      readonly workspaceSlug?: string;
      /** such as ws://workspaces/<slug>/src */
      readonly ground?: string;
      /** the working directory, if you name no ground */
      readonly cwd?: string;
      /** at most 1048576 bytes */
      readonly prompt?: string;
      /** images, files and links; refused if the agent does not take one of them */
      readonly attachments?: readonly {
        readonly kind: "image" | "resource" | "link";
        readonly name: string;
        readonly mediaType?: string;
        readonly uri?: string;
        /** the content in base64; leave it out for a link */
        readonly data?: string;
      }[];
      /** the agent's mode */
      readonly mode?: string;
      /** the agent's model */
      readonly model?: string;
      /** more settings; of the agent `nomos`: `schema`, a JSON schema that its answers have to fit */
      readonly options?: { readonly [key: string]: string | boolean };
      readonly label?: string;
      /** default: the first line of the first prompt */
      readonly title?: string;
      readonly sandbox?: "off" | "warn" | "enforce" | "strict";
      /** paths it may change, from the repository's root; implies a worktree */
      readonly scope?: {
        readonly allow?: readonly string[];
        readonly deny?: readonly string[];
      };
      readonly network?: {
        readonly allow: readonly string[];
      };
      /** work in a new worktree, made from the repository at `base` */
      readonly worktree?: boolean;
      /** branch, tag or commit of the worktree; default: HEAD */
      readonly base?: string;
      /** secrets its processes get as variables */
      readonly secrets?: readonly string[];
      /** for the script driver: the TypeScript file to run */
      readonly file?: string;
      /** a ticket to work on: strict, within its scope, under its lease */
      readonly ticket?: string;
      /** of a ticket: read what was done, change nothing */
      readonly audit?: boolean;
    };
    readonly output: {
      readonly id: string;
      readonly adapterSlug: string;
      readonly workspaceSlug: string;
      readonly ground: string;
      readonly cwd: string;
      readonly status: "starting" | "running" | "exited" | "killed" | "error";
      readonly startedAt: string;
      readonly endedAt?: string;
      readonly lastOutputAt?: string;
      readonly exitCode?: number;
      readonly label?: string;
      readonly agentSlug?: string;
      readonly parentSessionId?: string;
      readonly depth: number;
      readonly name: string;
      readonly agent: string;
      readonly state: "starting" | "idle" | "busy" | "suspended" | "hibernated" | "exited" | "killed" | "error";
      readonly busy: boolean;
      readonly waitingFor?: "approval" | "quota";
      /** when the usage limit resets that it waits for */
      readonly waitingUntil?: string;
      readonly queued: number;
      readonly sandbox: "off" | "warn" | "enforce" | "strict";
      readonly head: string | null;
      readonly forkedFrom?: {
        readonly sessionId: string;
        readonly eventId: string;
      };
      readonly error?: {
        readonly code: string;
        readonly message: string;
      };
      /** of one session; lists leave it out */
      readonly usage?: {
        readonly events: number;
        /** its events as stored, and the blobs and artifacts it brought, packed */
        readonly bytes: number;
        /** of the first ancestor and all that forked from there: what the limit is for */
        readonly withForks: number;
        /** `limits.sessionBytes` */
        readonly limit: number;
      };
      /** as given, or the beginning of the first prompt */
      readonly title?: string;
      /** the sum over its turns, as its agents tell it; absent when they tell nothing */
      readonly spent?: {
        /** tokens, without cached ones */
        readonly input: number;
        readonly output: number;
        readonly cacheRead: number;
        readonly cacheWrite: number;
        /** null when the agent tells no price */
        readonly costUsd: number | null;
      };
      /** what it said and did has left the log */
      readonly archived?: {
        readonly at: string;
        /** in `archive` of the home */
        readonly file?: string;
      };
      /** secrets that marks replaced */
      readonly redacted?: readonly {
        readonly kind: string;
        readonly fingerprint: string;
        readonly count: number;
      }[];
      /** where it differs from the request */
      readonly warnings?: readonly string[];
      /** living sessions in the same directory, or above or below it */
      readonly neighbours?: readonly {
        readonly id: string;
        readonly name: string;
        readonly busy: boolean;
      }[];
      /** about neighbours, or that the repository can have a law */
      readonly notice?: string;
    };
  };
  /** Send a session its next prompt; returns once the prompt is stored. */
  "session.prompt": {
    readonly kind: "write";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
      /** at most 1048576 bytes */
      readonly prompt: string;
      /** if the session is busy, queue the prompt */
      readonly queue?: boolean;
      /** end the running turn first */
      readonly interrupt?: boolean;
      /** while a turn runs: a message for it, taken up with its next step; else an ordinary prompt */
      readonly steer?: boolean;
      /** images, files and links; refused if the agent does not take one of them */
      readonly attachments?: readonly {
        readonly kind: "image" | "resource" | "link";
        readonly name: string;
        readonly mediaType?: string;
        readonly uri?: string;
        /** the content in base64; leave it out for a link */
        readonly data?: string;
      }[];
    };
    readonly output: {
      readonly ok: true;
      readonly id: string;
      /** the turn of the prompt; of a steering message, the running turn */
      readonly turnId: string;
      readonly queued: boolean;
      /** the running turn takes it up */
      readonly steered?: true;
      /** secrets that marks replaced */
      readonly redacted?: readonly {
        readonly kind: string;
        readonly fingerprint: string;
        readonly count: number;
      }[];
    };
  };
  /** Show what a session's model is sent: each part, where it comes from and how many tokens it takes. */
  "session.context": {
    readonly kind: "read";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
    };
    readonly output: {
      readonly parts: readonly {
        readonly name: string;
        /** a file, a built-in text, or events of the log */
        readonly source: string;
        readonly tokens: number;
      }[];
      /** of all parts, estimated */
      readonly tokens: number;
      /** tokens that the model takes at most */
      readonly window: number;
      readonly model: string;
    };
  };
  /** Replace the older part of a session's conversation by a summary; the log keeps all of it. */
  "session.compact": {
    readonly kind: "write";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
      /** what the summary should keep above all */
      readonly focus?: string;
    };
    readonly output: Session;
  };
  /** Give a session to another agent: it has the conversation so far and takes the next prompt. */
  "session.switch": {
    readonly kind: "write";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
      readonly agent: string;
      /** its model */
      readonly model?: string;
    };
    readonly output: Session;
  };
  /** Run a recorded session again on its recorded results: where it diverges, its cost, what a policy refuses. */
  "session.replay": {
    readonly kind: "read";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
      /** another model that is asked at each recorded step; that costs money */
      readonly model?: string;
      /** rules as in `policy` of the configuration; default: the current ones */
      readonly policy?: {
        readonly rules: readonly {
          readonly id: string;
          readonly effect: "allow" | "deny" | "ask";
          readonly verb: string;
          readonly resource: string;
        }[];
      };
      /** an event id or a label: only up to there */
      readonly until?: string;
      /** go on after a divergence of the model, along the record */
      readonly all?: boolean;
      /** compare which calls the model makes, and not its words */
      readonly callsOnly?: boolean;
      /** dollars that asking the model may cost */
      readonly budget?: number;
    };
    readonly output: {
      readonly id: string;
      readonly diverged: boolean;
      /** the event of the first divergence */
      readonly at?: string;
      /** the last event that was replayed */
      readonly until: string | null;
      readonly turns: readonly {
        readonly turnId: string;
        /** of its start */
        readonly eventId: string;
        /** `foreign`: another agent's turn; its calls are judged, not run again */
        readonly kind: "own" | "foreign";
        readonly steps: number;
        readonly calls: number;
        readonly is: "same" | "diverged" | "skipped";
        readonly divergences: readonly {
          /** the recorded event, or the last one before */
          readonly eventId: string;
          readonly turnId: string;
          /** which answer of the turn, from 1 */
          readonly step: number;
          /** `engine`: its loop decides otherwise; else the model answers so */
          readonly in: "engine" | "calls" | "text";
          readonly recorded: string;
          readonly replayed: string;
        }[];
        /** what was said last, by the other model where it was asked; its beginning */
        readonly text: string | null;
        readonly note: string | null;
      }[];
      readonly steps: number;
      /** as recorded */
      readonly spent: {
        /** tokens, without cached ones */
        readonly input: number;
        readonly output: number;
        readonly cacheRead: number;
        readonly cacheWrite: number;
        /** null when the agent tells no price */
        readonly costUsd: number | null;
      };
      /** the recorded tokens at the other model's prices */
      readonly wouldCost?: {
        readonly model: string;
        /** null: its price is unknown */
        readonly costUsd: number | null;
      };
      /** what the other model was asked, and what that cost */
      readonly compared?: {
        readonly model: string;
        readonly answers: number;
        readonly spent: {
          /** tokens, without cached ones */
          readonly input: number;
          readonly output: number;
          readonly cacheRead: number;
          readonly cacheWrite: number;
          /** null when the agent tells no price */
          readonly costUsd: number | null;
        };
      };
      readonly policy: "current" | "given";
      /** calls that the policy was asked about */
      readonly judged: number;
      /** calls that the policy refuses */
      readonly refused: readonly {
        readonly eventId: string;
        readonly turnId: string;
        readonly callId: string | null;
        readonly title: string;
        readonly verb: string;
        readonly resource: string;
        readonly rules: readonly string[];
        /** what was decided then */
        readonly was: "allowed" | "asked" | "refused";
      }[];
      /** calls that a person would be asked about */
      readonly asked: readonly {
        readonly eventId: string;
        readonly turnId: string;
        readonly callId: string | null;
        readonly title: string;
        readonly verb: string;
        readonly resource: string;
        readonly rules: readonly string[];
        /** what was decided then */
        readonly was: "allowed" | "asked" | "refused";
      }[];
      /** entries of these lists that are left out */
      readonly more: number;
      readonly notes: readonly string[];
    };
  };
  /** End the running turn; the session stays alive. */
  "session.interrupt": {
    readonly kind: "write";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
    };
    readonly output: {
      readonly ok: boolean;
      readonly id: string;
      readonly wasBusy: boolean;
    };
  };
  /** Suspend a session: its running turn ends, its queue waits until you resume it. */
  "session.suspend": {
    readonly kind: "write";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
      readonly reason?: string;
      /** of a session on a ticket: nobody else takes it meanwhile */
      readonly keepLease?: boolean;
    };
    readonly output: Session;
  };
  /** Resume a suspended session. */
  "session.resume": {
    readonly kind: "write";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
    };
    readonly output: Session;
  };
  /** Hibernate an idle session: its processes end, and the next prompt wakes it. */
  "session.hibernate": {
    readonly kind: "write";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
    };
    readonly output: Session;
  };
  /** End a session and its whole process tree. */
  "session.kill": {
    readonly kind: "write";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
      readonly reason?: string;
    };
    readonly output: {
      readonly ok: boolean;
      readonly id: string;
    };
  };
  /** Remove a session from every list, killing it first if needed; its events stay in the log. */
  "session.forget": {
    readonly kind: "write";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
    };
    readonly output: {
      readonly ok: boolean;
      readonly id: string;
    };
  };
  /** Forget every ended session, except those whose worktree holds work. */
  "session.prune": {
    readonly kind: "write";
    readonly input: {
      /** only sessions that ended at least this long ago */
      readonly olderThanMs?: number;
      /** only sessions with this label */
      readonly label?: string;
    };
    readonly output: {
      readonly forgotten: readonly {
        readonly id: string;
        readonly name: string;
      }[];
      readonly kept: readonly {
        readonly id: string;
        readonly name: string;
        readonly reason: string;
      }[];
    };
  };
  /** Set or remove a session's label. */
  "session.label": {
    readonly kind: "write";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
      readonly label: string | null;
    };
    readonly output: Session;
  };
  /** Give a session a title, or take it away. */
  "session.rename": {
    readonly kind: "write";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
      readonly title: string | null;
    };
    readonly output: Session;
  };
  /** Start a new session from an event of another one, with its own copy of the files at that event. */
  "session.fork": {
    readonly kind: "write";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
      /** an event id or a label; default: the head */
      readonly at?: string;
      /** instead of an event: the end of this turn, from 1; 0: before the first turn */
      readonly turn?: number;
      readonly label?: string;
      /** another agent for the fork; default: the same */
      readonly agent?: string;
      /** the model of the fork; default: the same, if the agent is the same */
      readonly model?: string;
      /** leave the files as they are */
      readonly talkOnly?: boolean;
    };
    readonly output: Session;
  };
  /** Move a session back to an event, with its files, artifacts and todo; deletes nothing from the log. */
  "session.rewind": {
    readonly kind: "write";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
      /** an event id or a label */
      readonly to?: string;
      /** instead of an event: the end of this turn, from 1; 0: before the first turn */
      readonly turn?: number;
      /** also overwrite files that both the session and others changed */
      readonly force?: boolean;
      /** leave the files as they are */
      readonly talkOnly?: boolean;
      /** then let the agent `nomos` note what came of the branch that is left, in a turn of its own */
      readonly summarize?: boolean;
      /** what that summary should keep above all */
      readonly focus?: string;
    };
    readonly output: {
      readonly id: string;
      readonly adapterSlug: string;
      readonly workspaceSlug: string;
      readonly ground: string;
      readonly cwd: string;
      readonly status: "starting" | "running" | "exited" | "killed" | "error";
      readonly startedAt: string;
      readonly endedAt?: string;
      readonly lastOutputAt?: string;
      readonly exitCode?: number;
      readonly label?: string;
      readonly agentSlug?: string;
      readonly parentSessionId?: string;
      readonly depth: number;
      readonly name: string;
      readonly agent: string;
      readonly state: "starting" | "idle" | "busy" | "suspended" | "hibernated" | "exited" | "killed" | "error";
      readonly busy: boolean;
      readonly waitingFor?: "approval" | "quota";
      /** when the usage limit resets that it waits for */
      readonly waitingUntil?: string;
      readonly queued: number;
      readonly sandbox: "off" | "warn" | "enforce" | "strict";
      readonly head: string | null;
      readonly forkedFrom?: {
        readonly sessionId: string;
        readonly eventId: string;
      };
      readonly error?: {
        readonly code: string;
        readonly message: string;
      };
      /** of one session; lists leave it out */
      readonly usage?: {
        readonly events: number;
        /** its events as stored, and the blobs and artifacts it brought, packed */
        readonly bytes: number;
        /** of the first ancestor and all that forked from there: what the limit is for */
        readonly withForks: number;
        /** `limits.sessionBytes` */
        readonly limit: number;
      };
      /** as given, or the beginning of the first prompt */
      readonly title?: string;
      /** the sum over its turns, as its agents tell it; absent when they tell nothing */
      readonly spent?: {
        /** tokens, without cached ones */
        readonly input: number;
        readonly output: number;
        readonly cacheRead: number;
        readonly cacheWrite: number;
        /** null when the agent tells no price */
        readonly costUsd: number | null;
      };
      /** what it said and did has left the log */
      readonly archived?: {
        readonly at: string;
        /** in `archive` of the home */
        readonly file?: string;
      };
      readonly irrevocable: readonly {
        readonly effectId: string;
        readonly kind: string;
        readonly detail: unknown;
      }[];
      /** files whose earlier contents are back */
      readonly restored: readonly string[];
      /** files that did not exist then and were removed */
      readonly removed: readonly string[];
      /** files that others changed, left unchanged */
      readonly kept: readonly string[];
      /** how many more names there are */
      readonly more: number;
      /** the command that undoes this rewind */
      readonly undo: string | null;
    };
  };
  /** Erase the data of events for good; their headers stay, so the chain and old proofs stay valid. */
  "session.erase": {
    readonly kind: "write";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
      readonly events: readonly string[];
      readonly reason?: string;
    };
    readonly output: {
      readonly ok: boolean;
      readonly erased: readonly string[];
    };
  };
  /** Label a point of a session's history, so that rewind and fork find it; an empty label is removed. */
  "session.mark": {
    readonly kind: "write";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
      /** an event id, or the label that the point has */
      readonly event: string;
      /** a label that is at another point moves here; null or empty: removed */
      readonly label: string | null;
    };
    readonly output: {
      readonly id: string;
      readonly eventId: string;
      readonly label: string | null;
    };
  };
  /** List the labelled points of a session's history, with those that a fork inherited. */
  "session.marks": {
    readonly kind: "read";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
      /** the `next` of the previous page */
      readonly after?: number;
      readonly limit?: number;
    };
    readonly output: {
      readonly marks: readonly {
        readonly eventId: string;
        readonly label: string;
        /** when it was labelled */
        readonly at: string;
        /** false: a rewind went back behind it */
        readonly isOnPath: boolean;
      }[];
      readonly next: number | null;
    };
  };
  /** Show the modes, models, options and commands of a session's agent, and which are chosen. */
  "session.offer": {
    readonly kind: "read";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
    };
    readonly output: {
      readonly id: string;
      readonly chosen: {
        readonly mode: string | null;
        readonly model: string | null;
        readonly options: { readonly [key: string]: string | boolean };
      } | null;
      /** null until the agent has reported its offer */
      readonly offer: {
        readonly mode: string | null;
        readonly modes: readonly {
          readonly id: string;
          readonly name: string;
        }[];
        readonly options: readonly {
          readonly id: string;
          readonly name: string;
          readonly category: string | null;
          readonly current: string | boolean;
          readonly values: readonly string[];
        }[];
        readonly commands: readonly {
          readonly name: string;
          readonly description: string;
        }[];
      } | null;
    };
  };
  /** Set mode, model and options of a session's agent, from its next turn on. */
  "session.configure": {
    readonly kind: "write";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
      /** the agent's mode */
      readonly mode?: string;
      /** the agent's model */
      readonly model?: string;
      /** more settings; of the agent `nomos`: `schema`, a JSON schema that its answers have to fit */
      readonly options?: { readonly [key: string]: string | boolean };
    };
    readonly output: Session;
  };
  /** List the sessions, newest first. */
  "session.list": {
    readonly kind: "read";
    readonly input: {
      readonly onlyAlive?: boolean | "0" | "1" | "true" | "false";
      readonly limit?: number;
      /** the `next` of the previous page */
      readonly after?: string;
      /** `started` and `activity`: latest first; `name` and `state`: a to z */
      readonly sort?: "started" | "activity" | "name" | "state";
      /** only sessions of this workspace; `default`: sessions outside all workspaces */
      readonly workspaceSlug?: string;
    };
    readonly output: {
      readonly sessions: readonly Session[];
      readonly next: string | null;
    };
  };
  /** Show one session. */
  "session.show": {
    readonly kind: "read";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
    };
    readonly output: Session;
  };
  /** List a session's events by page: the whole stream, or only its current path. */
  "session.events": {
    readonly kind: "read";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
      /** a `next`, a `seq`, an event id, or `now`; reading starts after it */
      readonly after?: number | string;
      /** other hosts' name for `after` */
      readonly since?: number | string;
      readonly limit?: number;
      readonly view?: "raw" | "path";
      readonly order?: "asc" | "desc";
      /** only events of these types, with or without version */
      readonly types?: readonly string[] | string;
      readonly turnId?: string;
    };
    readonly output: {
      readonly events: readonly LogEvent[];
      readonly next: number | null;
    };
  };
  /** Show the last lines of a session's transcript. */
  "session.output": {
    readonly kind: "read";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
      readonly lastN?: number;
    };
    readonly output: {
      readonly id: string;
      readonly lines: readonly {
        readonly line: string;
        readonly stream: "stdout" | "stderr";
      }[];
    };
  };
  /** Wait until a session is idle, or until one turn has ended. */
  "session.wait": {
    readonly kind: "read";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
      readonly turnId?: string;
      readonly timeoutMs?: number;
    };
    readonly output: {
      readonly session: Session;
      readonly turn: {
        readonly turnId: string;
        readonly outcome: string;
      } | null;
    };
  };
  /** Search the text of all sessions. */
  "session.search": {
    readonly kind: "read";
    readonly input: {
      readonly q: string;
      readonly limit?: number;
    };
    readonly output: {
      readonly hits: readonly {
        readonly sessionId: string;
        readonly eventId: string;
        readonly snippet: string;
        readonly session: Session;
      }[];
    };
  };
  /** Follow a session live: lines, events, partial text and state changes. */
  "session.stream": {
    readonly kind: "stream";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
      /** a `next`, a `seq`, an event id, or `now`; reading starts after it */
      readonly after?: number | string;
      /** other hosts' name for `after` */
      readonly since?: number | string;
      /** only lines, only events, or everything */
      readonly show?: "all" | "lines" | "events";
    };
    readonly output: {
      readonly line: string;
      readonly stream: "stdout" | "stderr";
    };
  };
  /** Follow all sessions: each as it is after a change, questions, and changes outside of sessions. */
  "session.watch": {
    readonly kind: "stream";
    readonly input: {
      /** a `next`, a `seq`, an event id, or `now`; reading starts after it */
      readonly after?: number | string;
    };
    readonly output: {
      readonly id: string;
      readonly adapterSlug: string;
      readonly workspaceSlug: string;
      readonly ground: string;
      readonly cwd: string;
      readonly status: "starting" | "running" | "exited" | "killed" | "error";
      readonly startedAt: string;
      readonly endedAt?: string;
      readonly lastOutputAt?: string;
      readonly exitCode?: number;
      readonly label?: string;
      readonly agentSlug?: string;
      readonly parentSessionId?: string;
      readonly depth: number;
      readonly name: string;
      readonly agent: string;
      readonly state: "starting" | "idle" | "busy" | "suspended" | "hibernated" | "exited" | "killed" | "error";
      readonly busy: boolean;
      readonly waitingFor?: "approval" | "quota";
      /** when the usage limit resets that it waits for */
      readonly waitingUntil?: string;
      readonly queued: number;
      readonly sandbox: "off" | "warn" | "enforce" | "strict";
      readonly head: string | null;
      readonly forkedFrom?: {
        readonly sessionId: string;
        readonly eventId: string;
      };
      readonly error?: {
        readonly code: string;
        readonly message: string;
      };
      /** of one session; lists leave it out */
      readonly usage?: {
        readonly events: number;
        /** its events as stored, and the blobs and artifacts it brought, packed */
        readonly bytes: number;
        /** of the first ancestor and all that forked from there: what the limit is for */
        readonly withForks: number;
        /** `limits.sessionBytes` */
        readonly limit: number;
      };
      /** as given, or the beginning of the first prompt */
      readonly title?: string;
      /** the sum over its turns, as its agents tell it; absent when they tell nothing */
      readonly spent?: {
        /** tokens, without cached ones */
        readonly input: number;
        readonly output: number;
        readonly cacheRead: number;
        readonly cacheWrite: number;
        /** null when the agent tells no price */
        readonly costUsd: number | null;
      };
      /** what it said and did has left the log */
      readonly archived?: {
        readonly at: string;
        /** in `archive` of the home */
        readonly file?: string;
      };
      /** the tool at work, or the last line it said, if that changed */
      readonly doing?: string;
    };
  };
  /** Explain where a session is: the events that led there, and the next command. */
  "session.why": {
    readonly kind: "read";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
    };
    readonly output: {
      readonly state: string;
      /** the events that led there, oldest first, at most 20 */
      readonly because: readonly {
        readonly seq: number;
        readonly id: string;
        readonly type: string;
        readonly at: string;
        readonly says: string;
      }[];
      /** the command to run next */
      readonly next: string | null;
    };
  };
  /** List the agents a session may start, and why the others are refused. */
  "session.delegates": {
    readonly kind: "read";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
    };
    readonly output: {
      readonly id: string;
      readonly ground: string;
      readonly delegates: readonly string[];
      readonly depth: number;
      readonly depthMax: number;
      readonly children: number;
      readonly childrenMax: number;
      readonly agents: readonly {
        readonly slug: string;
        readonly driver: string;
        readonly allowed: boolean;
        readonly code: string | null;
      }[];
    };
  };
  /** Take a snapshot of a session's files now, in addition to the one at each turn's end. */
  "session.snapshot": {
    readonly kind: "write";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
    };
    readonly output: {
      readonly id: string;
      readonly snapshot: string;
      readonly isNew: boolean;
      readonly files: number;
      readonly bytes: number;
    };
  };
  /** List a session's turns by number, as `rewind`, `fork` and `diff` take them. */
  "session.turns": {
    readonly kind: "read";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
      /** the `next` of the previous page */
      readonly after?: number;
      readonly limit?: number;
    };
    readonly output: {
      readonly turns: readonly {
        readonly turn: number;
        readonly turnId: string;
        /** the first line, cut; null: erased */
        readonly prompt: string | null;
        /** null: it runs */
        readonly outcome: string | null;
        readonly startedAt: string;
        readonly endedAt?: string;
        /** a rewind went back behind its end */
        readonly rewound: boolean;
        /** its end, where a rewind to it goes; null: it runs */
        readonly eventId: string | null;
        readonly spent?: {
          /** tokens, without cached ones */
          readonly input: number;
          readonly output: number;
          readonly cacheRead: number;
          readonly cacheWrite: number;
          /** null when the agent tells no price */
          readonly costUsd: number | null;
        };
      }[];
      readonly next: number | null;
    };
  };
  /** Show which files a turn changed, including changes made through the shell. */
  "session.diff": {
    readonly kind: "read";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
      /** number of the turn, from 1, or its id; default: the running turn, else the last */
      readonly turn?: number | string;
      /** also give binary files and control characters, as git's binary patch */
      readonly binary?: boolean | "0" | "1" | "true" | "false";
    };
    readonly output: {
      readonly id: string;
      readonly turnId: string;
      readonly turn: number;
      readonly from: string | null;
      readonly to: string;
      readonly files: readonly {
        readonly path: string;
        readonly change: "added" | "changed" | "deleted" | "mode";
        readonly kind: string;
        readonly before: {
          readonly mode: string;
          readonly size: number;
          readonly target: string | null;
        } | null;
        readonly after: {
          readonly mode: string;
          readonly size: number;
          readonly target: string | null;
        } | null;
        /** a unified diff, for text files */
        readonly diff: string | null;
        /** why there is no diff */
        readonly noDiff: string | null;
        /** the lines of a git patch from `index` on, if asked for */
        readonly binary?: string;
      }[];
    };
  };
  /** Land a session's work on a branch: through the gate, the checks and the branch's queue. */
  "session.land": {
    readonly kind: "write";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
      /** the branch; default: the one that is checked out in the repository */
      readonly into?: string;
      /** default: `landing.how` of the configuration */
      readonly how?: "merge" | "rebase" | "squash";
      /** of the commit; default: made of the session's own words */
      readonly message?: string;
      /** programs with their arguments, such as `[["npm", "test"]]`, beside the checks of the configuration */
      readonly checks?: readonly (readonly string[])[];
      /** push a branch for a pull request instead of moving the branch */
      readonly pr?: boolean;
      /** run the gate and the checks, and only say what would come of it */
      readonly dryRun?: boolean;
      /** wait for so long for the outcome; default: answer as soon as it is queued */
      readonly waitMs?: number;
    };
    readonly output: {
      /** null: nothing was queued */
      readonly id: string | null;
      readonly sessionId: string;
      readonly sessionName: string;
      /** the session's last turn when its work was captured */
      readonly turnId?: string;
      readonly repository?: string;
      /** the branch */
      readonly into: string;
      readonly state: "queued" | "checking" | "landed" | "refused" | "ejected";
      readonly how?: "merge" | "rebase" | "squash";
      /** as given; otherwise it is made of the session's own words */
      readonly message?: string;
      /** checks beside those of the configuration */
      readonly checks?: readonly (readonly string[])[];
      /** from 1 */
      readonly attempt?: number;
      readonly attemptsMax?: number;
      readonly queuedAt?: string;
      readonly changedAt?: string;
      /** queued: landings of the branch that come first */
      readonly ahead?: number;
      /** the last of these */
      readonly behind?: {
        readonly id: string;
        readonly sessionId: string;
        readonly sessionName: string;
      };
      /** why a person holds it back */
      readonly held?: string;
      /** what is being checked right now */
      readonly checking?: string;
      /** the branch's new commit */
      readonly commit?: string;
      /** new commits on the branch, oldest first */
      readonly commits?: readonly string[];
      readonly files?: number;
      /** lines */
      readonly added?: number;
      /** lines */
      readonly removed?: number;
      /** how long its checks took */
      readonly checkMs?: number;
      /** the branch for a pull request */
      readonly pushed?: {
        readonly remote: string;
        readonly branch: string;
        /** the request, or the page that opens one; null: the forge is unknown */
        readonly url: string | null;
        /** commands that open the request */
        readonly next: readonly string[];
      };
      /** why it was refused */
      readonly findings: readonly {
        readonly rule: "scope" | "secret" | "size" | "fileBudget" | "check" | "conflict" | "base" | "policy";
        readonly path?: string;
        readonly message: string;
        /** what to do about it */
        readonly remedy: string;
      }[];
      /** findings that are left out */
      readonly more?: number;
      /** the turn that tells the agent why */
      readonly toldIn?: string;
      /** the landing that tries the mended work */
      readonly retriedAs?: string;
      /** refused: who has to do something; absent when it was tried again, or the session went on */
      readonly waitsFor?: "person" | "agent";
      /** why it was ejected */
      readonly reason?: string;
      /** false: refused or ejected */
      readonly ok: boolean;
      readonly dryRun: boolean;
    };
  };
  /** List living sessions with the same directory, parent or fork root, each with its last note. */
  "session.siblings": {
    readonly kind: "read";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
    };
    readonly output: {
      readonly siblings: readonly {
        readonly id: string;
        readonly name: string;
        readonly agent: string;
        readonly state: string;
        readonly label: string | null;
        readonly cwd: string;
        /** its last note */
        readonly note: string | null;
      }[];
    };
  };
  /** Leave a note on a session for its siblings and for people. */
  "session.note": {
    readonly kind: "write";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
      readonly text: string;
    };
    readonly output: {
      readonly ok: true;
      readonly id: string;
    };
  };
  /** Ask a person a question from within a turn, and wait for the answer. */
  "session.ask": {
    readonly kind: "write";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
      readonly question: string;
      /** the allowed answers; without options the person answers in their own words */
      readonly options?: readonly string[];
      /** false: return at once and leave the question open */
      readonly wait?: boolean;
      readonly timeoutMs?: number;
    };
    readonly output: {
      readonly approvalId: string;
      readonly status: "pending" | "approved" | "rejected" | "cancelled" | "expired";
      readonly answer: string | null;
    };
  };
  /** Write a handoff with which another agent can continue: task, state, todo, artifacts, last messages. */
  "session.handoff": {
    readonly kind: "read";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
    };
    readonly output: {
      readonly id: string;
      /** Markdown */
      readonly text: string;
    };
  };
  /** Finish a session's work on its ticket, or report that an external agent's session has ended. */
  "session.finish": {
    readonly kind: "write";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
      /** on a ticket: what was done */
      readonly summary?: string;
      /** of the ticket; default: `review`. `keep` keeps it and the lease, `done` needs proof */
      readonly status?: "keep" | "review" | "done";
      /** what is left to do */
      readonly next?: string;
      /** recorded with its reason; proves nothing */
      readonly skipChecks?: boolean;
      /** why checks are skipped */
      readonly reason?: string;
      /** of an external agent */
      readonly exitCode?: number;
      /** the last error, if an external agent failed */
      readonly error?: string;
    };
    readonly output: {
      readonly id: string;
      readonly adapterSlug: string;
      readonly workspaceSlug: string;
      readonly ground: string;
      readonly cwd: string;
      readonly status: "starting" | "running" | "exited" | "killed" | "error";
      readonly startedAt: string;
      readonly endedAt?: string;
      readonly lastOutputAt?: string;
      readonly exitCode?: number;
      readonly label?: string;
      readonly agentSlug?: string;
      readonly parentSessionId?: string;
      readonly depth: number;
      readonly name: string;
      readonly agent: string;
      readonly state: "starting" | "idle" | "busy" | "suspended" | "hibernated" | "exited" | "killed" | "error";
      readonly busy: boolean;
      readonly waitingFor?: "approval" | "quota";
      /** when the usage limit resets that it waits for */
      readonly waitingUntil?: string;
      readonly queued: number;
      readonly sandbox: "off" | "warn" | "enforce" | "strict";
      readonly head: string | null;
      readonly forkedFrom?: {
        readonly sessionId: string;
        readonly eventId: string;
      };
      readonly error?: {
        readonly code: string;
        readonly message: string;
      };
      /** of one session; lists leave it out */
      readonly usage?: {
        readonly events: number;
        /** its events as stored, and the blobs and artifacts it brought, packed */
        readonly bytes: number;
        /** of the first ancestor and all that forked from there: what the limit is for */
        readonly withForks: number;
        /** `limits.sessionBytes` */
        readonly limit: number;
      };
      /** as given, or the beginning of the first prompt */
      readonly title?: string;
      /** the sum over its turns, as its agents tell it; absent when they tell nothing */
      readonly spent?: {
        /** tokens, without cached ones */
        readonly input: number;
        readonly output: number;
        readonly cacheRead: number;
        readonly cacheWrite: number;
        /** null when the agent tells no price */
        readonly costUsd: number | null;
      };
      /** what it said and did has left the log */
      readonly archived?: {
        readonly at: string;
        /** in `archive` of the home */
        readonly file?: string;
      };
      /** of a session on a ticket */
      readonly work?: {
        readonly sessionId: string;
        readonly ticket: string;
        readonly title: string;
        readonly repo: string;
        readonly role: "work" | "audit";
        readonly agent: string;
        readonly model?: string;
        readonly state: "planned" | "active" | "suspended" | "finished" | "handed" | "dropped";
        /** of its lease */
        readonly fence?: number;
        /** somebody else has the lease */
        readonly lost: boolean;
        /** false: memento, ticket status or lease are still to be brought up to date */
        readonly settled: boolean;
        /** of the last finish */
        readonly status?: "keep" | "review" | "done";
        readonly checks?: "passed" | "bypassed" | "none";
        readonly summary?: string;
        readonly next?: string;
        readonly reason?: string;
        /** the agent that it was handed to */
        readonly to?: string;
        readonly receivedBy?: string;
        readonly memento?: string;
        /** why the last finish did not happen */
        readonly refused?: {
          readonly code: string;
          readonly message: string;
        };
        readonly drift?: {
          readonly score: number;
          /** the share of the files that is out of scope */
          readonly scope: number;
          /** how much of the file budget is used */
          readonly budget: number;
          /** 1: a file that the boundary forbids was changed */
          readonly boundary: number;
          /** how much of the line budget is used; no part of the score */
          readonly lines: number;
          readonly files: number;
        };
        readonly startedAt: string;
        readonly changedAt: string;
      };
      /** true: it happens when the running turn has ended */
      readonly asked?: boolean;
    };
  };
  /** Hand a session's work on its ticket to another agent: one act, which its receiver is told of first. */
  "session.handover": {
    readonly kind: "write";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
      /** the agent that receives it; default: whoever starts next */
      readonly to?: string;
      /** where the work stands */
      readonly summary: string;
      readonly reason?: string;
      /** what is left to do */
      readonly next?: string;
    };
    readonly output: {
      readonly id: string;
      readonly adapterSlug: string;
      readonly workspaceSlug: string;
      readonly ground: string;
      readonly cwd: string;
      readonly status: "starting" | "running" | "exited" | "killed" | "error";
      readonly startedAt: string;
      readonly endedAt?: string;
      readonly lastOutputAt?: string;
      readonly exitCode?: number;
      readonly label?: string;
      readonly agentSlug?: string;
      readonly parentSessionId?: string;
      readonly depth: number;
      readonly name: string;
      readonly agent: string;
      readonly state: "starting" | "idle" | "busy" | "suspended" | "hibernated" | "exited" | "killed" | "error";
      readonly busy: boolean;
      readonly waitingFor?: "approval" | "quota";
      /** when the usage limit resets that it waits for */
      readonly waitingUntil?: string;
      readonly queued: number;
      readonly sandbox: "off" | "warn" | "enforce" | "strict";
      readonly head: string | null;
      readonly forkedFrom?: {
        readonly sessionId: string;
        readonly eventId: string;
      };
      readonly error?: {
        readonly code: string;
        readonly message: string;
      };
      /** of one session; lists leave it out */
      readonly usage?: {
        readonly events: number;
        /** its events as stored, and the blobs and artifacts it brought, packed */
        readonly bytes: number;
        /** of the first ancestor and all that forked from there: what the limit is for */
        readonly withForks: number;
        /** `limits.sessionBytes` */
        readonly limit: number;
      };
      /** as given, or the beginning of the first prompt */
      readonly title?: string;
      /** the sum over its turns, as its agents tell it; absent when they tell nothing */
      readonly spent?: {
        /** tokens, without cached ones */
        readonly input: number;
        readonly output: number;
        readonly cacheRead: number;
        readonly cacheWrite: number;
        /** null when the agent tells no price */
        readonly costUsd: number | null;
      };
      /** what it said and did has left the log */
      readonly archived?: {
        readonly at: string;
        /** in `archive` of the home */
        readonly file?: string;
      };
      /** of a session on a ticket */
      readonly work?: {
        readonly sessionId: string;
        readonly ticket: string;
        readonly title: string;
        readonly repo: string;
        readonly role: "work" | "audit";
        readonly agent: string;
        readonly model?: string;
        readonly state: "planned" | "active" | "suspended" | "finished" | "handed" | "dropped";
        /** of its lease */
        readonly fence?: number;
        /** somebody else has the lease */
        readonly lost: boolean;
        /** false: memento, ticket status or lease are still to be brought up to date */
        readonly settled: boolean;
        /** of the last finish */
        readonly status?: "keep" | "review" | "done";
        readonly checks?: "passed" | "bypassed" | "none";
        readonly summary?: string;
        readonly next?: string;
        readonly reason?: string;
        /** the agent that it was handed to */
        readonly to?: string;
        readonly receivedBy?: string;
        readonly memento?: string;
        /** why the last finish did not happen */
        readonly refused?: {
          readonly code: string;
          readonly message: string;
        };
        readonly drift?: {
          readonly score: number;
          /** the share of the files that is out of scope */
          readonly scope: number;
          /** how much of the file budget is used */
          readonly budget: number;
          /** 1: a file that the boundary forbids was changed */
          readonly boundary: number;
          /** how much of the line budget is used; no part of the score */
          readonly lines: number;
          readonly files: number;
        };
        readonly startedAt: string;
        readonly changedAt: string;
      };
      /** true: it happens when the running turn has ended */
      readonly asked?: boolean;
    };
  };
  /** Ask a person to let a session change files outside of its ticket's scope, from its next turn on. */
  "session.amend": {
    readonly kind: "write";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
      /** files below the worktree's root, no patterns */
      readonly paths: readonly string[];
      /** why the work needs them */
      readonly reason: string;
    };
    readonly output: {
      /** `allowed`: it may change them already, nobody is asked */
      readonly status: "pending" | "allowed";
      readonly approvalId?: string;
      readonly paths: readonly string[];
    };
  };
  /** Measure how far a session's changes are from what its ticket allows, as its files are now. */
  "session.drift": {
    readonly kind: "read";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
    };
    readonly output: {
      readonly score: number;
      /** the share of the files that is out of scope */
      readonly scope: number;
      /** how much of the file budget is used */
      readonly budget: number;
      /** 1: a file that the boundary forbids was changed */
      readonly boundary: number;
      /** how much of the line budget is used; no part of the score */
      readonly lines: number;
      readonly files: readonly {
        readonly path: string;
        readonly inScope: boolean;
      }[];
    };
  };
  /** Open a session for an agent that already runs; it ends by `finish` or with the agent's process. */
  "session.open": {
    readonly kind: "write";
    readonly input: {
      /** the agent's process id */
      readonly pid: number;
      /** the start time of the process; default: read from the system */
      readonly startTime?: string;
      readonly agent?: string;
      readonly cwd?: string;
      readonly label?: string;
    };
    readonly output: Session;
  };
  /** Report that an external agent has begun a turn. */
  "turn.begin": {
    readonly kind: "write";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
      readonly input: string;
    };
    readonly output: {
      readonly id: string;
      readonly turnId: string;
    };
  };
  /** Report that an external agent has ended its turn; a repeated report changes nothing. */
  "turn.end": {
    readonly kind: "write";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
      readonly turnId: string;
      readonly outcome?: "completed" | "failed" | "interrupted";
      readonly error?: string;
    };
    readonly output: {
      readonly id: string;
      readonly turnId: string;
      readonly eventId: string;
    };
  };
  /** Report a complete message of a turn. */
  "turn.say": {
    readonly kind: "write";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
      readonly turnId: string;
      readonly text: string;
      readonly role?: "assistant" | "thought";
    };
    readonly output: {
      readonly ids: readonly string[];
    };
  };
  /** Follow all events of the log. */
  "event.stream": {
    readonly kind: "stream";
    readonly input: {
      /** a `next`, a `seq`, an event id, or `now`; reading starts after it */
      readonly after?: number | string;
    };
    readonly output: LogEvent;
  };
  /** Show one event by its id. */
  "event.show": {
    readonly kind: "read";
    readonly input: {
      readonly eventId: string;
    };
    readonly output: LogEvent;
  };
  /** Add custom facts to a session, inside or outside a running turn. */
  "event.add": {
    readonly kind: "write";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
      readonly turnId?: string;
      readonly events: readonly {
        /** `x.<name>@1`, or just the name */
        readonly type: string;
        readonly payload: Json;
      }[];
    };
    readonly output: {
      readonly ids: readonly string[];
    };
  };
  /** List a session's artifacts, each at its current version. */
  "artifact.list": {
    readonly kind: "read";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
    };
    readonly output: {
      readonly artifacts: readonly {
        readonly artifactId: string;
        readonly path: string;
        readonly version: number;
        readonly bytes: number;
        readonly mediaType: string;
        readonly versions: readonly number[];
      }[];
    };
  };
  /** Read an artifact, at its current or an earlier version. */
  "artifact.read": {
    readonly kind: "read";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
      readonly path: string;
      readonly version?: number;
    };
    readonly output: {
      readonly artifactId: string;
      readonly path: string;
      readonly version: number;
      readonly bytes: number;
      readonly mediaType: string;
      readonly encoding: "utf8" | "base64";
      readonly content: string;
    };
  };
  /** Write an artifact: a new path starts at version 1, a known path gets the next version. */
  "artifact.write": {
    readonly kind: "write";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
      readonly path: string;
      readonly content: string;
      readonly encoding?: "utf8" | "base64";
      readonly mediaType?: string;
      readonly turnId?: string;
    };
    readonly output: {
      readonly artifactId: string;
      readonly path: string;
      readonly version: number;
      readonly eventId: string;
    };
  };
  /** Read a blob by its sha256. */
  "blob.read": {
    readonly kind: "read";
    readonly input: {
      readonly sha256: string;
    };
    readonly output: {
      readonly encoding: "utf8" | "base64";
      readonly content: string;
      readonly sha256: string;
      readonly bytes: number;
    };
  };
  /** Show a session's todo list. */
  "todo.show": {
    readonly kind: "read";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
    };
    readonly output: {
      readonly items: readonly TodoItem[];
    };
  };
  /** Replace a session's todo list. */
  "todo.replace": {
    readonly kind: "write";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
      readonly items: readonly TodoItem[];
      readonly turnId?: string;
    };
    readonly output: {
      readonly items: readonly TodoItem[];
    };
  };
  /** List the questions put to a person. */
  "approval.list": {
    readonly kind: "read";
    readonly input: {
      readonly status?: "pending" | "all";
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly sessionId?: string;
    };
    readonly output: {
      readonly approvals: readonly Approval[];
    };
  };
  /** Show a question, with all that it is about. */
  "approval.show": {
    readonly kind: "read";
    readonly input: {
      /** its id, the beginning of it, or its session if that has one open question */
      readonly approvalId: string;
    };
    readonly output: Approval;
  };
  /** Approve a question: once, unless the option says otherwise. */
  "approval.approve": {
    readonly kind: "write";
    readonly input: {
      /** its id, the beginning of it, or its session if that has one open question */
      readonly approvalId: string;
      /** one of the options; if the question has none, your own words */
      readonly option?: string;
    };
    readonly output: Approval;
  };
  /** Reject a question. */
  "approval.reject": {
    readonly kind: "write";
    readonly input: {
      /** its id, the beginning of it, or its session if that has one open question */
      readonly approvalId: string;
      readonly reason?: string;
    };
    readonly output: Approval;
  };
  /** List the agents; every installed driver brings one of its own name. */
  "agent.list": {
    readonly kind: "read";
    readonly input: Record<string, never>;
    readonly output: {
      readonly agents: readonly Agent[];
    };
  };
  /** Show one agent. */
  "agent.show": {
    readonly kind: "read";
    readonly input: {
      readonly slug: string;
    };
    readonly output: Agent;
  };
  /** Create an agent: a name, a driver, and what its tools may do without asking. */
  "agent.create": {
    readonly kind: "write";
    readonly input: {
      readonly slug: string;
      readonly name?: string;
      readonly driver: string;
      readonly tools?: { readonly [key: string]: "auto" | "on_demand" | "always_ask" | "never" };
      /** agents that its sessions may delegate to; default: none */
      readonly delegatesTo?: readonly string[];
    };
    readonly output: Agent;
  };
  /** Delete an agent; its slug can be used again. */
  "agent.delete": {
    readonly kind: "write";
    readonly input: {
      readonly slug: string;
    };
    readonly output: {
      readonly ok: boolean;
      readonly slug: string;
    };
  };
  /** Set the default agent, used when a call names none. */
  "agent.default": {
    readonly kind: "write";
    readonly input: {
      readonly slug: string;
    };
    readonly output: Agent;
  };
  /** List the workspaces and show which one is active. */
  "workspace.list": {
    readonly kind: "read";
    readonly input: Record<string, never>;
    readonly output: {
      readonly workspaces: readonly {
        readonly slug: string;
        readonly path: string;
        readonly label?: string;
        readonly ground: string;
        readonly addedAt: string;
        readonly updatedAt: string;
        readonly active: boolean;
      }[];
      readonly active: string | null;
    };
  };
  /** Register a directory as a workspace; the first one becomes active. */
  "workspace.add": {
    readonly kind: "write";
    readonly input: {
      readonly slug: string;
      /** the directory */
      readonly path: string;
      readonly label?: string;
    };
    readonly output: {
      readonly slug: string;
      readonly path: string;
      readonly label?: string;
      readonly ground: string;
      readonly addedAt: string;
      readonly updatedAt: string;
      readonly active: boolean;
    };
  };
  /** Make a workspace active: sessions that name no place work there. */
  "workspace.use": {
    readonly kind: "write";
    readonly input: {
      readonly slug: string;
    };
    readonly output: {
      readonly slug: string;
      readonly path: string;
      readonly label?: string;
      readonly ground: string;
      readonly addedAt: string;
      readonly updatedAt: string;
      readonly active: boolean;
    };
  };
  /** Remove a workspace from the registry; its directory and sessions stay. */
  "workspace.remove": {
    readonly kind: "write";
    readonly input: {
      readonly slug: string;
    };
    readonly output: {
      readonly ok: boolean;
      readonly slug: string;
    };
  };
  /** List the worktrees and the sessions that work in them. */
  "worktree.list": {
    readonly kind: "read";
    readonly input: Record<string, never>;
    readonly output: {
      readonly worktrees: readonly {
        /** id of the session it was made for */
        readonly id: string;
        /** missing: somebody moved or deleted its folder */
        readonly state: "present" | "missing";
        readonly path: string;
        /** the session's directory inside the worktree */
        readonly cwd: string;
        readonly branch: string;
        /** the commit it was made from; null: the repository had no commit */
        readonly base: string | null;
        readonly repository: string;
        /** shared: `git prune` in the repository can break it */
        readonly objects: "linked" | "copied" | "shared";
        readonly createdAt: string;
        /** living sessions that work in it */
        readonly sessions: readonly string[];
        /** files copied along that git does not track */
        readonly carried: readonly string[];
        readonly notCarried: readonly {
          readonly path: string;
          readonly reason: string;
        }[];
        /** the command to run in the repository to fetch its commits */
        readonly fetch: string;
      }[];
    };
  };
  /** Show one worktree and the work that would be lost with it. */
  "worktree.show": {
    readonly kind: "read";
    readonly input: {
      readonly id: string;
    };
    readonly output: {
      /** id of the session it was made for */
      readonly id: string;
      /** missing: somebody moved or deleted its folder */
      readonly state: "present" | "missing";
      readonly path: string;
      /** the session's directory inside the worktree */
      readonly cwd: string;
      readonly branch: string;
      /** the commit it was made from; null: the repository had no commit */
      readonly base: string | null;
      readonly repository: string;
      /** shared: `git prune` in the repository can break it */
      readonly objects: "linked" | "copied" | "shared";
      readonly createdAt: string;
      /** living sessions that work in it */
      readonly sessions: readonly string[];
      /** files copied along that git does not track */
      readonly carried: readonly string[];
      readonly notCarried: readonly {
        readonly path: string;
        readonly reason: string;
      }[];
      /** the command to run in the repository to fetch its commits */
      readonly fetch: string;
      readonly work: {
        /** changed or staged files, not committed */
        readonly changed: readonly string[];
        readonly untracked: readonly string[];
        /** carried files that are new or changed */
        readonly carried: readonly string[];
        /** commits and tags that the repository does not have */
        readonly commits: readonly string[];
        /** nested repositories */
        readonly nested: readonly string[];
        /** why the check failed */
        readonly unclear: string | null;
      };
    };
  };
  /** Print the path of a session's worktree. */
  "worktree.path": {
    readonly kind: "read";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
    };
    readonly output: {
      readonly id: string;
      readonly path: string;
      readonly cwd: string;
      readonly branch: string;
      readonly repository: string;
    };
  };
  /** Bring a session's work home: into the files of the repository that its worktree was made from. */
  "worktree.apply": {
    readonly kind: "write";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
      /** only say what would change, and what is in conflict */
      readonly dryRun?: boolean;
    };
    readonly output: {
      readonly ok: boolean;
      readonly dryRun: boolean;
      readonly id: string;
      readonly repository: string;
      /** files that were added, changed or deleted; the first thousand */
      readonly applied: readonly string[];
      /** how many further files */
      readonly more: number;
      readonly conflicts: readonly {
        readonly path: string;
        readonly reason: string;
      }[];
      /** repositories inside the worktree, which stay there */
      readonly nested: readonly string[];
    };
  };
  /** Start a session in an existing worktree, to continue there. */
  "worktree.attach": {
    readonly kind: "write";
    readonly input: {
      readonly id: string;
      /** the driver */
      readonly adapter: string;
      /** at most 1048576 bytes */
      readonly prompt?: string;
      readonly label?: string;
    };
    readonly output: Session;
  };
  /** Remove a worktree; refused if it holds work that exists nowhere else. */
  "worktree.remove": {
    readonly kind: "write";
    readonly input: {
      readonly id: string;
    };
    readonly output: {
      readonly ok: boolean;
      readonly id: string;
    };
  };
  /** Remove every worktree that no session uses and that holds no work. */
  "worktree.gc": {
    readonly kind: "write";
    readonly input: Record<string, never>;
    readonly output: {
      readonly removed: readonly string[];
      readonly kept: readonly string[];
    };
  };
  /** Give a repository a law: scans it, writes `.nomos`, compiles and commits it; safe to repeat. */
  "governance.init": {
    readonly kind: "write";
    readonly input: {
      /** a folder of the repository */
      readonly cwd: string;
      /** say what would be done, and do nothing */
      readonly dryRun?: boolean | "0" | "1" | "true" | "false";
      /** false: only stage the files */
      readonly commit?: boolean;
      /** put the law on a branch of its own, mounted at `.nomos` */
      readonly sidecar?: boolean | "0" | "1" | "true" | "false";
      /** the message of the commit */
      readonly message?: string;
    };
    readonly output: {
      readonly root: string;
      readonly mode: "tracked" | "sidecar";
      readonly branch: string;
      readonly dryRun: boolean;
      /** false: the law was there, and nothing was changed */
      readonly isNew: boolean;
      /** written, or in a dry run to be written */
      readonly files: readonly string[];
      /** null: nothing was committed */
      readonly commit: string | null;
      readonly scan: {
        readonly root: string;
        readonly files: number;
        readonly languages: readonly {
          readonly name: string;
          /** the part of its markers that was found */
          readonly confidence: number;
          readonly markers: readonly string[];
        }[];
        readonly checks: readonly {
          readonly argv: readonly string[];
          /** the file that names it */
          readonly from: string;
        }[];
        readonly sourceDirs: readonly string[];
        readonly ci: readonly string[];
        readonly hooks: readonly string[];
        /** patterns of files that hold keys or passwords */
        readonly sensitive: readonly string[];
        readonly budget: {
          readonly files: number;
          readonly lines: number;
        };
        /** there is an `.exo` folder, whose law can be imported */
        readonly hasExo: boolean;
      };
      readonly notices: readonly string[];
    };
  };
  /** Remove a repository's law without a trace; refused while tickets or uncommitted changes would go with it. */
  "governance.deinit": {
    readonly kind: "write";
    readonly input: {
      /** a folder of the repository */
      readonly cwd: string;
      /** say what would be done, and do nothing */
      readonly dryRun?: boolean | "0" | "1" | "true" | "false";
      /** also when work of people goes with it */
      readonly force?: boolean | "0" | "1" | "true" | "false";
      /** the message of the commit */
      readonly message?: string;
    };
    readonly output: {
      readonly root: string;
      readonly dryRun: boolean;
      readonly files: readonly string[];
      readonly refs: readonly string[];
      /** null: nothing was committed */
      readonly commit: string | null;
      /** what people would lose; it takes `force` */
      readonly kept: readonly string[];
      readonly notices: readonly string[];
    };
  };
  /** Add settings that this version knows to `.nomos/config.yaml`, and compile the law anew. */
  "governance.upgrade": {
    readonly kind: "write";
    readonly input: {
      /** a folder of the repository */
      readonly cwd: string;
      /** say what would be done, and do nothing */
      readonly dryRun?: boolean | "0" | "1" | "true" | "false";
      /** false: only stage the files */
      readonly commit?: boolean;
      /** the message of the commit */
      readonly message?: string;
    };
    readonly output: {
      readonly root: string;
      readonly dryRun: boolean;
      readonly files: readonly string[];
      /** null: nothing was committed */
      readonly commit: string | null;
    };
  };
  /** Remove old caches of a law, and leases and statuses of tickets that are archived or gone. */
  "governance.gc": {
    readonly kind: "write";
    readonly input: {
      /** a folder of the repository */
      readonly cwd: string;
      /** say what would be done, and do nothing */
      readonly dryRun?: boolean | "0" | "1" | "true" | "false";
      /** age of caches; default 30 */
      readonly days?: number;
    };
    readonly output: {
      readonly dryRun: boolean;
      readonly files: readonly string[];
      readonly refs: readonly string[];
    };
  };
  /** Compile the constitution that is checked out into its lock. */
  "governance.build": {
    readonly kind: "write";
    readonly input: {
      /** a folder of the repository */
      readonly cwd: string;
    };
    readonly output: {
      readonly file: string;
      /** the log did not know this lock */
      readonly isNew: boolean;
      readonly rules: number;
      readonly notes: readonly {
        readonly line: number;
        readonly id: string | null;
        readonly reason: string;
      }[];
    };
  };
  /** Write `.nomos` from a law of ExoProtocol that is checked out, and say what has no equal here. */
  "governance.import": {
    readonly kind: "write";
    readonly input: {
      /** a folder of the repository */
      readonly cwd: string;
      /** whose law */
      readonly from: "exo";
      /** say what would be written, and write nothing */
      readonly dryRun?: boolean | "0" | "1" | "true" | "false";
    };
    readonly output: {
      readonly dryRun: boolean;
      readonly written: readonly string[];
      /** they were there already */
      readonly kept: readonly string[];
      readonly leftOut: readonly {
        readonly what: string;
        readonly reason: string;
      }[];
    };
  };
  /** Seal and sign the policy of the law that is checked out. */
  "governance.compose": {
    readonly kind: "write";
    readonly input: {
      /** a folder of the repository */
      readonly cwd: string;
    };
    readonly output: {
      readonly file: string;
      /** the log did not know this seal */
      readonly isNew: boolean;
      /** a verifier key; null: not signed */
      readonly signer: string | null;
    };
  };
  /** Show the law in force: its rules, what it protects, budgets, checks, and what is wrong with it. */
  "governance.show": {
    readonly kind: "read";
    readonly input: {
      /** a folder of the repository */
      readonly cwd: string;
    };
    readonly output: {
      /** whose last commit is the law; null: it is not committed yet */
      readonly branch: string | null;
      readonly tip: string | null;
      /** false: nothing is allowed until the problems are mended */
      readonly sound: boolean;
      readonly problems: readonly {
        readonly code: string;
        readonly file: string;
        readonly message: string;
        readonly remedy: string;
        /** in the law's branch, or only in the files that are checked out */
        readonly at: "committed" | "checkout";
      }[];
      /** of the lock */
      readonly hash: string | null;
      /** hash of the lock before it */
      readonly previous: string | null;
      /** the verifier key of who sealed the policy; null: nobody signed it */
      readonly signer: string | null;
      readonly composedAt: string | null;
      readonly rules: readonly {
        readonly id: string;
        readonly type: string;
        readonly patterns: readonly string[];
        /** empty: all */
        readonly actions: readonly string[];
        readonly message: string;
        readonly checks: readonly (readonly string[])[];
      }[];
      /** by its rules */
      readonly protected: {
        readonly read: readonly string[];
        readonly write: readonly string[];
        readonly delete: readonly string[];
      };
      /** protected without a word in the constitution */
      readonly always: readonly {
        readonly patterns: readonly string[];
        readonly actions: readonly string[];
        readonly message: string;
        /** a `filesystem_allow` rule can lift it */
        readonly liftable: boolean;
      }[];
      readonly budgets: {
        readonly files: number;
        readonly lines: number;
      };
      /** commands that work has to pass before it lands */
      readonly checks: readonly (readonly string[])[];
      readonly lanes: readonly {
        readonly name: string;
        readonly types: readonly string[];
        readonly count: number;
      }[];
      readonly ticketsAtOnceMax: number | null;
    };
  };
  /** Verify that the files of a law belong together, and that nobody edited what was compiled. */
  "governance.verify": {
    readonly kind: "read";
    readonly input: {
      /** a folder of the repository */
      readonly cwd: string;
    };
    readonly output: {
      readonly ok: boolean;
      readonly problems: readonly {
        readonly code: string;
        readonly file: string;
        readonly message: string;
        readonly remedy: string;
        /** in the law's branch, or only in the files that are checked out */
        readonly at: "committed" | "checkout";
      }[];
      readonly branch: string | null;
      readonly tip: string | null;
      readonly signer: string | null;
      /** null: the law is not sound */
      readonly rules: number | null;
      /** the chain of locks could not be followed to its beginning */
      readonly isHistoryCut: boolean;
    };
  };
  /** Ask the law whether something may be done to a path, with or without a ticket. */
  "governance.check": {
    readonly kind: "read";
    readonly input: {
      /** a folder of the repository */
      readonly cwd: string;
      /** `read`, `write`, `delete`, or a word that means one of them */
      readonly verb: string;
      /** from `cwd`, absolute, or `~/...` */
      readonly path: string;
      readonly ticket?: string;
      /** what was shown, such as `attestation:delete` */
      readonly evidence?: readonly string[];
    };
    readonly output: {
      readonly verdict: "allow" | "deny" | "ask";
      readonly rules: readonly string[];
      readonly reason: string;
      /** what turns an `ask` into a yes */
      readonly requires: readonly string[];
    };
  };
  /** Show what a repository is made of, as `nomos init` would see it. */
  "governance.scan": {
    readonly kind: "read";
    readonly input: {
      /** a folder of the repository */
      readonly cwd: string;
    };
    readonly output: {
      readonly root: string;
      readonly files: number;
      readonly languages: readonly {
        readonly name: string;
        /** the part of its markers that was found */
        readonly confidence: number;
        readonly markers: readonly string[];
      }[];
      readonly checks: readonly {
        readonly argv: readonly string[];
        /** the file that names it */
        readonly from: string;
      }[];
      readonly sourceDirs: readonly string[];
      readonly ci: readonly string[];
      readonly hooks: readonly string[];
      /** patterns of files that hold keys or passwords */
      readonly sensitive: readonly string[];
      readonly budget: {
        readonly files: number;
        readonly lines: number;
      };
      /** there is an `.exo` folder, whose law can be imported */
      readonly hasExo: boolean;
    };
  };
  /** Check `.nomos/config.yaml` as it is checked out, and show the settings with their defaults. */
  "governance.config": {
    readonly kind: "read";
    readonly input: {
      /** a folder of the repository */
      readonly cwd: string;
    };
    readonly output: {
      readonly ok: boolean;
      readonly problems: readonly {
        readonly level: "error" | "warning";
        /** such as `budgets.files`; empty: the whole file */
        readonly key: string;
        readonly message: string;
      }[];
      readonly branch: string | null;
      readonly budgets: {
        readonly files: number;
        readonly lines: number;
      } | null;
      readonly checks: readonly (readonly string[])[];
      readonly leases: {
        readonly remote: string | null;
        readonly minutes: number;
      } | null;
    };
  };
  /** List the repositories that have or had a law, as the log knows them. */
  "governance.list": {
    readonly kind: "read";
    readonly input: Record<string, never>;
    readonly output: {
      readonly repositories: readonly {
        /** names the repository in the log */
        readonly id: string;
        readonly root: string | null;
        readonly state: "governed" | "removed";
        readonly branch: string | null;
        readonly mode: "tracked" | "sidecar";
        readonly hash: string | null;
        readonly problems: readonly {
          readonly code: string;
          readonly message: string;
        }[];
        readonly changedAt: string;
      }[];
    };
  };
  /** List landings, newest first; with `--state open` those that are queued or being checked. */
  "landing.list": {
    readonly kind: "read";
    readonly input: {
      /** only those of this session */
      readonly session?: string;
      /** only those onto this branch */
      readonly into?: string;
      /** `open`: queued or checking */
      readonly state?: "open" | "queued" | "checking" | "landed" | "refused" | "ejected";
      /** only those of the repository with this directory */
      readonly cwd?: string;
      readonly limit?: number;
      /** `next` of the previous page */
      readonly after?: string;
    };
    readonly output: {
      readonly landings: readonly {
        readonly id: string;
        readonly sessionId: string;
        readonly sessionName: string;
        /** the session's last turn when its work was captured */
        readonly turnId?: string;
        readonly repository: string;
        /** the branch */
        readonly into: string;
        readonly state: "queued" | "checking" | "landed" | "refused" | "ejected";
        readonly how: "merge" | "rebase" | "squash";
        /** as given; otherwise it is made of the session's own words */
        readonly message?: string;
        /** checks beside those of the configuration */
        readonly checks: readonly (readonly string[])[];
        /** from 1 */
        readonly attempt: number;
        readonly attemptsMax: number;
        readonly queuedAt: string;
        readonly changedAt: string;
        /** queued: landings of the branch that come first */
        readonly ahead?: number;
        /** the last of these */
        readonly behind?: {
          readonly id: string;
          readonly sessionId: string;
          readonly sessionName: string;
        };
        /** why a person holds it back */
        readonly held?: string;
        /** what is being checked right now */
        readonly checking?: string;
        /** the branch's new commit */
        readonly commit?: string;
        /** new commits on the branch, oldest first */
        readonly commits?: readonly string[];
        readonly files?: number;
        /** lines */
        readonly added?: number;
        /** lines */
        readonly removed?: number;
        /** how long its checks took */
        readonly checkMs?: number;
        /** the branch for a pull request */
        readonly pushed?: {
          readonly remote: string;
          readonly branch: string;
          /** the request, or the page that opens one; null: the forge is unknown */
          readonly url: string | null;
          /** commands that open the request */
          readonly next: readonly string[];
        };
        /** why it was refused */
        readonly findings: readonly {
          readonly rule: "scope" | "secret" | "size" | "fileBudget" | "check" | "conflict" | "base" | "policy";
          readonly path?: string;
          readonly message: string;
          /** what to do about it */
          readonly remedy: string;
        }[];
        /** findings that are left out */
        readonly more?: number;
        /** the turn that tells the agent why */
        readonly toldIn?: string;
        /** the landing that tries the mended work */
        readonly retriedAs?: string;
        /** refused: who has to do something; absent when it was tried again, or the session went on */
        readonly waitsFor?: "person" | "agent";
        /** why it was ejected */
        readonly reason?: string;
      }[];
      readonly next: string | null;
    };
  };
  /** Show a landing: its place in the queue, its commit, or why it was refused. */
  "landing.show": {
    readonly kind: "read";
    readonly input: {
      /** a landing's id or the beginning of it, or its session */
      readonly id: string;
    };
    readonly output: {
      readonly id: string;
      readonly sessionId: string;
      readonly sessionName: string;
      /** the session's last turn when its work was captured */
      readonly turnId?: string;
      readonly repository: string;
      /** the branch */
      readonly into: string;
      readonly state: "queued" | "checking" | "landed" | "refused" | "ejected";
      readonly how: "merge" | "rebase" | "squash";
      /** as given; otherwise it is made of the session's own words */
      readonly message?: string;
      /** checks beside those of the configuration */
      readonly checks: readonly (readonly string[])[];
      /** from 1 */
      readonly attempt: number;
      readonly attemptsMax: number;
      readonly queuedAt: string;
      readonly changedAt: string;
      /** queued: landings of the branch that come first */
      readonly ahead?: number;
      /** the last of these */
      readonly behind?: {
        readonly id: string;
        readonly sessionId: string;
        readonly sessionName: string;
      };
      /** why a person holds it back */
      readonly held?: string;
      /** what is being checked right now */
      readonly checking?: string;
      /** the branch's new commit */
      readonly commit?: string;
      /** new commits on the branch, oldest first */
      readonly commits?: readonly string[];
      readonly files?: number;
      /** lines */
      readonly added?: number;
      /** lines */
      readonly removed?: number;
      /** how long its checks took */
      readonly checkMs?: number;
      /** the branch for a pull request */
      readonly pushed?: {
        readonly remote: string;
        readonly branch: string;
        /** the request, or the page that opens one; null: the forge is unknown */
        readonly url: string | null;
        /** commands that open the request */
        readonly next: readonly string[];
      };
      /** why it was refused */
      readonly findings: readonly {
        readonly rule: "scope" | "secret" | "size" | "fileBudget" | "check" | "conflict" | "base" | "policy";
        readonly path?: string;
        readonly message: string;
        /** what to do about it */
        readonly remedy: string;
      }[];
      /** findings that are left out */
      readonly more?: number;
      /** the turn that tells the agent why */
      readonly toldIn?: string;
      /** the landing that tries the mended work */
      readonly retriedAs?: string;
      /** refused: who has to do something; absent when it was tried again, or the session went on */
      readonly waitsFor?: "person" | "agent";
      /** why it was ejected */
      readonly reason?: string;
    };
  };
  /** Wait until a landing has landed, was refused or was ejected. */
  "landing.wait": {
    readonly kind: "read";
    readonly input: {
      /** a landing's id or the beginning of it, or its session */
      readonly id: string;
      readonly timeoutMs?: number;
    };
    readonly output: {
      readonly id: string;
      readonly sessionId: string;
      readonly sessionName: string;
      /** the session's last turn when its work was captured */
      readonly turnId?: string;
      readonly repository: string;
      /** the branch */
      readonly into: string;
      readonly state: "queued" | "checking" | "landed" | "refused" | "ejected";
      readonly how: "merge" | "rebase" | "squash";
      /** as given; otherwise it is made of the session's own words */
      readonly message?: string;
      /** checks beside those of the configuration */
      readonly checks: readonly (readonly string[])[];
      /** from 1 */
      readonly attempt: number;
      readonly attemptsMax: number;
      readonly queuedAt: string;
      readonly changedAt: string;
      /** queued: landings of the branch that come first */
      readonly ahead?: number;
      /** the last of these */
      readonly behind?: {
        readonly id: string;
        readonly sessionId: string;
        readonly sessionName: string;
      };
      /** why a person holds it back */
      readonly held?: string;
      /** what is being checked right now */
      readonly checking?: string;
      /** the branch's new commit */
      readonly commit?: string;
      /** new commits on the branch, oldest first */
      readonly commits?: readonly string[];
      readonly files?: number;
      /** lines */
      readonly added?: number;
      /** lines */
      readonly removed?: number;
      /** how long its checks took */
      readonly checkMs?: number;
      /** the branch for a pull request */
      readonly pushed?: {
        readonly remote: string;
        readonly branch: string;
        /** the request, or the page that opens one; null: the forge is unknown */
        readonly url: string | null;
        /** commands that open the request */
        readonly next: readonly string[];
      };
      /** why it was refused */
      readonly findings: readonly {
        readonly rule: "scope" | "secret" | "size" | "fileBudget" | "check" | "conflict" | "base" | "policy";
        readonly path?: string;
        readonly message: string;
        /** what to do about it */
        readonly remedy: string;
      }[];
      /** findings that are left out */
      readonly more?: number;
      /** the turn that tells the agent why */
      readonly toldIn?: string;
      /** the landing that tries the mended work */
      readonly retriedAs?: string;
      /** refused: who has to do something; absent when it was tried again, or the session went on */
      readonly waitsFor?: "person" | "agent";
      /** why it was ejected */
      readonly reason?: string;
      /** false: refused or ejected */
      readonly ok: boolean;
    };
  };
  /** Show the message that the commit of a landing would get, to edit it beforehand. */
  "landing.draft": {
    readonly kind: "read";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
    };
    readonly output: {
      readonly id: string;
      readonly message: string;
    };
  };
  /** Take a landing out of the queue; its work stays in the session's worktree. */
  "landing.eject": {
    readonly kind: "write";
    readonly input: {
      /** a landing's id or the beginning of it, or its session */
      readonly id: string;
      readonly reason?: string;
    };
    readonly output: {
      readonly id: string;
      readonly sessionId: string;
      readonly sessionName: string;
      /** the session's last turn when its work was captured */
      readonly turnId?: string;
      readonly repository: string;
      /** the branch */
      readonly into: string;
      readonly state: "queued" | "checking" | "landed" | "refused" | "ejected";
      readonly how: "merge" | "rebase" | "squash";
      /** as given; otherwise it is made of the session's own words */
      readonly message?: string;
      /** checks beside those of the configuration */
      readonly checks: readonly (readonly string[])[];
      /** from 1 */
      readonly attempt: number;
      readonly attemptsMax: number;
      readonly queuedAt: string;
      readonly changedAt: string;
      /** queued: landings of the branch that come first */
      readonly ahead?: number;
      /** the last of these */
      readonly behind?: {
        readonly id: string;
        readonly sessionId: string;
        readonly sessionName: string;
      };
      /** why a person holds it back */
      readonly held?: string;
      /** what is being checked right now */
      readonly checking?: string;
      /** the branch's new commit */
      readonly commit?: string;
      /** new commits on the branch, oldest first */
      readonly commits?: readonly string[];
      readonly files?: number;
      /** lines */
      readonly added?: number;
      /** lines */
      readonly removed?: number;
      /** how long its checks took */
      readonly checkMs?: number;
      /** the branch for a pull request */
      readonly pushed?: {
        readonly remote: string;
        readonly branch: string;
        /** the request, or the page that opens one; null: the forge is unknown */
        readonly url: string | null;
        /** commands that open the request */
        readonly next: readonly string[];
      };
      /** why it was refused */
      readonly findings: readonly {
        readonly rule: "scope" | "secret" | "size" | "fileBudget" | "check" | "conflict" | "base" | "policy";
        readonly path?: string;
        readonly message: string;
        /** what to do about it */
        readonly remedy: string;
      }[];
      /** findings that are left out */
      readonly more?: number;
      /** the turn that tells the agent why */
      readonly toldIn?: string;
      /** the landing that tries the mended work */
      readonly retriedAs?: string;
      /** refused: who has to do something; absent when it was tried again, or the session went on */
      readonly waitsFor?: "person" | "agent";
      /** why it was ejected */
      readonly reason?: string;
    };
  };
  /** Hold a queued landing back; those behind it go on. */
  "landing.hold": {
    readonly kind: "write";
    readonly input: {
      /** a landing's id or the beginning of it, or its session */
      readonly id: string;
      readonly reason?: string;
    };
    readonly output: {
      readonly id: string;
      readonly sessionId: string;
      readonly sessionName: string;
      /** the session's last turn when its work was captured */
      readonly turnId?: string;
      readonly repository: string;
      /** the branch */
      readonly into: string;
      readonly state: "queued" | "checking" | "landed" | "refused" | "ejected";
      readonly how: "merge" | "rebase" | "squash";
      /** as given; otherwise it is made of the session's own words */
      readonly message?: string;
      /** checks beside those of the configuration */
      readonly checks: readonly (readonly string[])[];
      /** from 1 */
      readonly attempt: number;
      readonly attemptsMax: number;
      readonly queuedAt: string;
      readonly changedAt: string;
      /** queued: landings of the branch that come first */
      readonly ahead?: number;
      /** the last of these */
      readonly behind?: {
        readonly id: string;
        readonly sessionId: string;
        readonly sessionName: string;
      };
      /** why a person holds it back */
      readonly held?: string;
      /** what is being checked right now */
      readonly checking?: string;
      /** the branch's new commit */
      readonly commit?: string;
      /** new commits on the branch, oldest first */
      readonly commits?: readonly string[];
      readonly files?: number;
      /** lines */
      readonly added?: number;
      /** lines */
      readonly removed?: number;
      /** how long its checks took */
      readonly checkMs?: number;
      /** the branch for a pull request */
      readonly pushed?: {
        readonly remote: string;
        readonly branch: string;
        /** the request, or the page that opens one; null: the forge is unknown */
        readonly url: string | null;
        /** commands that open the request */
        readonly next: readonly string[];
      };
      /** why it was refused */
      readonly findings: readonly {
        readonly rule: "scope" | "secret" | "size" | "fileBudget" | "check" | "conflict" | "base" | "policy";
        readonly path?: string;
        readonly message: string;
        /** what to do about it */
        readonly remedy: string;
      }[];
      /** findings that are left out */
      readonly more?: number;
      /** the turn that tells the agent why */
      readonly toldIn?: string;
      /** the landing that tries the mended work */
      readonly retriedAs?: string;
      /** refused: who has to do something; absent when it was tried again, or the session went on */
      readonly waitsFor?: "person" | "agent";
      /** why it was ejected */
      readonly reason?: string;
    };
  };
  /** Let a landing that was held back go on, at its old place. */
  "landing.release": {
    readonly kind: "write";
    readonly input: {
      /** a landing's id or the beginning of it, or its session */
      readonly id: string;
    };
    readonly output: {
      readonly id: string;
      readonly sessionId: string;
      readonly sessionName: string;
      /** the session's last turn when its work was captured */
      readonly turnId?: string;
      readonly repository: string;
      /** the branch */
      readonly into: string;
      readonly state: "queued" | "checking" | "landed" | "refused" | "ejected";
      readonly how: "merge" | "rebase" | "squash";
      /** as given; otherwise it is made of the session's own words */
      readonly message?: string;
      /** checks beside those of the configuration */
      readonly checks: readonly (readonly string[])[];
      /** from 1 */
      readonly attempt: number;
      readonly attemptsMax: number;
      readonly queuedAt: string;
      readonly changedAt: string;
      /** queued: landings of the branch that come first */
      readonly ahead?: number;
      /** the last of these */
      readonly behind?: {
        readonly id: string;
        readonly sessionId: string;
        readonly sessionName: string;
      };
      /** why a person holds it back */
      readonly held?: string;
      /** what is being checked right now */
      readonly checking?: string;
      /** the branch's new commit */
      readonly commit?: string;
      /** new commits on the branch, oldest first */
      readonly commits?: readonly string[];
      readonly files?: number;
      /** lines */
      readonly added?: number;
      /** lines */
      readonly removed?: number;
      /** how long its checks took */
      readonly checkMs?: number;
      /** the branch for a pull request */
      readonly pushed?: {
        readonly remote: string;
        readonly branch: string;
        /** the request, or the page that opens one; null: the forge is unknown */
        readonly url: string | null;
        /** commands that open the request */
        readonly next: readonly string[];
      };
      /** why it was refused */
      readonly findings: readonly {
        readonly rule: "scope" | "secret" | "size" | "fileBudget" | "check" | "conflict" | "base" | "policy";
        readonly path?: string;
        readonly message: string;
        /** what to do about it */
        readonly remedy: string;
      }[];
      /** findings that are left out */
      readonly more?: number;
      /** the turn that tells the agent why */
      readonly toldIn?: string;
      /** the landing that tries the mended work */
      readonly retriedAs?: string;
      /** refused: who has to do something; absent when it was tried again, or the session went on */
      readonly waitsFor?: "person" | "agent";
      /** why it was ejected */
      readonly reason?: string;
    };
  };
  /** Put a queued landing just before another one of the same branch. */
  "landing.move": {
    readonly kind: "write";
    readonly input: {
      /** a landing's id or the beginning of it, or its session */
      readonly id: string;
      /** a landing's id or the beginning of it, or its session */
      readonly before: string;
    };
    readonly output: {
      readonly id: string;
      readonly sessionId: string;
      readonly sessionName: string;
      /** the session's last turn when its work was captured */
      readonly turnId?: string;
      readonly repository: string;
      /** the branch */
      readonly into: string;
      readonly state: "queued" | "checking" | "landed" | "refused" | "ejected";
      readonly how: "merge" | "rebase" | "squash";
      /** as given; otherwise it is made of the session's own words */
      readonly message?: string;
      /** checks beside those of the configuration */
      readonly checks: readonly (readonly string[])[];
      /** from 1 */
      readonly attempt: number;
      readonly attemptsMax: number;
      readonly queuedAt: string;
      readonly changedAt: string;
      /** queued: landings of the branch that come first */
      readonly ahead?: number;
      /** the last of these */
      readonly behind?: {
        readonly id: string;
        readonly sessionId: string;
        readonly sessionName: string;
      };
      /** why a person holds it back */
      readonly held?: string;
      /** what is being checked right now */
      readonly checking?: string;
      /** the branch's new commit */
      readonly commit?: string;
      /** new commits on the branch, oldest first */
      readonly commits?: readonly string[];
      readonly files?: number;
      /** lines */
      readonly added?: number;
      /** lines */
      readonly removed?: number;
      /** how long its checks took */
      readonly checkMs?: number;
      /** the branch for a pull request */
      readonly pushed?: {
        readonly remote: string;
        readonly branch: string;
        /** the request, or the page that opens one; null: the forge is unknown */
        readonly url: string | null;
        /** commands that open the request */
        readonly next: readonly string[];
      };
      /** why it was refused */
      readonly findings: readonly {
        readonly rule: "scope" | "secret" | "size" | "fileBudget" | "check" | "conflict" | "base" | "policy";
        readonly path?: string;
        readonly message: string;
        /** what to do about it */
        readonly remedy: string;
      }[];
      /** findings that are left out */
      readonly more?: number;
      /** the turn that tells the agent why */
      readonly toldIn?: string;
      /** the landing that tries the mended work */
      readonly retriedAs?: string;
      /** refused: who has to do something; absent when it was tried again, or the session went on */
      readonly waitsFor?: "person" | "agent";
      /** why it was ejected */
      readonly reason?: string;
    };
  };
  /** Explain where a landing is: the events that led there, and the next command. */
  "landing.why": {
    readonly kind: "read";
    readonly input: {
      /** a landing's id or the beginning of it, or its session */
      readonly id: string;
    };
    readonly output: {
      readonly state: string;
      /** the events that led there, oldest first, at most 20 */
      readonly because: readonly {
        readonly seq: number;
        readonly id: string;
        readonly type: string;
        readonly at: string;
        readonly says: string;
      }[];
      /** the command to run next */
      readonly next: string | null;
    };
  };
  /** List the tickets of a repository, the most urgent first. */
  "ticket.list": {
    readonly kind: "read";
    readonly input: {
      /** a directory of the repository; a session's own call needs none */
      readonly cwd?: string;
      /** `open`: neither done nor archived; default: not archived */
      readonly status?: "todo" | "active" | "paused" | "review" | "done" | "archived" | "open";
      readonly kind?: "intent" | "epic" | "task";
      /** tickets that name this lane */
      readonly lane?: string;
      /** those below this ticket */
      readonly parent?: string;
      readonly label?: string;
      readonly limit?: number;
      /** `next` of the previous page */
      readonly after?: string;
    };
    readonly output: {
      readonly tickets: readonly {
        readonly id: string;
        readonly kind: "intent" | "epic" | "task";
        readonly title: string;
        readonly status: "todo" | "active" | "paused" | "review" | "done" | "archived";
        readonly type: string;
        readonly priority: number;
        readonly parent?: string;
        readonly lane?: string;
        readonly labels: readonly string[];
        readonly blockers: readonly string[];
        readonly scope: {
          readonly allow: readonly string[];
          readonly deny: readonly string[];
        };
        readonly fileBudget: {
          readonly files: number;
          readonly lines: number;
        };
        readonly risk: "low" | "medium" | "high";
        readonly resourceProfile: "default" | "light" | "heavy";
        readonly createdAt?: string;
        /** when it got its status */
        readonly since?: string;
        /** who gave it its status */
        readonly by?: string;
        readonly lease?: {
          readonly fence: number;
          readonly owner: string;
          readonly sessionId?: string;
          readonly until: string;
          /** false: it has ended or was released */
          readonly live: boolean;
        };
      }[];
      readonly next: string | null;
      /** files among the tickets that cannot be read */
      readonly faults: readonly {
        readonly path: string;
        readonly id?: string;
        readonly message: string;
        readonly remedy: string;
      }[];
    };
  };
  /** List pairs of open tasks that may change the same file, each with such a path. */
  "ticket.overlaps": {
    readonly kind: "read";
    readonly input: {
      /** a directory of the repository */
      readonly cwd: string;
    };
    readonly output: {
      readonly overlaps: readonly {
        readonly a: {
          readonly id: string;
          readonly kind: "intent" | "epic" | "task";
          readonly title: string;
          readonly status: "todo" | "active" | "paused" | "review" | "done" | "archived";
        };
        readonly b: {
          readonly id: string;
          readonly kind: "intent" | "epic" | "task";
          readonly title: string;
          readonly status: "todo" | "active" | "paused" | "review" | "done" | "archived";
        };
        readonly path: string;
      }[];
      /** open tasks that were compared */
      readonly tickets: number;
      /** false: there are more pairs than are told or were compared */
      readonly whole: boolean;
    };
  };
  /** Check all tickets: files that cannot be read, parents and blockers that are missing or form a circle, orphans. */
  "ticket.check": {
    readonly kind: "read";
    readonly input: {
      /** a directory of the repository */
      readonly cwd: string;
    };
    readonly output: {
      readonly ok: boolean;
      readonly findings: readonly {
        readonly rule: string;
        readonly ticket?: string;
        readonly path?: string;
        readonly message: string;
        readonly remedy: string;
      }[];
    };
  };
  /** Show a ticket: what is to be done, what it waits for, who works on it, and who may change the same files. */
  "ticket.show": {
    readonly kind: "read";
    readonly input: {
      /** a directory of the repository; a session's own call needs none */
      readonly cwd?: string;
      /** a ticket's id, or the beginning or the end of it; of a session also `self` */
      readonly id: string;
    };
    readonly output: {
      readonly id: string;
      readonly kind: "intent" | "epic" | "task";
      readonly title: string;
      readonly status: "todo" | "active" | "paused" | "review" | "done" | "archived";
      readonly type: string;
      readonly priority: number;
      readonly parent?: string;
      readonly lane?: string;
      readonly labels: readonly string[];
      readonly blockers: readonly string[];
      readonly scope: {
        readonly allow: readonly string[];
        readonly deny: readonly string[];
      };
      readonly fileBudget: {
        readonly files: number;
        readonly lines: number;
      };
      readonly risk: "low" | "medium" | "high";
      readonly resourceProfile: "default" | "light" | "heavy";
      readonly createdAt?: string;
      /** when it got its status */
      readonly since?: string;
      /** who gave it its status */
      readonly by?: string;
      readonly lease?: {
        readonly fence: number;
        readonly owner: string;
        readonly sessionId?: string;
        readonly until: string;
        /** false: it has ended or was released */
        readonly live: boolean;
      };
      readonly body: string;
      readonly checks: readonly (readonly string[])[];
      readonly acceptance: readonly {
        readonly id: string;
        readonly text: string;
        /** its passing is the witness; without one somebody names an event */
        readonly check?: readonly string[];
      }[];
      readonly brainDump: string;
      readonly boundary: string;
      readonly successCondition: string;
      /** its file in the repository */
      readonly path: string;
      readonly children: readonly {
        readonly id: string;
        readonly kind: "intent" | "epic" | "task";
        readonly title: string;
        readonly status: "todo" | "active" | "paused" | "review" | "done" | "archived";
      }[];
      /** blockers that are not done */
      readonly waitsFor: readonly {
        readonly id: string;
        readonly kind: "intent" | "epic" | "task";
        readonly title: string;
        readonly status: "todo" | "active" | "paused" | "review" | "done" | "archived";
      }[];
      /** blockers and parent that do not exist */
      readonly unknown: readonly string[];
      /** other open tasks that may change the same files, each with such a path */
      readonly overlaps: readonly {
        readonly id: string;
        readonly kind: "intent" | "epic" | "task";
        readonly title: string;
        readonly status: "todo" | "active" | "paused" | "review" | "done" | "archived";
        readonly path: string;
      }[];
    };
  };
  /** Show what proves that a ticket is done, or what is still missing for it to be closed. */
  "ticket.proof": {
    readonly kind: "read";
    readonly input: {
      /** a directory of the repository; a session's own call needs none */
      readonly cwd?: string;
      /** a ticket; of a session also `self` */
      readonly id: string;
    };
    readonly output: {
      readonly id: string;
      readonly kind: "intent" | "epic" | "task";
      readonly title: string;
      readonly status: "todo" | "active" | "paused" | "review" | "done" | "archived";
      /** it is closed, or could be closed now */
      readonly proven: boolean;
      readonly missing: readonly string[];
      /** of a ticket that is not closed: what it would rest on */
      readonly evidence?: {
        readonly session?: string;
        readonly agent?: string;
        readonly model?: string;
        readonly branch?: string;
        /** the landing that brought the work */
        readonly landing?: string;
        /** what it put on the branch */
        readonly commit?: string;
        /** seen to pass in that landing */
        readonly checks?: readonly (readonly string[])[];
        readonly criteria?: readonly {
          readonly id: string;
          readonly text: string;
          readonly witness: {
            readonly check?: readonly string[];
            /** an event of the log */
            readonly event?: string;
            readonly namedBy?: string;
          };
        }[];
        readonly event?: string;
        /** of an epic or intent */
        readonly below?: readonly {
          readonly id: string;
          readonly status: string;
        }[];
      };
      /** the commit under `refs/nomos/evidence/` that holds it */
      readonly kept?: string;
      /** as the log has it; `same`: it names the very commit that is kept */
      readonly closed?: {
        readonly event: string;
        readonly at: string;
        readonly by: string;
        readonly same: boolean;
      };
    };
  };
  /** Write a ticket into the repository: an intent, an epic below one, or a task. */
  "ticket.create": {
    readonly kind: "write";
    readonly input: {
      /** a directory of the repository */
      readonly cwd: string;
      readonly kind: "intent" | "epic" | "task";
      readonly title: string;
      /** the intent of an epic; the epic or intent of a task */
      readonly parent?: string;
      readonly lane?: string;
      readonly body?: string;
      /** such as feature, bug, chore or docs: lanes take tickets by it */
      readonly type?: string;
      /** 1 is the most urgent; default 3 */
      readonly priority?: number;
      /** what its work may change: `{"allow": ["src/api/**"], "deny": []}` */
      readonly scope?: {
        readonly allow?: readonly string[];
        readonly deny?: readonly string[];
      };
      /** in short for `scope.allow` */
      readonly allow?: readonly string[];
      /** in short for `scope.deny` */
      readonly deny?: readonly string[];
      /** how much its work may change */
      readonly fileBudget?: {
        readonly files?: number;
        readonly lines?: number;
      };
      /** programs that have to pass: `[["npm", "test"]]` */
      readonly checks?: readonly (readonly string[])[];
      /** `[{"id": "ACC-1", "text": "...", "check": ["npm", "test"]}]` */
      readonly acceptance?: readonly {
        readonly id: string;
        readonly text: string;
        /** its passing is the witness; without one somebody names an event */
        readonly check?: readonly string[];
      }[];
      /** tickets that have to be done first */
      readonly blockers?: readonly string[];
      readonly labels?: readonly string[];
      readonly risk?: "low" | "medium" | "high";
      readonly resourceProfile?: "default" | "light" | "heavy";
      /** of an intent: what is meant, as it came to mind */
      readonly brainDump?: string;
      /** what must not be touched, in words and patterns */
      readonly boundary?: string;
      readonly successCondition?: string;
    };
    readonly output: {
      readonly id: string;
      readonly kind: "intent" | "epic" | "task";
      readonly title: string;
      readonly status: "todo" | "active" | "paused" | "review" | "done" | "archived";
      readonly type: string;
      readonly priority: number;
      readonly parent?: string;
      readonly lane?: string;
      readonly labels: readonly string[];
      readonly blockers: readonly string[];
      readonly scope: {
        readonly allow: readonly string[];
        readonly deny: readonly string[];
      };
      readonly fileBudget: {
        readonly files: number;
        readonly lines: number;
      };
      readonly risk: "low" | "medium" | "high";
      readonly resourceProfile: "default" | "light" | "heavy";
      readonly createdAt?: string;
      /** when it got its status */
      readonly since?: string;
      /** who gave it its status */
      readonly by?: string;
      readonly lease?: {
        readonly fence: number;
        readonly owner: string;
        readonly sessionId?: string;
        readonly until: string;
        /** false: it has ended or was released */
        readonly live: boolean;
      };
      readonly body: string;
      readonly checks: readonly (readonly string[])[];
      readonly acceptance: readonly {
        readonly id: string;
        readonly text: string;
        /** its passing is the witness; without one somebody names an event */
        readonly check?: readonly string[];
      }[];
      readonly brainDump: string;
      readonly boundary: string;
      readonly successCondition: string;
      /** its file in the repository */
      readonly path: string;
    };
  };
  /** Change a ticket; what is not named stays as it is, and so does what people wrote beside it. */
  "ticket.edit": {
    readonly kind: "write";
    readonly input: {
      /** a directory of the repository */
      readonly cwd: string;
      readonly id: string;
      readonly title?: string;
      readonly parent?: string | null;
      readonly lane?: string | null;
      readonly body?: string;
      /** such as feature, bug, chore or docs: lanes take tickets by it */
      readonly type?: string;
      /** 1 is the most urgent; default 3 */
      readonly priority?: number;
      /** what its work may change: `{"allow": ["src/api/**"], "deny": []}` */
      readonly scope?: {
        readonly allow?: readonly string[];
        readonly deny?: readonly string[];
      };
      /** in short for `scope.allow` */
      readonly allow?: readonly string[];
      /** in short for `scope.deny` */
      readonly deny?: readonly string[];
      /** how much its work may change */
      readonly fileBudget?: {
        readonly files?: number;
        readonly lines?: number;
      };
      /** programs that have to pass: `[["npm", "test"]]` */
      readonly checks?: readonly (readonly string[])[];
      /** `[{"id": "ACC-1", "text": "...", "check": ["npm", "test"]}]` */
      readonly acceptance?: readonly {
        readonly id: string;
        readonly text: string;
        /** its passing is the witness; without one somebody names an event */
        readonly check?: readonly string[];
      }[];
      /** tickets that have to be done first */
      readonly blockers?: readonly string[];
      readonly labels?: readonly string[];
      readonly risk?: "low" | "medium" | "high";
      readonly resourceProfile?: "default" | "light" | "heavy";
      /** of an intent: what is meant, as it came to mind */
      readonly brainDump?: string;
      /** what must not be touched, in words and patterns */
      readonly boundary?: string;
      readonly successCondition?: string;
    };
    readonly output: {
      readonly id: string;
      readonly kind: "intent" | "epic" | "task";
      readonly title: string;
      readonly status: "todo" | "active" | "paused" | "review" | "done" | "archived";
      readonly type: string;
      readonly priority: number;
      readonly parent?: string;
      readonly lane?: string;
      readonly labels: readonly string[];
      readonly blockers: readonly string[];
      readonly scope: {
        readonly allow: readonly string[];
        readonly deny: readonly string[];
      };
      readonly fileBudget: {
        readonly files: number;
        readonly lines: number;
      };
      readonly risk: "low" | "medium" | "high";
      readonly resourceProfile: "default" | "light" | "heavy";
      readonly createdAt?: string;
      /** when it got its status */
      readonly since?: string;
      /** who gave it its status */
      readonly by?: string;
      readonly lease?: {
        readonly fence: number;
        readonly owner: string;
        readonly sessionId?: string;
        readonly until: string;
        /** false: it has ended or was released */
        readonly live: boolean;
      };
      readonly body: string;
      readonly checks: readonly (readonly string[])[];
      readonly acceptance: readonly {
        readonly id: string;
        readonly text: string;
        /** its passing is the witness; without one somebody names an event */
        readonly check?: readonly string[];
      }[];
      readonly brainDump: string;
      readonly boundary: string;
      readonly successCondition: string;
      /** its file in the repository */
      readonly path: string;
    };
  };
  /** Make the tickets of a plan: `### EPIC-1: title`, and `* T1: title` for its tasks, `(after T1)` behind one that waits. */
  "ticket.plan": {
    readonly kind: "write";
    readonly input: {
      /** a directory of the repository */
      readonly cwd: string;
      /** the plan; on the command line the name of its file, `-` for standard input */
      readonly text: string;
      /** the intent that it is for */
      readonly parent?: string;
      /** only say what it would make */
      readonly dryRun?: boolean;
    };
    readonly output: {
      readonly dryRun: boolean;
      readonly tickets: readonly {
        readonly id: string;
        readonly kind: "intent" | "epic" | "task";
        readonly title: string;
        readonly status: "todo" | "active" | "paused" | "review" | "done" | "archived";
        readonly type: string;
        readonly priority: number;
        readonly parent?: string;
        readonly lane?: string;
        readonly labels: readonly string[];
        readonly blockers: readonly string[];
        readonly scope: {
          readonly allow: readonly string[];
          readonly deny: readonly string[];
        };
        readonly fileBudget: {
          readonly files: number;
          readonly lines: number;
        };
        readonly risk: "low" | "medium" | "high";
        readonly resourceProfile: "default" | "light" | "heavy";
        readonly createdAt?: string;
        /** when it got its status */
        readonly since?: string;
        /** who gave it its status */
        readonly by?: string;
        readonly lease?: {
          readonly fence: number;
          readonly owner: string;
          readonly sessionId?: string;
          readonly until: string;
          /** false: it has ended or was released */
          readonly live: boolean;
        };
      }[];
    };
  };
  /** Move a ticket that is done into the archive; one that nobody will do needs a reason. */
  "ticket.archive": {
    readonly kind: "write";
    readonly input: {
      /** a directory of the repository */
      readonly cwd: string;
      readonly id: string;
      /** why nobody will do it */
      readonly reason?: string;
    };
    readonly output: {
      readonly ok: true;
      readonly id: string;
      readonly path: string;
    };
  };
  /** Say which ticket is next, and why not the others; with `--claim` take its lease. */
  "ticket.next": {
    readonly kind: "write";
    readonly input: {
      /** a directory of the repository */
      readonly cwd: string;
      readonly claim?: boolean;
      /** how long it lasts without a heartbeat; default: `leases.minutes` of the configuration */
      readonly minutes?: number;
    };
    readonly output: {
      readonly ticket: {
        readonly id: string;
        readonly kind: "intent" | "epic" | "task";
        readonly title: string;
        readonly status: "todo" | "active" | "paused" | "review" | "done" | "archived";
        readonly type: string;
        readonly priority: number;
        readonly parent?: string;
        readonly lane?: string;
        readonly labels: readonly string[];
        readonly blockers: readonly string[];
        readonly scope: {
          readonly allow: readonly string[];
          readonly deny: readonly string[];
        };
        readonly fileBudget: {
          readonly files: number;
          readonly lines: number;
        };
        readonly risk: "low" | "medium" | "high";
        readonly resourceProfile: "default" | "light" | "heavy";
        readonly createdAt?: string;
        /** when it got its status */
        readonly since?: string;
        /** who gave it its status */
        readonly by?: string;
        readonly lease?: {
          readonly fence: number;
          readonly owner: string;
          readonly sessionId?: string;
          readonly until: string;
          /** false: it has ended or was released */
          readonly live: boolean;
        };
      } | null;
      /** why nothing is next */
      readonly because: "none_open" | "global_limit" | "lanes_full" | "all_blocked" | "all_leased" | null;
      /** of the lease that was taken */
      readonly fence?: number;
      readonly until?: string;
      /** open tasks, the best first */
      readonly waiting: readonly {
        readonly id: string;
        readonly title: string;
        readonly score: number;
        readonly lane?: string;
        readonly heldBack?: "global_limit" | "lane_full" | "blocked" | "leased";
      }[];
      readonly lanes: readonly {
        readonly name: string;
        /** of the tickets that it takes; `*`: any */
        readonly types: readonly string[];
        readonly active: number;
        readonly count: number;
      }[];
    };
  };
  /** Take the lease of a ticket by hand; nobody else may work on it until it ends. */
  "ticket.lease": {
    readonly kind: "write";
    readonly input: {
      /** a directory of the repository */
      readonly cwd: string;
      readonly id: string;
      /** how long it lasts without a heartbeat; default: `leases.minutes` of the configuration */
      readonly minutes?: number;
    };
    readonly output: {
      readonly id: string;
      readonly fence: number;
      readonly until: string;
    };
  };
  /** Keep the lease of a ticket for longer. */
  "ticket.heartbeat": {
    readonly kind: "write";
    readonly input: {
      /** a directory of the repository; a session's own call needs none */
      readonly cwd?: string;
      readonly id: string;
      /** of the lease */
      readonly fence: number;
      /** how long it lasts without a heartbeat; default: `leases.minutes` of the configuration */
      readonly minutes?: number;
    };
    readonly output: {
      readonly id: string;
      readonly fence: number;
      readonly until: string;
    };
  };
  /** Give the lease of a ticket back. */
  "ticket.release": {
    readonly kind: "write";
    readonly input: {
      /** a directory of the repository */
      readonly cwd: string;
      readonly id: string;
      /** of the lease */
      readonly fence: number;
    };
    readonly output: {
      readonly ok: true;
      readonly id: string;
    };
  };
  /** Close a ticket on proof: its work has landed, its checks were seen to pass, each criterion has a witness. */
  "ticket.close": {
    readonly kind: "write";
    readonly input: {
      /** a directory of the repository */
      readonly cwd: string;
      readonly id: string;
      /** of the lease that its work was done under; without one nobody may hold a lease */
      readonly fence?: number;
      /** an event of the log for each criterion without a check: `{"ACC-1": "EVENT"}` */
      readonly witnesses?: { readonly [key: string]: string };
    };
    readonly output: {
      readonly ok: true;
      readonly id: string;
      /** the commit that holds it */
      readonly evidence: string;
    };
  };
  /** Show who wrote each line of a file: session, turn, agent, model and approver. */
  "blame.file": {
    readonly kind: "read";
    readonly input: {
      readonly path: string;
      /** a folder of the repository; `path` is relative to it */
      readonly cwd: string;
      /** also give what `nomos-verify blame` needs to check the lines without Nomos */
      readonly proof?: boolean | "0" | "1" | "true" | "false";
      /** first and last, from 1 */
      readonly lines?: string;
    };
    readonly output: {
      /** from the root of the repository */
      readonly path: string;
      readonly repository: string;
      readonly head: string | null;
      readonly lines: readonly {
        readonly line: number;
        readonly text: string;
        /** `local`: a change that is not committed */
        readonly by: "session" | "person" | "local";
        readonly sessionId?: string;
        /** the session's name */
        readonly session?: string;
        readonly turnId?: string;
        /** the event that ended the turn */
        readonly eventId?: string;
        readonly agent?: string;
        readonly model?: string;
        /** who answered the turn's last question with yes */
        readonly approver?: string;
        readonly landingId?: string;
        /** who asked for the landing */
        readonly landedBy?: string;
        /** whether the log confirms it; of a session's line only */
        readonly proven?: boolean;
        /** why it is not proven, or less is known */
        readonly reason?: string;
        readonly commit?: string;
        /** as the commit says */
        readonly author?: string;
        readonly at?: string;
        /** the file's name in that commit, when it was another */
        readonly path?: string;
      }[];
      /** the line to go on with; null at the end */
      readonly next: number | null;
      /** a binary file has no lines */
      readonly binary: boolean;
      /** false: git took too long to look for moved lines */
      readonly followsMoves: boolean;
      readonly proof?: {
        readonly format: "nomos-blame-proof/1";
        /** the log's verifier key */
        readonly key: string;
        readonly lines: readonly {
          readonly line: number;
          /** the line in base64, without its end */
          readonly bytes: string;
          readonly sessionId: string;
          readonly turnId: string;
          readonly eventId: string;
          readonly agent: string;
          readonly model: string | null;
          readonly approver: string | null;
          readonly landedEventId: string;
        }[];
        readonly events: readonly {
          readonly eventId: string;
          readonly seq: number;
          readonly leafIndex: number;
          readonly size: number;
          readonly leafHash: string;
          /** in hex, in the order of RFC 6962 */
          readonly hashes: readonly string[];
          readonly root: string;
          readonly checkpoint: string;
          /** the event as stored, as in a line of an export: enough to compute its hash and its leaf */
          readonly event: {
            readonly prev: string;
            /** the text that was hashed */
            readonly header: string;
            readonly hash: string;
            /** null: the data was erased */
            readonly salt: string | null;
            /** in base64; null: erased */
            readonly data: string | null;
          };
        }[];
        /** the lines as they were recorded */
        readonly blobs: readonly {
          readonly sha256: string;
          readonly text: string;
        }[];
      };
    };
  };
  /** Run one prompt with several agents at once, each in a worktree of its own. */
  "fan-out.start": {
    readonly kind: "write";
    readonly input: {
      /** at most 1048576 bytes */
      readonly prompt: string;
      /** two or more; `agent:model` chooses a model, and the same agent may be named again for another try */
      readonly agents: readonly string[];
      /** a workspace by its slug */
      readonly workspaceSlug?: string;
      /** where they work: ws://workspaces/<slug>, and a path if needed */
      readonly ground?: string;
      /** a directory of the repository, if you name no ground */
      readonly cwd?: string;
      /** branch, tag or commit to start from; default: HEAD */
      readonly base?: string;
      /** the branch that the work is tried against; default: the one that is checked out */
      readonly into?: string;
      /** programs with their arguments, such as `[["npm", "test"]]`, beside the checks of the configuration */
      readonly checks?: readonly (readonly string[])[];
      /** the agents' mode */
      readonly mode?: string;
      readonly sandbox?: "off" | "warn" | "enforce" | "strict";
      /** paths they may change, below the repository's root */
      readonly scope?: {
        readonly allow?: readonly string[];
        readonly deny?: readonly string[];
      };
      readonly network?: {
        readonly allow: readonly string[];
      };
      /** secrets they get as variables */
      readonly secrets?: readonly string[];
      /** of the sessions; default: `fan-out` and its name */
      readonly label?: string;
      /** of the sessions; default: the prompt's first line */
      readonly title?: string;
    };
    readonly output: {
      readonly id: string;
      readonly name: string;
      /** judged: no candidate works any more; settled: landed or dropped, all of them; failed: too few started */
      readonly state: "starting" | "working" | "judged" | "settled" | "failed";
      /** a long one is cut; null: erased */
      readonly prompt: string | null;
      readonly repository: string;
      /** the commit that every worktree was made from */
      readonly base: string | null;
      /** the branch that the work is tried against; null: the one that is checked out */
      readonly into: string | null;
      /** checks beside those of the configuration */
      readonly checks: readonly (readonly string[])[];
      readonly startedAt: string;
      readonly changedAt: string;
      readonly startedBy: string;
      /** the best first */
      readonly candidates: readonly {
        readonly sessionId: string;
        /** the session's name; absent before it exists */
        readonly name?: string;
        readonly agent: string;
        readonly model?: string;
        /** waiting: for an approval or a usage limit; failed: it could not be started; ended: without a result */
        readonly state:
          | "opening"
          | "working"
          | "waiting"
          | "judging"
          | "judged"
          | "failed"
          | "ended"
          | "landing"
          | "landed"
          | "dropping"
          | "dropped";
        readonly waitingFor?: "approval" | "quota";
        readonly waitingUntil?: string;
        /** from 1, among those that were judged */
        readonly rank?: number;
        /** why it has this rank, or why it failed */
        readonly reason?: string;
        /** its work could land as it is */
        readonly passes?: boolean;
        /** how its last turn ended */
        readonly outcome?: string;
        /** none: there are no checks */
        readonly checks?: "passed" | "failed" | "not run" | "none";
        readonly checkMs?: number;
        /** what would keep its work from the branch */
        readonly findings: readonly {
          readonly rule: "scope" | "secret" | "size" | "fileBudget" | "check" | "conflict" | "base" | "policy";
          readonly path?: string;
          readonly message: string;
          /** what to do about it */
          readonly remedy: string;
        }[];
        /** findings that are left out */
        readonly more?: number;
        /** changed files, against the base */
        readonly files?: number;
        /** lines */
        readonly added?: number;
        /** lines */
        readonly removed?: number;
        /** the first changed files */
        readonly paths: readonly string[];
        /** how long its turns took */
        readonly turnMs?: number;
        readonly spent?: {
          /** tokens, without cached ones */
          readonly input: number;
          readonly output: number;
          readonly cacheRead: number;
          readonly cacheWrite: number;
          /** null when the agent tells no price */
          readonly costUsd: number | null;
        };
        /** its newest landing */
        readonly landing?: {
          readonly id: string;
          readonly into: string;
          readonly state: "queued" | "checking" | "landed" | "refused" | "ejected";
        };
        /** why it failed, could not be judged, or is still there */
        readonly error?: {
          readonly code: string;
          readonly message: string;
        };
        /** what went with its worktree */
        readonly gone?: {
          readonly files: readonly string[];
          readonly more: number;
          /** still holds the files; `nomos fork` brings them back */
          readonly snapshot: string | null;
        };
      }[];
      /** what `best` names; null while one works, and when none could land */
      readonly best: {
        readonly sessionId: string;
        readonly name: string;
        readonly reason: string;
      } | null;
      /** the newest that was landed */
      readonly chosen: {
        readonly sessionId: string;
        readonly landingId: string;
      } | null;
      /** files that more than one candidate changed; the first of them */
      readonly overlap: readonly {
        readonly path: string;
        readonly sessions: readonly string[];
      }[];
      /** how many further files */
      readonly overlapMore: number;
      /** secrets that marks replaced */
      readonly redacted?: readonly {
        readonly kind: string;
        readonly fingerprint: string;
        readonly count: number;
      }[];
    };
  };
  /** List fan-outs, newest first. */
  "fan-out.list": {
    readonly kind: "read";
    readonly input: {
      /** only those that are not settled */
      readonly open?: boolean | "0" | "1" | "true" | "false";
      readonly limit?: number;
      /** `next` of the previous page */
      readonly after?: string;
    };
    readonly output: {
      readonly fanOuts: readonly {
        readonly id: string;
        readonly name: string;
        readonly state: "starting" | "running" | "settled";
        readonly repository: string;
        readonly agents: readonly string[];
        readonly sessions: readonly string[];
        readonly judged: number;
        /** the session that was landed */
        readonly chosen: string | null;
        readonly startedAt: string;
        readonly changedAt: string;
      }[];
      readonly next: string | null;
    };
  };
  /** Compare the candidates of a fan-out: checks, size, time and cost, the best first. */
  "fan-out.show": {
    readonly kind: "read";
    readonly input: {
      /** a fan-out's name or id, or the beginning of either */
      readonly id: string;
    };
    readonly output: {
      readonly id: string;
      readonly name: string;
      /** judged: no candidate works any more; settled: landed or dropped, all of them; failed: too few started */
      readonly state: "starting" | "working" | "judged" | "settled" | "failed";
      /** a long one is cut; null: erased */
      readonly prompt: string | null;
      readonly repository: string;
      /** the commit that every worktree was made from */
      readonly base: string | null;
      /** the branch that the work is tried against; null: the one that is checked out */
      readonly into: string | null;
      /** checks beside those of the configuration */
      readonly checks: readonly (readonly string[])[];
      readonly startedAt: string;
      readonly changedAt: string;
      readonly startedBy: string;
      /** the best first */
      readonly candidates: readonly {
        readonly sessionId: string;
        /** the session's name; absent before it exists */
        readonly name?: string;
        readonly agent: string;
        readonly model?: string;
        /** waiting: for an approval or a usage limit; failed: it could not be started; ended: without a result */
        readonly state:
          | "opening"
          | "working"
          | "waiting"
          | "judging"
          | "judged"
          | "failed"
          | "ended"
          | "landing"
          | "landed"
          | "dropping"
          | "dropped";
        readonly waitingFor?: "approval" | "quota";
        readonly waitingUntil?: string;
        /** from 1, among those that were judged */
        readonly rank?: number;
        /** why it has this rank, or why it failed */
        readonly reason?: string;
        /** its work could land as it is */
        readonly passes?: boolean;
        /** how its last turn ended */
        readonly outcome?: string;
        /** none: there are no checks */
        readonly checks?: "passed" | "failed" | "not run" | "none";
        readonly checkMs?: number;
        /** what would keep its work from the branch */
        readonly findings: readonly {
          readonly rule: "scope" | "secret" | "size" | "fileBudget" | "check" | "conflict" | "base" | "policy";
          readonly path?: string;
          readonly message: string;
          /** what to do about it */
          readonly remedy: string;
        }[];
        /** findings that are left out */
        readonly more?: number;
        /** changed files, against the base */
        readonly files?: number;
        /** lines */
        readonly added?: number;
        /** lines */
        readonly removed?: number;
        /** the first changed files */
        readonly paths: readonly string[];
        /** how long its turns took */
        readonly turnMs?: number;
        readonly spent?: {
          /** tokens, without cached ones */
          readonly input: number;
          readonly output: number;
          readonly cacheRead: number;
          readonly cacheWrite: number;
          /** null when the agent tells no price */
          readonly costUsd: number | null;
        };
        /** its newest landing */
        readonly landing?: {
          readonly id: string;
          readonly into: string;
          readonly state: "queued" | "checking" | "landed" | "refused" | "ejected";
        };
        /** why it failed, could not be judged, or is still there */
        readonly error?: {
          readonly code: string;
          readonly message: string;
        };
        /** what went with its worktree */
        readonly gone?: {
          readonly files: readonly string[];
          readonly more: number;
          /** still holds the files; `nomos fork` brings them back */
          readonly snapshot: string | null;
        };
      }[];
      /** what `best` names; null while one works, and when none could land */
      readonly best: {
        readonly sessionId: string;
        readonly name: string;
        readonly reason: string;
      } | null;
      /** the newest that was landed */
      readonly chosen: {
        readonly sessionId: string;
        readonly landingId: string;
      } | null;
      /** files that more than one candidate changed; the first of them */
      readonly overlap: readonly {
        readonly path: string;
        readonly sessions: readonly string[];
      }[];
      /** how many further files */
      readonly overlapMore: number;
    };
  };
  /** Wait until no candidate of a fan-out works any more, and compare them. */
  "fan-out.wait": {
    readonly kind: "read";
    readonly input: {
      /** a fan-out's name or id, or the beginning of either */
      readonly id: string;
      readonly timeoutMs?: number;
    };
    readonly output: {
      readonly id: string;
      readonly name: string;
      /** judged: no candidate works any more; settled: landed or dropped, all of them; failed: too few started */
      readonly state: "starting" | "working" | "judged" | "settled" | "failed";
      /** a long one is cut; null: erased */
      readonly prompt: string | null;
      readonly repository: string;
      /** the commit that every worktree was made from */
      readonly base: string | null;
      /** the branch that the work is tried against; null: the one that is checked out */
      readonly into: string | null;
      /** checks beside those of the configuration */
      readonly checks: readonly (readonly string[])[];
      readonly startedAt: string;
      readonly changedAt: string;
      readonly startedBy: string;
      /** the best first */
      readonly candidates: readonly {
        readonly sessionId: string;
        /** the session's name; absent before it exists */
        readonly name?: string;
        readonly agent: string;
        readonly model?: string;
        /** waiting: for an approval or a usage limit; failed: it could not be started; ended: without a result */
        readonly state:
          | "opening"
          | "working"
          | "waiting"
          | "judging"
          | "judged"
          | "failed"
          | "ended"
          | "landing"
          | "landed"
          | "dropping"
          | "dropped";
        readonly waitingFor?: "approval" | "quota";
        readonly waitingUntil?: string;
        /** from 1, among those that were judged */
        readonly rank?: number;
        /** why it has this rank, or why it failed */
        readonly reason?: string;
        /** its work could land as it is */
        readonly passes?: boolean;
        /** how its last turn ended */
        readonly outcome?: string;
        /** none: there are no checks */
        readonly checks?: "passed" | "failed" | "not run" | "none";
        readonly checkMs?: number;
        /** what would keep its work from the branch */
        readonly findings: readonly {
          readonly rule: "scope" | "secret" | "size" | "fileBudget" | "check" | "conflict" | "base" | "policy";
          readonly path?: string;
          readonly message: string;
          /** what to do about it */
          readonly remedy: string;
        }[];
        /** findings that are left out */
        readonly more?: number;
        /** changed files, against the base */
        readonly files?: number;
        /** lines */
        readonly added?: number;
        /** lines */
        readonly removed?: number;
        /** the first changed files */
        readonly paths: readonly string[];
        /** how long its turns took */
        readonly turnMs?: number;
        readonly spent?: {
          /** tokens, without cached ones */
          readonly input: number;
          readonly output: number;
          readonly cacheRead: number;
          readonly cacheWrite: number;
          /** null when the agent tells no price */
          readonly costUsd: number | null;
        };
        /** its newest landing */
        readonly landing?: {
          readonly id: string;
          readonly into: string;
          readonly state: "queued" | "checking" | "landed" | "refused" | "ejected";
        };
        /** why it failed, could not be judged, or is still there */
        readonly error?: {
          readonly code: string;
          readonly message: string;
        };
        /** what went with its worktree */
        readonly gone?: {
          readonly files: readonly string[];
          readonly more: number;
          /** still holds the files; `nomos fork` brings them back */
          readonly snapshot: string | null;
        };
      }[];
      /** what `best` names; null while one works, and when none could land */
      readonly best: {
        readonly sessionId: string;
        readonly name: string;
        readonly reason: string;
      } | null;
      /** the newest that was landed */
      readonly chosen: {
        readonly sessionId: string;
        readonly landingId: string;
      } | null;
      /** files that more than one candidate changed; the first of them */
      readonly overlap: readonly {
        readonly path: string;
        readonly sessions: readonly string[];
      }[];
      /** how many further files */
      readonly overlapMore: number;
    };
  };
  /** Follow a fan-out: the comparison after each change, until no candidate works any more. */
  "fan-out.watch": {
    readonly kind: "stream";
    readonly input: {
      /** a fan-out's name or id, or the beginning of either */
      readonly id: string;
    };
    readonly output: {
      readonly id: string;
      readonly name: string;
      /** judged: no candidate works any more; settled: landed or dropped, all of them; failed: too few started */
      readonly state: "starting" | "working" | "judged" | "settled" | "failed";
      /** a long one is cut; null: erased */
      readonly prompt: string | null;
      readonly repository: string;
      /** the commit that every worktree was made from */
      readonly base: string | null;
      /** the branch that the work is tried against; null: the one that is checked out */
      readonly into: string | null;
      /** checks beside those of the configuration */
      readonly checks: readonly (readonly string[])[];
      readonly startedAt: string;
      readonly changedAt: string;
      readonly startedBy: string;
      /** the best first */
      readonly candidates: readonly {
        readonly sessionId: string;
        /** the session's name; absent before it exists */
        readonly name?: string;
        readonly agent: string;
        readonly model?: string;
        /** waiting: for an approval or a usage limit; failed: it could not be started; ended: without a result */
        readonly state:
          | "opening"
          | "working"
          | "waiting"
          | "judging"
          | "judged"
          | "failed"
          | "ended"
          | "landing"
          | "landed"
          | "dropping"
          | "dropped";
        readonly waitingFor?: "approval" | "quota";
        readonly waitingUntil?: string;
        /** from 1, among those that were judged */
        readonly rank?: number;
        /** why it has this rank, or why it failed */
        readonly reason?: string;
        /** its work could land as it is */
        readonly passes?: boolean;
        /** how its last turn ended */
        readonly outcome?: string;
        /** none: there are no checks */
        readonly checks?: "passed" | "failed" | "not run" | "none";
        readonly checkMs?: number;
        /** what would keep its work from the branch */
        readonly findings: readonly {
          readonly rule: "scope" | "secret" | "size" | "fileBudget" | "check" | "conflict" | "base" | "policy";
          readonly path?: string;
          readonly message: string;
          /** what to do about it */
          readonly remedy: string;
        }[];
        /** findings that are left out */
        readonly more?: number;
        /** changed files, against the base */
        readonly files?: number;
        /** lines */
        readonly added?: number;
        /** lines */
        readonly removed?: number;
        /** the first changed files */
        readonly paths: readonly string[];
        /** how long its turns took */
        readonly turnMs?: number;
        readonly spent?: {
          /** tokens, without cached ones */
          readonly input: number;
          readonly output: number;
          readonly cacheRead: number;
          readonly cacheWrite: number;
          /** null when the agent tells no price */
          readonly costUsd: number | null;
        };
        /** its newest landing */
        readonly landing?: {
          readonly id: string;
          readonly into: string;
          readonly state: "queued" | "checking" | "landed" | "refused" | "ejected";
        };
        /** why it failed, could not be judged, or is still there */
        readonly error?: {
          readonly code: string;
          readonly message: string;
        };
        /** what went with its worktree */
        readonly gone?: {
          readonly files: readonly string[];
          readonly more: number;
          /** still holds the files; `nomos fork` brings them back */
          readonly snapshot: string | null;
        };
      }[];
      /** what `best` names; null while one works, and when none could land */
      readonly best: {
        readonly sessionId: string;
        readonly name: string;
        readonly reason: string;
      } | null;
      /** the newest that was landed */
      readonly chosen: {
        readonly sessionId: string;
        readonly landingId: string;
      } | null;
      /** files that more than one candidate changed; the first of them */
      readonly overlap: readonly {
        readonly path: string;
        readonly sessions: readonly string[];
      }[];
      /** how many further files */
      readonly overlapMore: number;
    };
  };
  /** Show what each candidate of a fan-out changed, as a patch. */
  "fan-out.diff": {
    readonly kind: "read";
    readonly input: {
      /** a fan-out's name or id, or the beginning of either */
      readonly id: string;
      /** only this candidate: its session or its agent */
      readonly session?: string;
    };
    readonly output: {
      readonly id: string;
      readonly diffs: readonly {
        readonly sessionId: string;
        /** the session's name; absent before it exists */
        readonly name?: string;
        readonly agent: string;
        readonly files: readonly {
          readonly path: string;
          readonly added: number;
          readonly removed: number;
        }[];
        /** as `git apply` takes it; null: too large, or the worktree is gone */
        readonly patch: string | null;
        /** why there is no patch */
        readonly why?: string;
      }[];
    };
  };
  /** Land the work of one candidate, through the gate and the queue; the others are kept. */
  "fan-out.land": {
    readonly kind: "write";
    readonly input: {
      /** a fan-out's name or id, or the beginning of either */
      readonly id: string;
      /** its session, its agent, or `best` */
      readonly session: string;
      /** the branch; default: as the fan-out was tried */
      readonly into?: string;
      /** default: `landing.how` of the configuration */
      readonly how?: "merge" | "rebase" | "squash";
      /** of the commit */
      readonly message?: string;
      /** beside those of the fan-out */
      readonly checks?: readonly (readonly string[])[];
      /** push a branch for a pull request instead of moving the branch */
      readonly pr?: boolean;
    };
    readonly output: {
      readonly id: string;
      readonly name: string;
      /** judged: no candidate works any more; settled: landed or dropped, all of them; failed: too few started */
      readonly state: "starting" | "working" | "judged" | "settled" | "failed";
      /** a long one is cut; null: erased */
      readonly prompt: string | null;
      readonly repository: string;
      /** the commit that every worktree was made from */
      readonly base: string | null;
      /** the branch that the work is tried against; null: the one that is checked out */
      readonly into: string | null;
      /** checks beside those of the configuration */
      readonly checks: readonly (readonly string[])[];
      readonly startedAt: string;
      readonly changedAt: string;
      readonly startedBy: string;
      /** the best first */
      readonly candidates: readonly {
        readonly sessionId: string;
        /** the session's name; absent before it exists */
        readonly name?: string;
        readonly agent: string;
        readonly model?: string;
        /** waiting: for an approval or a usage limit; failed: it could not be started; ended: without a result */
        readonly state:
          | "opening"
          | "working"
          | "waiting"
          | "judging"
          | "judged"
          | "failed"
          | "ended"
          | "landing"
          | "landed"
          | "dropping"
          | "dropped";
        readonly waitingFor?: "approval" | "quota";
        readonly waitingUntil?: string;
        /** from 1, among those that were judged */
        readonly rank?: number;
        /** why it has this rank, or why it failed */
        readonly reason?: string;
        /** its work could land as it is */
        readonly passes?: boolean;
        /** how its last turn ended */
        readonly outcome?: string;
        /** none: there are no checks */
        readonly checks?: "passed" | "failed" | "not run" | "none";
        readonly checkMs?: number;
        /** what would keep its work from the branch */
        readonly findings: readonly {
          readonly rule: "scope" | "secret" | "size" | "fileBudget" | "check" | "conflict" | "base" | "policy";
          readonly path?: string;
          readonly message: string;
          /** what to do about it */
          readonly remedy: string;
        }[];
        /** findings that are left out */
        readonly more?: number;
        /** changed files, against the base */
        readonly files?: number;
        /** lines */
        readonly added?: number;
        /** lines */
        readonly removed?: number;
        /** the first changed files */
        readonly paths: readonly string[];
        /** how long its turns took */
        readonly turnMs?: number;
        readonly spent?: {
          /** tokens, without cached ones */
          readonly input: number;
          readonly output: number;
          readonly cacheRead: number;
          readonly cacheWrite: number;
          /** null when the agent tells no price */
          readonly costUsd: number | null;
        };
        /** its newest landing */
        readonly landing?: {
          readonly id: string;
          readonly into: string;
          readonly state: "queued" | "checking" | "landed" | "refused" | "ejected";
        };
        /** why it failed, could not be judged, or is still there */
        readonly error?: {
          readonly code: string;
          readonly message: string;
        };
        /** what went with its worktree */
        readonly gone?: {
          readonly files: readonly string[];
          readonly more: number;
          /** still holds the files; `nomos fork` brings them back */
          readonly snapshot: string | null;
        };
      }[];
      /** what `best` names; null while one works, and when none could land */
      readonly best: {
        readonly sessionId: string;
        readonly name: string;
        readonly reason: string;
      } | null;
      /** the newest that was landed */
      readonly chosen: {
        readonly sessionId: string;
        readonly landingId: string;
      } | null;
      /** files that more than one candidate changed; the first of them */
      readonly overlap: readonly {
        readonly path: string;
        readonly sessions: readonly string[];
      }[];
      /** how many further files */
      readonly overlapMore: number;
      readonly landing: {
        readonly id: string;
        readonly sessionId: string;
        readonly name: string;
      };
    };
  };
  /** End candidates of a fan-out and remove their worktrees with the work in them. */
  "fan-out.drop": {
    readonly kind: "write";
    readonly input: {
      /** a fan-out's name or id, or the beginning of either */
      readonly id: string;
      /** its session or its agent; default: all but the one that was landed */
      readonly session?: string;
      /** every candidate, also when none was landed */
      readonly all?: boolean;
      /** only say what would go */
      readonly dryRun?: boolean;
    };
    readonly output: {
      readonly id: string;
      readonly dryRun: boolean;
      readonly dropped: readonly {
        readonly sessionId: string;
        /** the session's name; absent before it exists */
        readonly name?: string;
        readonly agent: string;
        /** changed files that went with the worktree */
        readonly files: readonly string[];
        /** how many further files */
        readonly more: number;
        /** still holds the files: `nomos fork <name>` brings them back */
        readonly snapshot: string | null;
      }[];
      readonly count: number;
    };
  };
  /** List all drivers and show which are installed. */
  "driver.list": {
    readonly kind: "read";
    readonly input: Record<string, never>;
    readonly output: {
      readonly drivers: readonly {
        readonly slug: string;
        readonly summary: string;
        /** how the agent gets its memory back after its process ended: native or digest */
        readonly continuity: string;
        readonly protocol: "acp" | "print" | "own";
        readonly origin: "built-in" | "added" | "configured";
        readonly installed: boolean;
      }[];
    };
  };
  /** Show one driver with its manifest. */
  "driver.show": {
    readonly kind: "read";
    readonly input: {
      readonly slug: string;
    };
    readonly output: {
      readonly slug: string;
      readonly summary: string;
      /** how the agent gets its memory back after its process ended: native or digest */
      readonly continuity: string;
      readonly protocol: "acp" | "print" | "own";
      readonly origin: "built-in" | "added" | "configured";
      readonly installed: boolean;
      readonly manifest: { readonly [key: string]: unknown } | null;
    };
  };
  /** Install an agent into the daemon's home, in the version its manifest names. */
  "driver.install": {
    readonly kind: "write";
    readonly input: {
      readonly slug: string;
    };
    readonly output: {
      readonly slug: string;
      readonly summary: string;
      /** how the agent gets its memory back after its process ended: native or digest */
      readonly continuity: string;
      readonly protocol: "acp" | "print" | "own";
      readonly origin: "built-in" | "added" | "configured";
      readonly installed: boolean;
      readonly manifest: { readonly [key: string]: unknown } | null;
    };
  };
  /** Find an agent, check its version and start it briefly; with `latest`, its newest release in a copy. */
  "driver.check": {
    readonly kind: "read";
    readonly input: {
      /** the driver; with `latest` also `all`, for every installed agent */
      readonly slug: string;
      /** try the newest release, in a copy that is removed: install, handshake, open a session */
      readonly latest?: boolean | "0" | "1" | "true" | "false";
      /** with `latest`: write the result to this file, as Markdown */
      readonly write?: string;
    };
    readonly output: {
      readonly slug: string;
      readonly ok: boolean;
      readonly from: "command" | "home" | "path" | null;
      readonly command: readonly string[];
      readonly version: string | null;
      readonly problem: {
        readonly code: string;
        readonly message: string;
        readonly steps: readonly string[];
      } | null;
      readonly agent: {
        readonly name: string;
        readonly protocol: number;
        readonly loads: boolean;
        readonly resumes: boolean;
        readonly forks: boolean;
        readonly closes: boolean;
        readonly images: boolean;
        readonly embeds: boolean;
        readonly mcpHttp: boolean;
        readonly authMethods: readonly {
          readonly id: string;
          readonly name: string;
          readonly description: string;
        }[];
      } | null;
      readonly latest?: readonly {
        readonly slug: string;
        readonly package: string;
        readonly installed: string | null;
        /** null: the registry did not tell */
        readonly latest: string | null;
        readonly state: "works" | "fails" | "unknown";
        /** whether the manifest's range has it */
        readonly isSupported: boolean;
        readonly says: string;
      }[];
      /** the newest releases as Markdown */
      readonly page?: string;
    };
  };
  /** Add or replace a foreign agent by its manifest, a short JSON file. */
  "driver.add": {
    readonly kind: "write";
    readonly input: {
      /** the manifest, as JSON text */
      readonly manifest: string;
    };
    readonly output: {
      readonly ok: true;
      readonly slug: string;
    };
  };
  /** Remove a manifest you added; a built-in manifest of the same name applies again. */
  "driver.remove": {
    readonly kind: "write";
    readonly input: {
      readonly slug: string;
    };
    readonly output: {
      readonly ok: boolean;
      readonly slug: string;
    };
  };
  /** List the models that the agent `nomos` can use, with limits, prices and where their keys come from. */
  "model.list": {
    readonly kind: "read";
    readonly input: {
      readonly limit?: number;
      /** `next` of the previous page */
      readonly after?: string;
    };
    readonly output: {
      readonly models: readonly {
        /** NAME/MODEL */
        readonly name: string;
        readonly api: string;
        /** tokens that a request and its answer may have together */
        readonly window: number;
        /** tokens of an answer at most */
        readonly output: number;
        /** dollars per million tokens; null: unknown, so the cost is not counted */
        readonly price: {
          readonly input: number;
          readonly output: number;
          readonly cacheRead: number;
          readonly cacheWrite: number;
        } | null;
        /** null when none is needed */
        readonly key: {
          /** such as `secret NAME`, `env NAME` or `file PATH` */
          readonly source: string;
          /** whether the daemon finds a key there */
          readonly isThere: boolean;
          /** what is wrong with the secret: missing, lost, or the vault is locked */
          readonly problem?: string;
        } | null;
        readonly isDefault: boolean;
      }[];
      readonly next: string | null;
      /** the model of sessions that name none; null: none is configured */
      readonly default: string | null;
    };
  };
  /** Add a model provider, or a model to one: which API it speaks, where its key is; the first model is the default. */
  "model.add": {
    readonly kind: "write";
    readonly input: {
      /** what you call the provider; its models are NAME/MODEL */
      readonly name: string;
      /** the protocol of its endpoint; default: the one called like it */
      readonly api?:
        | "openai-chat"
        | "openai"
        | "openai-responses"
        | "anthropic"
        | "google"
        | "mistral"
        | "azure"
        | "bedrock"
        | "vertex"
        | "openrouter"
        | "ollama"
        | "copilot";
      /** the endpoint; default: the API's own */
      readonly baseUrl?: string;
      /** where its key is: `secret:NAME` of the vault, `env:NAME` of the daemon's environment or `file:PATH`; never the key itself */
      readonly key?: string;
      /** one of its models, as the provider calls it */
      readonly model?: string;
      /** tokens that a request and its answer may have together */
      readonly window?: number;
      /** tokens of an answer at most */
      readonly output?: number;
      /** whether the model looks at pictures */
      readonly images?: boolean;
      /** dollars per million tokens */
      readonly price?: {
        readonly input: number;
        readonly output: number;
        readonly cacheRead?: number;
        readonly cacheWrite?: number;
      };
      /** make the model the default, also when there is one already */
      readonly default?: boolean;
      /** replace a provider of this name */
      readonly replace?: boolean;
    };
    readonly output: {
      readonly name: string;
      readonly api: string;
      /** its models that are known, NAME/MODEL */
      readonly models: readonly string[];
      /** the model to test first; null: name one */
      readonly tested: string | null;
      /** null when none is needed, or no model is known */
      readonly key: {
        /** such as `secret NAME`, `env NAME` or `file PATH` */
        readonly source: string;
        /** whether the daemon finds a key there */
        readonly isThere: boolean;
        /** what is wrong with the secret: missing, lost, or the vault is locked */
        readonly problem?: string;
      } | null;
      readonly default: string | null;
    };
  };
  /** Ask a model for one word, and say what is wrong with its key or endpoint if it does not answer. */
  "model.test": {
    readonly kind: "write";
    readonly input: {
      /** NAME/MODEL; default: the default model */
      readonly model?: string;
    };
    readonly output: {
      readonly ok: boolean;
      readonly model: string;
      readonly ms: number;
      /** until the first token; null: none came */
      readonly firstTokenMs: number | null;
      readonly says: string;
    };
  };
  /** Choose the model of sessions that name none. */
  "model.default": {
    readonly kind: "write";
    readonly input: {
      /** NAME/MODEL, as `model list` shows them */
      readonly model: string;
    };
    readonly output: {
      readonly default: string;
    };
  };
  /** Remove a provider with its models, and the key that was piped in for it. */
  "model.remove": {
    readonly kind: "write";
    readonly input: {
      readonly name: string;
    };
    readonly output: {
      readonly ok: true;
      readonly name: string;
      readonly default: string | null;
    };
  };
  /** Log in to a provider that has a login instead of a key, such as GitHub Copilot. */
  "model.login": {
    readonly kind: "write";
    readonly input: {
      readonly name: string;
    };
    readonly output: {
      /** open this page */
      readonly page: string;
      /** and enter this code */
      readonly code: string;
      readonly expiresInS: number;
    };
  };
  /** Replace the limits and prices of well-known models by a newer catalogue, or go back to the built-in one. */
  "model.update": {
    readonly kind: "write";
    readonly input: {
      /** a catalogue as a JSON file, at most 4 MB */
      readonly file?: string;
      /** an https address; http only on this machine */
      readonly url?: string;
      /** use the catalogue of this version of Nomos again */
      readonly reset?: boolean;
    };
    readonly output: {
      /** the day of the data; null: the built-in catalogue applies */
      readonly version: string | null;
      /** how many models it knows */
      readonly models: number | null;
    };
  };
  /** List the MCP servers: whether they are connected, who uses them, and what is wrong. */
  "mcp-server.list": {
    readonly kind: "read";
    readonly input: Record<string, never>;
    readonly output: {
      readonly servers: readonly {
        readonly name: string;
        /** `idle`: no session uses it, so it does not run */
        readonly state: "connected" | "starting" | "idle" | "failed" | "disabled";
        readonly transport: "stdio" | "http";
        /** the program or the address, without what may be a secret */
        readonly target: string;
        /** null: it was not asked yet */
        readonly tools: number | null;
        /** sessions that use it */
        readonly sessions: number;
        readonly processes: number;
        readonly shared: boolean;
        /** null: nobody has logged in, or a program needs no login */
        readonly login: "ok" | "over" | null;
        /** null: sessions of all agents have it */
        readonly agents: readonly string[] | null;
        /** names of variables and headers, and where their values come from */
        readonly secrets: readonly string[];
        readonly problem: string | null;
      }[];
    };
  };
  /** Add an MCP server: a program, an address, or the settings of another program as JSON. */
  "mcp-server.add": {
    readonly kind: "write";
    readonly input: {
      /** its tools are called mcp__NAME__TOOL */
      readonly name?: string;
      /** the program and its arguments, after `--`; no shell reads them */
      readonly argv?: readonly string[];
      /** the address of a server that speaks HTTP */
      readonly url?: string;
      /** a variable of the program: NAME=env:VARIABLE, NAME=file:PATH or NAME=VALUE */
      readonly env?: readonly string[];
      /** a header of each request, such as `Authorization=Bearer env:TOKEN` */
      readonly header?: readonly string[];
      /** where the program runs */
      readonly cwd?: string;
      /** only sessions of these agents have it */
      readonly agents?: readonly string[];
      /** only these of its tools; `*` stands for any text */
      readonly allow?: readonly string[];
      /** not these of its tools */
      readonly deny?: readonly string[];
      /** a call that takes longer is given up */
      readonly timeoutMs?: number;
      /** one process for each session, in its directory; default: one for all */
      readonly private?: boolean;
      /** strict sessions have it too, although it runs outside of their walls */
      readonly outsideWalls?: boolean;
      /** its settings as JSON, or a file of another program with `mcpServers` */
      readonly settings?: string;
      /** replace a server of this name */
      readonly replace?: boolean;
    };
    readonly output: {
      readonly names: readonly string[];
      readonly name: string;
    };
  };
  /** Connect to an MCP server, and say which tools it has or what is wrong. */
  "mcp-server.test": {
    readonly kind: "write";
    readonly input: {
      readonly name: string;
    };
    readonly output: {
      readonly ok: boolean;
      readonly name: string;
      readonly says: string;
      readonly ms: number;
      /** what the server calls itself */
      readonly server: string | null;
      /** the version of MCP that it speaks */
      readonly protocol: string | null;
      readonly tools: readonly {
        readonly name: string;
        readonly title: string;
      }[];
    };
  };
  /** Remove an MCP server and its login; its processes end. */
  "mcp-server.remove": {
    readonly kind: "write";
    readonly input: {
      readonly name: string;
    };
    readonly output: {
      readonly ok: true;
      readonly name: string;
    };
  };
  /** Log in to an MCP server by OAuth: open the page that the answer names. */
  "mcp-server.login": {
    readonly kind: "write";
    readonly input: {
      readonly name: string;
    };
    readonly output: {
      /** open this page in a browser on this machine */
      readonly page: string;
      readonly expiresInS: number;
    };
  };
  /** List the tools that the daemon runs for a session, such as those of MCP servers, and what is missing. */
  "tool.list": {
    readonly kind: "read";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
      /** wait so long for servers that start */
      readonly waitMs?: number;
    };
    readonly output: {
      readonly tools: readonly {
        readonly name: string;
        readonly description: string;
        /** rules name a call `tool.KIND` */
        readonly kind: string;
        /** a JSON schema */
        readonly input: { readonly [key: string]: unknown };
      }[];
      /** what cannot be offered now, and why */
      readonly problems: readonly string[];
    };
  };
  /** Call a tool of the daemon as an effect of the session's running turn. */
  "tool.call": {
    readonly kind: "write";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
      /** as `tool list` shows it */
      readonly name: string;
      /** what the tool takes */
      readonly arguments?: { readonly [key: string]: unknown };
    };
    readonly output: {
      /** the effect in the session's log; empty when it was denied */
      readonly effectId: string;
      readonly outcome: "done" | "failed" | "refused";
      readonly content: readonly (
        | {
            readonly kind: "text";
            readonly text: string;
          }
        | {
            readonly kind: "image";
            readonly mediaType: string;
            readonly base64: string;
          }
      )[];
      readonly isError: boolean;
      /** the beginning of its text, 16 KB at most */
      readonly text: string;
    };
  };
  /** Show the files and network a session can reach, its limits, and what it was refused. */
  "sandbox.explain": {
    readonly kind: "read";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
    };
    readonly output: {
      readonly id: string;
      readonly mode: "off" | "warn" | "enforce" | "strict";
      /** true: the operating system enforces it; false: only the agent's own questions do */
      readonly holds: boolean;
      /** where the sandbox is weaker than its name says */
      readonly notices: readonly string[];
      /** where two paths overlap, the innermost one applies */
      readonly files: readonly {
        readonly path: string;
        readonly access: "read" | "write" | "hidden";
        readonly why: string;
      }[];
      readonly network: {
        /** true: the session reaches every address that the machine reaches */
        readonly open: boolean;
        readonly reachable: readonly {
          readonly host: string;
          readonly why: string;
        }[];
        readonly denied: readonly {
          readonly host: string;
          readonly port: number;
          readonly reason: string;
          readonly count: number;
        }[];
      };
      /** secrets that its processes hold as environment variables; a process that is given a secret can send it on */
      readonly secrets: readonly {
        /** null: it belongs to somebody else */
        readonly name: string | null;
        readonly variable: string;
        /** all commands of the session, or the driver's process alone */
        readonly for: "session" | "driver";
        /** why the next process gets no value; null: it gets one */
        readonly problem: string | null;
      }[];
      readonly limits: {
        /** what enforces the limits over all processes together; null: nothing on this machine can */
        readonly by: string | null;
        readonly memoryMb: number | null;
        readonly pidsMax: number | null;
        readonly cpus: number | null;
        /** limits that this machine cannot enforce */
        readonly absent: readonly string[];
      };
    };
  };
  /** Run a command in a `strict` sandbox that can write to one directory, to try the sandbox out. */
  "sandbox.run": {
    readonly kind: "write";
    readonly input: {
      /** the program and its arguments */
      readonly argv: readonly string[];
      /** the one directory that the command may write to */
      readonly cwd: string;
      readonly network?: {
        readonly allow: readonly string[];
      };
      /** the command is ended after this time; default 60000 */
      readonly timeoutMs?: number;
    };
    readonly output: {
      /** null: a signal ended it, or the code is no longer known */
      readonly exitCode: number | null;
      readonly stdout: string;
      readonly stderr: string;
      readonly timedOut: boolean;
      /** output bytes that were not kept */
      readonly droppedBytes: number;
      readonly denied: readonly {
        readonly host: string;
        readonly port: number;
        readonly reason: string;
      }[];
    };
  };
  /** List all events in global order, by page. */
  "audit.entries": {
    readonly kind: "read";
    readonly input: {
      /** a `next`, a `seq`, an event id, or `now`; reading starts after it */
      readonly after?: number | string;
      readonly limit?: number;
      /** only events of these types, with or without version */
      readonly types?: readonly string[] | string;
      /** `desc`: newest first, and `after` goes towards the oldest */
      readonly order?: "asc" | "desc";
      /** only events of this stream, such as `session/<id>` or `system` */
      readonly stream?: string;
      /** only events of this actor; a short page may not be the last */
      readonly actor?: string;
      /** begin at the first event that is not older than this time */
      readonly from?: string;
      /** end before the first event that is not older than this time */
      readonly until?: string;
    };
    readonly output: {
      readonly entries: readonly LogEvent[];
      readonly next: number | null;
    };
  };
  /** Check the hashes and position of every event, and the tree against its signed checkpoint. */
  "audit.verify": {
    readonly kind: "read";
    readonly input: Record<string, never>;
    readonly output: {
      readonly ok: boolean;
      readonly size: number;
      /** root of the tree over all events, computed from the log by this call */
      readonly root: string;
      readonly problems: readonly {
        readonly problem: string;
        readonly stream?: string;
        readonly version?: number;
        readonly seq?: number | null;
        readonly level?: number;
        readonly index?: number;
        readonly size?: number;
        readonly expected?: string;
        readonly found?: string;
      }[];
    };
  };
  /** Show the newest signed checkpoint as a C2SP signed note; as JSON, also the key that verifies it. */
  "audit.checkpoint": {
    readonly kind: "read";
    readonly input: Record<string, never>;
    readonly output: {
      readonly checkpoint: string;
      readonly key: string;
      readonly size: number;
      readonly root: string;
      /** the newest checkpoint that a witness has also signed */
      readonly cosigned: string | null;
    };
  };
  /** Prove that an event is in the signed log. */
  "audit.proof": {
    readonly kind: "read";
    readonly input: {
      readonly eventId: string;
    };
    readonly output: {
      readonly eventId: string;
      readonly seq: number;
      readonly leafIndex: number;
      readonly size: number;
      readonly leafHash: string;
      /** in hex, in the order of RFC 6962 */
      readonly hashes: readonly string[];
      readonly root: string;
      readonly checkpoint: string;
      /** the event as stored, as in a line of an export: enough to compute its hash and its leaf */
      readonly event: {
        readonly prev: string;
        /** the text that was hashed */
        readonly header: string;
        readonly hash: string;
        /** null: the data was erased */
        readonly salt: string | null;
        /** in base64; null: erased */
        readonly data: string | null;
      };
    };
  };
  /** Prove that the log still begins with the events it had at an earlier size. */
  "audit.consistency": {
    readonly kind: "read";
    readonly input: {
      readonly from: number;
      /** default: the newest checkpoint */
      readonly to?: number;
    };
    readonly output: {
      readonly from: number;
      readonly to: number;
      readonly fromRoot: string;
      readonly toRoot: string;
      /** in hex, in the order of RFC 6962 */
      readonly hashes: readonly string[];
      readonly checkpoint: string;
    };
  };
  /** Read one tile of the tree (C2SP tlog-tiles): up to 256 hashes of a level. */
  "audit.tile": {
    readonly kind: "read";
    readonly input: {
      readonly level: number;
      readonly index: number;
    };
    readonly output: {
      readonly level: number;
      readonly index: number;
      readonly width: number;
      readonly hashes: readonly string[];
    };
  };
  /** Export the whole log as a folder or a .tar; `nomos-verify` checks it without Nomos. */
  "audit.export": {
    readonly kind: "write";
    readonly input: {
      /** an absolute path; default: in `exports` of the home */
      readonly to?: string;
    };
    readonly output: {
      readonly path: string;
      readonly size: number;
    };
  };
  /** List the events of an agent's sessions in global order, by page; a short page may not be the last. */
  "audit.agent": {
    readonly kind: "read";
    readonly input: {
      /** the agent's slug */
      readonly id: string;
      /** a `next` or a `seq`; the page starts after it */
      readonly after?: number;
      readonly limit?: number;
      /** `desc`: newest first, and `after` goes towards the oldest */
      readonly order?: "asc" | "desc";
    };
    readonly output: {
      readonly agent: string;
      readonly entries: readonly LogEvent[];
      readonly next: number | null;
    };
  };
  /** Show the daemon's version, address, recovery results, and use of sessions and storage. */
  "system.status": {
    readonly kind: "read";
    readonly input: Record<string, never>;
    readonly output: {
      readonly service: "nomos";
      readonly status: "ok";
      readonly version: string;
      readonly pid: number;
      readonly port: number;
      readonly home: string;
      readonly uptimeMs: number;
      readonly events: number;
      readonly recovery: {
        readonly sessions: number;
        readonly interrupted: number;
        readonly ms: number;
      };
      readonly sandbox: {
        readonly bubblewrap: string | null;
        readonly remedy: string | null;
      };
      /** limits of each process of a session; `held` is false where the system enforces none */
      readonly limits: {
        readonly memoryMb: number | null;
        readonly openFilesMax: number | null;
        readonly held: boolean;
      };
      readonly machine: {
        readonly cores: number;
        /** processes that run or wait, on average over a minute */
        readonly load: number | null;
        readonly memoryBytes: number;
        readonly memoryFreeBytes: number;
      };
      readonly tree: {
        readonly size: number;
        /** how many events the tree is behind the log */
        readonly lag: number;
        readonly checkpointSize: number | null;
        readonly checkpointAt: string | null;
        /** why the tree or its checkpoint could not be written; Nomos tries again */
        readonly problem: string | null;
        readonly anchors: readonly {
          readonly kind: "git" | "witness";
          readonly where: string;
          readonly size: number | null;
          readonly at: string | null;
          readonly problem: {
            readonly code: string;
            readonly message: string;
          } | null;
        }[];
      };
      /** followers of the log */
      readonly followers: readonly {
        readonly name: string;
        /** for its lag see the metrics */
        readonly state: "following" | "failing";
        readonly failure: {
          readonly code: string;
          readonly message: string;
          readonly remedy: string;
          /** time of the first failure since it last worked */
          readonly since: string;
          readonly tries: number;
          readonly nextTryAt: string;
        } | null;
      }[];
      readonly waiting: {
        readonly alarms: {
          readonly set: number;
          /** counted up to a thousand */
          readonly due: number;
          /** alarms late by more than a minute */
          readonly overdue: number;
          /** how late the oldest alarm is */
          readonly lateMs: number;
          /** alarms that are due but failed; Nomos tries again */
          readonly stuck: readonly {
            /** stream and name of the item: `stream#name` */
            readonly id: string;
            readonly code: string;
            readonly message: string;
            readonly remedy: string;
            readonly since: string;
            readonly tries: number;
            readonly nextTryAt: string;
          }[];
        };
        /** items that could not be started although their lane has room */
        readonly notStarted: readonly {
          /** stream and name of the item: `stream#name` */
          readonly id: string;
          readonly code: string;
          readonly message: string;
          readonly remedy: string;
          readonly since: string;
          readonly tries: number;
          readonly nextTryAt: string;
        }[];
        /** new lists that are still being filled from the log */
        readonly unfilledLists: readonly string[];
      };
      /** the vault of secrets; while it is locked everything else works */
      readonly vault: {
        readonly state: "open" | "locked";
        /** who keeps its key; null: there is none yet, or it is locked */
        readonly holder: "file" | "keyring" | "passphrase" | null;
        /** why it is locked */
        readonly why: string | null;
        readonly says: string | null;
        readonly remedy: string | null;
        readonly secrets: number;
      };
      /** the own engine */
      readonly engine: {
        /** null while it has no process */
        readonly pid: number | null;
        /** sessions that it holds in memory */
        readonly sessions: number;
        /** turns that it runs */
        readonly turns: number;
        /** processes of it that crashed or hung since the daemon's start */
        readonly crashes: number;
      };
      readonly models: {
        /** the model of sessions that name none */
        readonly default: string | null;
        /** providers that failed lately */
        readonly breakers: readonly {
          readonly provider: string;
          /** `open`: calls wait, because the provider failed repeatedly */
          readonly state: "closed" | "open" | "half_open";
          readonly failures: number;
          /** when an open one is tried again */
          readonly retryAt: string | null;
        }[];
      };
      readonly usage: {
        readonly events: number;
        /** stored bytes of headers and data of all events */
        readonly eventBytes: number;
        /** stored bytes of all blobs and artifacts, compressed, each counted once */
        readonly blobBytes: number;
        /** `limits.homeBytes` */
        readonly limit: number;
        /** `limits.sessionBytes` */
        readonly sessionLimit: number;
      };
      readonly disk: {
        readonly freeBytes: number;
        readonly totalBytes: number;
        /** `limits.diskFreeBytes` */
        readonly limit: number;
        /** low: new sessions and prompts are refused; scarce: running turns are ended too */
        readonly level: "enough" | "low" | "scarce";
      };
      readonly wal: {
        readonly bytes: number;
        /** `limits.walBytes` */
        readonly limit: number;
        /** why the write-ahead log is over its limit */
        readonly problem: string | null;
      };
    };
  };
  /** Show the metrics in the Prometheus text format. */
  "system.metrics": {
    readonly kind: "read";
    readonly input: Record<string, never>;
    readonly output: {
      readonly metrics: string;
    };
  };
  /** Check every byte of the log and its tree; with `rebuild`, also compare the read models with the log. */
  "system.doctor": {
    readonly kind: "read";
    readonly input: {
      readonly rebuild?: boolean | "0" | "1" | "true" | "false";
      readonly repair?: boolean | "0" | "1" | "true" | "false";
    };
    readonly output: {
      readonly ok: boolean;
      readonly log: {
        readonly ok: boolean;
        readonly events: number;
        readonly streams: number;
        readonly problems: readonly {
          readonly stream: string;
          readonly version: number;
          readonly seq: number | null;
          readonly problem: string;
        }[];
      };
      readonly models: {
        readonly ok: boolean;
        readonly streams: number;
        readonly rows: number;
        readonly differences: readonly {
          readonly model: string;
          readonly id: string;
          readonly what: "missing" | "extra" | "differs";
        }[];
      } | null;
      /** the tree, compared with the log and the signed checkpoints */
      readonly tree: {
        readonly ok: boolean;
        readonly size: number;
        readonly problems: readonly {
          readonly problem: string;
          readonly stream?: string;
          readonly version?: number;
          readonly seq?: number | null;
          readonly level?: number;
          readonly index?: number;
          readonly size?: number;
          readonly expected?: string;
          readonly found?: string;
        }[];
      };
      /** followers of the log; `repair` rebuilds a failing one */
      readonly followers: readonly {
        readonly name: string;
        /** for its lag see the metrics */
        readonly state: "following" | "failing";
        readonly failure: {
          readonly code: string;
          readonly message: string;
          readonly remedy: string;
          /** time of the first failure since it last worked */
          readonly since: string;
          readonly tries: number;
          readonly nextTryAt: string;
        } | null;
      }[];
      readonly waiting: {
        readonly alarms: {
          readonly set: number;
          /** counted up to a thousand */
          readonly due: number;
          /** alarms late by more than a minute */
          readonly overdue: number;
          /** how late the oldest alarm is */
          readonly lateMs: number;
          /** alarms that are due but failed; Nomos tries again */
          readonly stuck: readonly {
            /** stream and name of the item: `stream#name` */
            readonly id: string;
            readonly code: string;
            readonly message: string;
            readonly remedy: string;
            readonly since: string;
            readonly tries: number;
            readonly nextTryAt: string;
          }[];
        };
        /** items that could not be started although their lane has room */
        readonly notStarted: readonly {
          /** stream and name of the item: `stream#name` */
          readonly id: string;
          readonly code: string;
          readonly message: string;
          readonly remedy: string;
          readonly since: string;
          readonly tries: number;
          readonly nextTryAt: string;
        }[];
        /** new lists that are still being filled from the log */
        readonly unfilledLists: readonly string[];
      };
      /** the snapshots that rewinds restore from */
      readonly snapshots: {
        readonly ok: boolean;
        readonly packs: number;
        readonly bytes: number;
        /** packs that cannot be read */
        readonly damaged: readonly string[];
        /** snapshots whose list of files cannot be read */
        readonly broken: readonly string[];
        /** file contents that snapshots name but that are missing */
        readonly missing: number;
        /** snapshots that are missing completely, as in a restored home */
        readonly gone: number;
      };
      /** leftovers in the home */
      readonly home: {
        readonly ok: boolean;
        /** folders left by agents that could not be removed yet; Nomos tries again */
        readonly left: readonly {
          readonly path: string;
          readonly reason: string;
          readonly remedy: string;
        }[];
        /** files that blocked a start and were moved aside */
        readonly aside: readonly string[];
      };
      readonly vault: {
        readonly state: "open" | "locked";
        /** who keeps its key; null: there is none yet, or it is locked */
        readonly holder: "file" | "keyring" | "passphrase" | null;
        /** why it is locked */
        readonly why: string | null;
        readonly says: string | null;
        readonly remedy: string | null;
        readonly secrets: number;
        /** secrets whose value the vault does not hold */
        readonly lost: number;
      };
      readonly sandbox: {
        readonly bubblewrap: string | null;
        readonly remedy: string | null;
      };
      /** the anchors of checkpoints, and their problems */
      readonly anchors: readonly {
        readonly kind: "git" | "witness";
        readonly where: string;
        readonly size: number | null;
        readonly at: string | null;
        readonly problem: {
          readonly code: string;
          readonly message: string;
        } | null;
      }[];
      /** what the anchors answered when this log was last restored; null when no restore asked one */
      readonly compared: {
        readonly at: string;
        /** how many events were restored */
        readonly size: number;
        /** how many events an anchor had seen, if more than were restored */
        readonly newerSize: number | null;
        /** an anchor had seen other events, and a person restored anyway */
        readonly isContradicted: boolean;
        /** anchors that gave no answer */
        readonly unreachable: number;
      } | null;
      readonly usage: {
        readonly events: number;
        /** stored bytes of headers and data of all events */
        readonly eventBytes: number;
        /** stored bytes of all blobs and artifacts, compressed, each counted once */
        readonly blobBytes: number;
        /** `limits.homeBytes` */
        readonly limit: number;
        /** `limits.sessionBytes` */
        readonly sessionLimit: number;
      };
      readonly disk: {
        readonly freeBytes: number;
        readonly totalBytes: number;
        /** `limits.diskFreeBytes` */
        readonly limit: number;
        /** low: new sessions and prompts are refused; scarce: running turns are ended too */
        readonly level: "enough" | "low" | "scarce";
      };
      readonly wal: {
        readonly bytes: number;
        /** `limits.walBytes` */
        readonly limit: number;
        /** why the write-ahead log is over its limit */
        readonly problem: string | null;
      };
    };
  };
  /** List the protocols this daemon implements and where it deviates from them. */
  "system.conformance": {
    readonly kind: "read";
    readonly input: Record<string, never>;
    readonly output: {
      readonly aip46: {
        readonly text: string;
        readonly delegation: boolean;
        readonly buckets: boolean;
        readonly mcp: string;
        readonly sessions: string;
        readonly deviations: readonly {
          readonly case: number;
          readonly what: string;
        }[];
        readonly inapplicable: readonly {
          readonly case: number;
          readonly what: string;
        }[];
      };
    };
  };
  /** Back up the log, blobs, tree, keys and configuration into a new folder while the daemon runs. */
  "system.backup": {
    readonly kind: "write";
    readonly input: {
      /** an absolute path; default: in `backups` of the home */
      readonly to?: string;
    };
    readonly output: {
      readonly path: string;
      /** number of events in the backup */
      readonly size: number;
      /** root of the tree over these events */
      readonly root: string;
      readonly blobs: number;
      /** blobs that events name but that are missing */
      readonly missingBlobs: number;
      /** size of the log and the blobs */
      readonly bytes: number;
    };
  };
  /** Move the data of sessions that ended long ago into archives, and remove unused blobs. */
  "system.gc": {
    readonly kind: "write";
    readonly input: {
      /** archive sessions that ended more than this many days ago */
      readonly maxAgeDays: number;
      /** only report what would be removed, and how many bytes */
      readonly dryRun?: boolean;
      /** make no archive: the data is lost for good */
      readonly discard?: boolean;
    };
    readonly output: {
      readonly dryRun: boolean;
      readonly sessions: readonly {
        readonly id: string;
        readonly name: string;
        readonly endedAt: string;
        readonly events: number;
        readonly bytes: number;
        /** file name in `archive` of the home */
        readonly archive: string | null;
      }[];
      /** old enough, but kept because a fork needs them */
      readonly needed: readonly {
        readonly id: string;
        readonly name: string;
      }[];
      /** events whose data is removed; their headers and hashes stay */
      readonly events: number;
      /** size of that data */
      readonly bytes: number;
      /** blobs that no event names afterwards */
      readonly blobs: number;
      readonly blobBytes: number;
      /** true: this call reached its limit; call again for the rest */
      readonly more: boolean;
    };
  };
  /** Sum up turns, tokens and cost by time, agent, workspace and model. */
  "system.activity": {
    readonly kind: "read";
    readonly input: {
      /** default: a day before `until`; at most 92 days before it */
      readonly since?: string;
      /** default: now */
      readonly until?: string;
      /** minutes that are one sum; 15 suits every time zone */
      readonly step?: 15 | 60 | "15" | "60";
      /** the `next` of the part before, with the same times */
      readonly after?: number;
    };
    readonly output: {
      readonly since: string;
      readonly until: string;
      readonly step: number;
      /** to be summed with those of the other parts */
      readonly parts: readonly {
        /** the beginning of the step */
        readonly at: string;
        /** null: erased */
        readonly agent: string | null;
        readonly workspace: string | null;
        /** the session's model now; null: not told */
        readonly model: string | null;
        /** turns that ended */
        readonly turns: number;
        /** absent when the agents told nothing: that is not 0 */
        readonly spent?: {
          /** tokens, without cached ones */
          readonly input: number;
          readonly output: number;
          readonly cacheRead: number;
          readonly cacheWrite: number;
          /** null when the agent tells no price */
          readonly costUsd: number | null;
        };
      }[];
      /** time of all turns in a step; divided by the step: how many sessions worked at once */
      readonly working: readonly {
        readonly at: string;
        readonly busyMs: number;
      }[];
      /** null: this is all; else an older part follows `after` it */
      readonly next: number | null;
    };
  };
  /** Show the daemon's own log by page, newest lines first. */
  "system.log": {
    readonly kind: "read";
    readonly input: {
      readonly limit?: number;
      readonly before?: string;
      /** leave out lines that tell of no problem */
      readonly onlyProblems?: boolean | "0" | "1" | "true" | "false";
    };
    readonly output: {
      readonly entries: readonly {
        readonly at: string | null;
        readonly message: string;
        readonly isProblem: boolean;
        readonly details: { readonly [key: string]: unknown };
      }[];
      /** the `before` of the next page, which is older */
      readonly next: string | null;
    };
  };
  /** List the backups that this log tells of, newest first, and whether they are still there. */
  "system.backups": {
    readonly kind: "read";
    readonly input: {
      readonly limit?: number;
    };
    readonly output: {
      readonly backups: readonly {
        readonly path: string;
        readonly madeAt: string;
        /** number of events in the backup */
        readonly size: number;
        readonly bytes: number;
        readonly blobs: number;
        readonly missingBlobs: number;
        readonly root: string;
        readonly isThere: boolean;
      }[];
    };
  };
  /** Stop the daemon: running turns end and every session hibernates; nothing is lost. */
  "system.shutdown": {
    readonly kind: "write";
    readonly input: Record<string, never>;
    readonly output: {
      readonly ok: true;
      readonly pid: number;
    };
  };
  /** List the sessions whose work collides, with files and lines, and those whose branch has moved. */
  "conflict.list": {
    readonly kind: "read";
    readonly input: Record<string, never>;
    readonly output: {
      readonly conflicts: readonly {
        /** the ids of the two sessions */
        readonly sessions: readonly string[];
        /** what the two are called */
        readonly names: readonly string[];
        readonly files: readonly {
          readonly path: string;
          /** what collides; moved: the branch changed it too, and it merges by itself */
          readonly kind:
            | "content"
            | "add"
            | "binary"
            | "delete"
            | "rename"
            | "mode"
            | "type"
            | "large"
            | "shared"
            | "moved";
          /** the places that collide: in the file of the first session, and in that of the second or on the branch */
          readonly lines?: readonly {
            readonly a: {
              readonly from: number;
              readonly to: number;
            };
            readonly b: {
              readonly from: number;
              readonly to: number;
            };
          }[];
        }[];
        /** how many further files */
        readonly more: number;
        readonly since: string;
        readonly repository: string | null;
      }[];
      readonly bases: readonly {
        readonly sessionId: string;
        /** what the session is called */
        readonly name: string;
        /** the branch that the session's worktree was made from, and that has moved */
        readonly branch: string;
        /** the commit that the session's work is based on */
        readonly base: string;
        /** where the branch was when it was compared last */
        readonly tip: string;
        /** new commits on the branch; null: it was moved elsewhere */
        readonly behind: number | null;
        readonly files: readonly {
          readonly path: string;
          /** what collides; moved: the branch changed it too, and it merges by itself */
          readonly kind:
            | "content"
            | "add"
            | "binary"
            | "delete"
            | "rename"
            | "mode"
            | "type"
            | "large"
            | "shared"
            | "moved";
          /** the places that collide: in the file of the first session, and in that of the second or on the branch */
          readonly lines?: readonly {
            readonly a: {
              readonly from: number;
              readonly to: number;
            };
            readonly b: {
              readonly from: number;
              readonly to: number;
            };
          }[];
        }[];
        /** how many further files */
        readonly more: number;
        readonly since: string;
        readonly repository: string | null;
      }[];
    };
  };
  /** List the sessions that work on a repository's tickets, or worked on one of them. */
  "work.list": {
    readonly kind: "read";
    readonly input: {
      /** a directory of the repository */
      readonly cwd?: string;
      /** all work on this ticket, also ended */
      readonly ticket?: string;
      /** of all repositories: without `cwd` and `ticket` */
      readonly all?: boolean | "0" | "1" | "true" | "false";
    };
    readonly output: {
      readonly works: readonly {
        readonly sessionId: string;
        readonly ticket: string;
        readonly title: string;
        readonly repo: string;
        readonly role: "work" | "audit";
        readonly agent: string;
        readonly model?: string;
        readonly state: "planned" | "active" | "suspended" | "finished" | "handed" | "dropped";
        /** of its lease */
        readonly fence?: number;
        /** somebody else has the lease */
        readonly lost: boolean;
        /** false: memento, ticket status or lease are still to be brought up to date */
        readonly settled: boolean;
        /** of the last finish */
        readonly status?: "keep" | "review" | "done";
        readonly checks?: "passed" | "bypassed" | "none";
        readonly summary?: string;
        readonly next?: string;
        readonly reason?: string;
        /** the agent that it was handed to */
        readonly to?: string;
        readonly receivedBy?: string;
        readonly memento?: string;
        /** why the last finish did not happen */
        readonly refused?: {
          readonly code: string;
          readonly message: string;
        };
        readonly drift?: {
          readonly score: number;
          /** the share of the files that is out of scope */
          readonly scope: number;
          /** how much of the file budget is used */
          readonly budget: number;
          /** 1: a file that the boundary forbids was changed */
          readonly boundary: number;
          /** how much of the line budget is used; no part of the score */
          readonly lines: number;
          readonly files: number;
        };
        readonly startedAt: string;
        readonly changedAt: string;
      }[];
    };
  };
  /** Show how the drift of a repository's sessions went, the newest first. */
  "work.drift": {
    readonly kind: "read";
    readonly input: {
      /** a directory of the repository */
      readonly cwd: string;
      readonly ticket?: string;
      readonly limit?: number;
    };
    readonly output: {
      /** of the last figures of each session; null: nothing was measured */
      readonly average: number | null;
      readonly max: number | null;
      /** sessions over 0.7 */
      readonly high: number;
      readonly samples: readonly {
        readonly score: number;
        /** the share of the files that is out of scope */
        readonly scope: number;
        /** how much of the file budget is used */
        readonly budget: number;
        /** 1: a file that the boundary forbids was changed */
        readonly boundary: number;
        /** how much of the line budget is used; no part of the score */
        readonly lines: number;
        readonly files: number;
        readonly sessionId: string;
        readonly ticket: string;
        readonly agent: string;
        readonly at: string;
      }[];
    };
  };
  /** Show the configuration in force, with possible secrets hidden. */
  "config.show": {
    readonly kind: "read";
    readonly input: Record<string, never>;
    readonly output: {
      readonly config: { readonly [key: string]: unknown };
    };
  };
  /** Show settings with the value in force, its default and where it comes from. */
  "config.explain": {
    readonly kind: "read";
    readonly input: {
      /** a setting, such as `limits.homeBytes`; default: all of them */
      readonly key?: string;
    };
    readonly output: {
      readonly settings: readonly {
        readonly key: string;
        /** the value in force, with possible secrets hidden; null: not set, and without a default */
        readonly value: unknown;
        readonly from: "default" | "config.json" | "environment" | "option";
        /** null: it has none */
        readonly default: unknown;
        /** a change takes effect after a restart */
        readonly restart: boolean;
        readonly meaning: string;
        /** what may be given, as a JSON schema */
        readonly schema: { readonly [key: string]: unknown };
      }[];
    };
  };
  /** Change members of the configuration; null removes a member, a hidden value stays unchanged. */
  "config.set": {
    readonly kind: "write";
    readonly input: {
      readonly config: { readonly [key: string]: unknown };
    };
    readonly output: {
      readonly config: { readonly [key: string]: unknown };
      readonly restart: readonly string[];
    };
  };
  /** List everything that is queued and why it waits: turns of sessions, items of limited lanes. */
  "queue.list": {
    readonly kind: "read";
    readonly input: {
      /** only this lane; a session's is `session/<id>` */
      readonly lane?: string;
      readonly limit?: number;
      /** `next` of the previous page */
      readonly after?: string;
    };
    readonly output: {
      readonly waits: readonly {
        readonly item: string;
        readonly stream: string;
        readonly lane: string;
        /** 0 to 9; higher starts first */
        readonly priority: number;
        /** why it waits */
        readonly reason: string;
      }[];
      readonly next: string | null;
    };
  };
  /** Issue a token with fewer rights than yours; its secret is shown only once. */
  "token.issue": {
    readonly kind: "write";
    readonly input: {
      readonly label?: string;
      /** `session.read`, `session.*`, `*` */
      readonly capabilities: readonly string[];
      /** limit the token to this session */
      readonly sessionId?: string;
      readonly ttlMs?: number;
      /** the weakest sandbox mode the token may use; default: `strict`, or the mode of the session it is limited to. With `off` it acts with your rights */
      readonly sandbox?: "off" | "warn" | "enforce" | "strict";
    };
    readonly output: {
      readonly tokenId: string;
      readonly secret: string | null;
      readonly capabilities: readonly string[];
      readonly sandbox: "off" | "warn" | "enforce" | "strict";
    };
  };
  /** List the valid tokens, without their secrets. */
  "token.list": {
    readonly kind: "read";
    readonly input: Record<string, never>;
    readonly output: {
      readonly tokens: readonly {
        readonly tokenId: string;
        readonly label: string;
        readonly capabilities: readonly string[];
        readonly sessionId: string | null;
        readonly expiresAtMs: number | null;
        /** the weakest sandbox mode this token may use */
        readonly sandbox: "off" | "warn" | "enforce" | "strict";
      }[];
    };
  };
  /** Revoke a token for good, and every token that was issued with it. */
  "token.revoke": {
    readonly kind: "write";
    readonly input: {
      readonly tokenId: string;
    };
    readonly output: {
      readonly ok: true;
      readonly tokenId: string;
    };
  };
  /** Seal a new secret in the vault; its value is never shown again. */
  "secret.set": {
    readonly kind: "write";
    readonly input: {
      readonly name: string;
      readonly value: string;
      /** default: `home`, every session of its owner */
      readonly scope?:
        | string
        | {
            readonly workspace?: string;
            readonly agent?: string;
            readonly session?: string;
          };
      readonly bind?: readonly {
        /** `host`, `host:port` or `*.host` that the value may be sent to */
        readonly host: string;
        readonly header?: string;
        readonly format?: string;
        readonly methods?: readonly ("GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS")[];
        readonly paths?: readonly string[];
        /** the variable that holds the value for the process */
        readonly env?: string;
      }[];
    };
    readonly output: {
      /** of its stream in the log, `secret/ID` */
      readonly id: string;
      readonly name: string;
      readonly scope: {
        readonly workspace?: string;
        readonly agent?: string;
        readonly session?: string;
      };
      /** the principal that set it */
      readonly owner: string;
      readonly bind: readonly {
        /** `host`, `host:port` or `*.host` that the value may be sent to */
        readonly host: string;
        readonly header?: string;
        readonly format?: string;
        readonly methods?: readonly ("GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS")[];
        readonly paths?: readonly string[];
        /** the variable that holds the value for the process */
        readonly env?: string;
      }[];
      readonly bytes: number;
      /** equal for equal values in this home */
      readonly fingerprint: string;
      readonly createdAt: string;
      readonly changedAt: string;
      readonly lastUsedAt?: string;
      readonly uses: number;
      /** the vault does not hold its value; rotate it to give it again */
      readonly lost: boolean;
    };
  };
  /** Seal many secrets at once, as from a .env file; what cannot be a secret is skipped and named. */
  "secret.import": {
    readonly kind: "write";
    readonly input: {
      readonly entries: readonly {
        readonly name: string;
        readonly value: string;
      }[];
      /** default: `home`, every session of its owner */
      readonly scope?:
        | string
        | {
            readonly workspace?: string;
            readonly agent?: string;
            readonly session?: string;
          };
    };
    readonly output: {
      readonly imported: readonly string[];
      readonly skipped: readonly {
        readonly name: string;
        readonly reason: string;
        readonly says: string;
      }[];
    };
  };
  /** List your secrets: names, scopes and uses, never values. */
  "secret.list": {
    readonly kind: "read";
    readonly input: {
      readonly scope?: string;
      /** a `next` of an earlier page */
      readonly after?: string;
      readonly limit?: number;
    };
    readonly output: {
      readonly secrets: readonly {
        /** of its stream in the log, `secret/ID` */
        readonly id: string;
        readonly name: string;
        readonly scope: {
          readonly workspace?: string;
          readonly agent?: string;
          readonly session?: string;
        };
        /** the principal that set it */
        readonly owner: string;
        readonly bind: readonly {
          /** `host`, `host:port` or `*.host` that the value may be sent to */
          readonly host: string;
          readonly header?: string;
          readonly format?: string;
          readonly methods?: readonly ("GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS")[];
          readonly paths?: readonly string[];
          /** the variable that holds the value for the process */
          readonly env?: string;
        }[];
        readonly bytes: number;
        /** equal for equal values in this home */
        readonly fingerprint: string;
        readonly createdAt: string;
        readonly changedAt: string;
        readonly lastUsedAt?: string;
        readonly uses: number;
        /** the vault does not hold its value; rotate it to give it again */
        readonly lost: boolean;
      }[];
      readonly next: string | null;
    };
  };
  /** Show a secret's length, age, scope, last use and fingerprint, never its value. */
  "secret.show": {
    readonly kind: "read";
    readonly input: {
      readonly name: string;
      readonly scope?: string;
      /** for the operator: the principal that owns it, `token:ID`; default: yours */
      readonly owner?: string;
    };
    readonly output: {
      /** of its stream in the log, `secret/ID` */
      readonly id: string;
      readonly name: string;
      readonly scope: {
        readonly workspace?: string;
        readonly agent?: string;
        readonly session?: string;
      };
      /** the principal that set it */
      readonly owner: string;
      readonly bind: readonly {
        /** `host`, `host:port` or `*.host` that the value may be sent to */
        readonly host: string;
        readonly header?: string;
        readonly format?: string;
        readonly methods?: readonly ("GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS")[];
        readonly paths?: readonly string[];
        /** the variable that holds the value for the process */
        readonly env?: string;
      }[];
      readonly bytes: number;
      /** equal for equal values in this home */
      readonly fingerprint: string;
      readonly createdAt: string;
      readonly changedAt: string;
      readonly lastUsedAt?: string;
      readonly uses: number;
      /** the vault does not hold its value; rotate it to give it again */
      readonly lost: boolean;
    };
  };
  /** Replace a secret's value; the earlier one stays known to the redactor. */
  "secret.rotate": {
    readonly kind: "write";
    readonly input: {
      readonly name: string;
      readonly scope?: string;
      /** for the operator: the principal that owns it, `token:ID`; default: yours */
      readonly owner?: string;
      readonly value: string;
    };
    readonly output: {
      /** of its stream in the log, `secret/ID` */
      readonly id: string;
      readonly name: string;
      readonly scope: {
        readonly workspace?: string;
        readonly agent?: string;
        readonly session?: string;
      };
      /** the principal that set it */
      readonly owner: string;
      readonly bind: readonly {
        /** `host`, `host:port` or `*.host` that the value may be sent to */
        readonly host: string;
        readonly header?: string;
        readonly format?: string;
        readonly methods?: readonly ("GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS")[];
        readonly paths?: readonly string[];
        /** the variable that holds the value for the process */
        readonly env?: string;
      }[];
      readonly bytes: number;
      /** equal for equal values in this home */
      readonly fingerprint: string;
      readonly createdAt: string;
      readonly changedAt: string;
      readonly lastUsedAt?: string;
      readonly uses: number;
      /** the vault does not hold its value; rotate it to give it again */
      readonly lost: boolean;
    };
  };
  /** Say where a secret may be sent: hosts, header, methods, paths; replaces what was said before. */
  "secret.bind": {
    readonly kind: "write";
    readonly input: {
      readonly name: string;
      readonly scope?: string;
      /** for the operator: the principal that owns it, `token:ID`; default: yours */
      readonly owner?: string;
      readonly bind: readonly {
        /** `host`, `host:port` or `*.host` that the value may be sent to */
        readonly host: string;
        readonly header?: string;
        readonly format?: string;
        readonly methods?: readonly ("GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS")[];
        readonly paths?: readonly string[];
        /** the variable that holds the value for the process */
        readonly env?: string;
      }[];
    };
    readonly output: {
      /** of its stream in the log, `secret/ID` */
      readonly id: string;
      readonly name: string;
      readonly scope: {
        readonly workspace?: string;
        readonly agent?: string;
        readonly session?: string;
      };
      /** the principal that set it */
      readonly owner: string;
      readonly bind: readonly {
        /** `host`, `host:port` or `*.host` that the value may be sent to */
        readonly host: string;
        readonly header?: string;
        readonly format?: string;
        readonly methods?: readonly ("GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS")[];
        readonly paths?: readonly string[];
        /** the variable that holds the value for the process */
        readonly env?: string;
      }[];
      readonly bytes: number;
      /** equal for equal values in this home */
      readonly fingerprint: string;
      readonly createdAt: string;
      readonly changedAt: string;
      readonly lastUsedAt?: string;
      readonly uses: number;
      /** the vault does not hold its value; rotate it to give it again */
      readonly lost: boolean;
    };
  };
  /** Remove a secret; its value stays known to the redactor. */
  "secret.remove": {
    readonly kind: "write";
    readonly input: {
      readonly name: string;
      readonly scope?: string;
      /** for the operator: the principal that owns it, `token:ID`; default: yours */
      readonly owner?: string;
    };
    readonly output: {
      readonly ok: true;
      readonly name: string;
    };
  };
  /** Open the vault with its passphrase or a copy of its key; with neither, look for its key again. */
  "secret.unlock": {
    readonly kind: "write";
    readonly input: {
      readonly passphrase?: string;
      /** the text of a `keys/vault.key` */
      readonly key?: string;
    };
    readonly output: {
      readonly state: "open" | "locked";
      /** who keeps its key; null: there is none yet, or it is locked */
      readonly holder: "file" | "keyring" | "passphrase" | null;
      /** why it is locked */
      readonly why: string | null;
      readonly says: string | null;
      readonly remedy: string | null;
      readonly secrets: number;
    };
  };
  /** Seal the vault with a new key, kept in a file, the system's keyring or behind a passphrase. */
  "secret.rekey": {
    readonly kind: "write";
    readonly input: {
      /** who keeps the key; default: who keeps it now */
      readonly to?: "file" | "keyring" | "passphrase";
      /** for `passphrase`: at least 10 characters */
      readonly passphrase?: string;
    };
    readonly output: {
      readonly state: "open" | "locked";
      /** who keeps its key; null: there is none yet, or it is locked */
      readonly holder: "file" | "keyring" | "passphrase" | null;
      /** why it is locked */
      readonly why: string | null;
      readonly says: string | null;
      readonly remedy: string | null;
      readonly secrets: number;
    };
  };
  /** Give up values that nobody can open: names stay, the sealed file is moved aside, a new key is made. */
  "secret.recover": {
    readonly kind: "write";
    readonly input: {
      /** the values have to be given again */
      readonly discard: true;
    };
    readonly output: {
      readonly state: "open" | "locked";
      /** who keeps its key; null: there is none yet, or it is locked */
      readonly holder: "file" | "keyring" | "passphrase" | null;
      /** why it is locked */
      readonly why: string | null;
      readonly says: string | null;
      readonly remedy: string | null;
      readonly secrets: number;
    };
  };
  /** Search what is already written for secrets; with `erase`, erase the events that hold them. */
  "secret.scan": {
    readonly kind: "write";
    readonly input: {
      /** only this session; default: every session that you may read */
      readonly session?: string;
      /** for the operator: all streams, archives, backups, exports and the daemon's log */
      readonly all?: boolean;
      /** erase the data of events with secrets for good, between turns */
      readonly erase?: boolean;
      /** a `next` of an earlier page; then no files are read */
      readonly after?: number;
      /** places in the answer */
      readonly limit?: number;
    };
    readonly output: {
      /** while it is locked only shapes of keys are found, not its values */
      readonly vault: "open" | "locked";
      readonly looked: {
        readonly events: number;
        readonly blobs: number;
        readonly files: number;
        /** of blobs and files */
        readonly bytes: number;
      };
      /** how often secrets were found */
      readonly count: number;
      readonly secrets: readonly {
        /** `vault` for a value of the vault, else the shape of a well-known key */
        readonly kind: string;
        /** the same for the same value; the value itself is never told */
        readonly fingerprint: string;
        readonly count: number;
        readonly events: number;
        /** events of these that can be erased */
        readonly erasable: number;
        readonly sessions: readonly string[];
        readonly moreSessions: boolean;
        readonly files: number;
      }[];
      /** secrets that are not in this list */
      readonly moreSecrets: number;
      readonly places: readonly {
        /** `vault` for a value of the vault, else the shape of a well-known key */
        readonly kind: string;
        /** the same for the same value; the value itself is never told */
        readonly fingerprint: string;
        readonly count: number;
        readonly seq: number;
        readonly eventId: string;
        readonly stream: string;
        readonly type: string;
        readonly where: "data" | "blob" | "header";
        readonly erasable: boolean;
        readonly erased: boolean;
      }[];
      /** `after` of the next page of places; null: these are all */
      readonly next: number | null;
      /** files with secrets; a scan never changes them */
      readonly files: readonly {
        readonly path: string;
        readonly what: "archive" | "backup" | "export" | "daemon-log";
        readonly count: number;
        readonly secrets: readonly {
          /** `vault` for a value of the vault, else the shape of a well-known key */
          readonly kind: string;
          /** the same for the same value; the value itself is never told */
          readonly fingerprint: string;
          readonly count: number;
        }[];
        readonly remedy: string;
      }[];
      readonly moreFiles: number;
      /** what could not be looked into: packed, in another encoding, damaged */
      readonly unread: readonly {
        readonly as: string;
        readonly count: number;
        readonly names: readonly string[];
      }[];
      readonly erased: {
        readonly events: number;
        readonly streams: number;
      };
      /** not erased now, and why: `session_busy` between its turns */
      readonly left: readonly {
        readonly stream: string;
        readonly events: number;
        readonly code: string;
      }[];
      /** true: this run reached its limit; erase again for the rest */
      readonly more: boolean;
      /** what becomes of the search index, and what is not looked at */
      readonly notes: readonly string[];
    };
  };
  /** Find keys that lie in config.json: where they are, never what they are. */
  "secret.plaintext": {
    readonly kind: "read";
    readonly input: Record<string, never>;
    readonly output: {
      readonly found: readonly {
        /** the member of config.json, such as `drivers.claude.env.API_KEY` */
        readonly path: string;
        /** what its secret would be called */
        readonly name: string;
        /** why it cannot be a secret; null: it can be moved */
        readonly says: string | null;
      }[];
    };
  };
  /** Move keys from config.json into the vault; the configuration then names their secrets. */
  "secret.adopt": {
    readonly kind: "write";
    readonly input: Record<string, never>;
    readonly output: {
      readonly moved: readonly string[];
      readonly left: readonly string[];
    };
  };
  /** Show what the gate would decide and which rules apply; every caller may ask about itself. */
  "permission.explain": {
    readonly kind: "read";
    readonly input: {
      /** `operator`, `role:NAME`, `agent:SLUG`, `session:ID`, `token:ID`, or `self` */
      readonly principal: string;
      /** the permission of a syscall, `tool.KIND` or `agent.KIND` */
      readonly verb: string;
      /** `system`, `session/ID`, ...; for a session's tools relative to the session: `path/src/a.ts` */
      readonly resource: string;
    };
    readonly output: {
      readonly verdict: "allow" | "deny" | "ask";
      readonly rules: readonly string[];
    };
  };
  /** Read the events of an archived session, each checked against its hash in the log. */
  "archive.read": {
    readonly kind: "read";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
      /** a `next` or a `seq`; reading starts after it */
      readonly after?: number;
      readonly limit?: number;
    };
    readonly output: {
      readonly id: string;
      readonly events: readonly LogEvent[];
      readonly next: number | null;
    };
  };
  /** Check every byte of a session's archive against the hashes in the log. */
  "archive.verify": {
    readonly kind: "read";
    readonly input: {
      /** a session's id or name, the beginning of either, or its title; `self` with the token of a session */
      readonly id: string;
    };
    readonly output: {
      readonly ok: boolean;
      readonly id: string;
      readonly file: string;
      readonly events: number;
      readonly problem: string | null;
    };
  };
  /** List the documentation pages of this version. */
  "doc.list": {
    readonly kind: "read";
    readonly input: Record<string, never>;
    readonly output: {
      readonly docs: readonly {
        readonly path: string;
        readonly title: string;
        readonly bytes: number;
      }[];
    };
  };
  /** Show one documentation page. */
  "doc.read": {
    readonly kind: "read";
    readonly input: {
      /** a path from `doc list` */
      readonly path: string;
    };
    readonly output: {
      readonly path: string;
      readonly text: string;
    };
  };
  /** Issue a pass that opens one WebSocket once, within 30 seconds, for browsers that cannot send a token. */
  "ws.ticket": {
    readonly kind: "read";
    readonly input: Record<string, never>;
    readonly output: {
      readonly ticket: string;
      readonly expiresAt: string;
    };
  };
  /** Issue a link that signs one browser or phone in to the dashboard, once, within ten minutes. */
  "dashboard.open": {
    readonly kind: "write";
    readonly input: {
      /** `phone`: by the address in `publicUrl`, to watch and approve; default: `browser` */
      readonly for?: "browser" | "phone";
      /** names the sign-in in `nomos token list` */
      readonly label?: string;
      /** default for a browser: yours; for a phone: to read, answer, prompt and interrupt */
      readonly capabilities?: readonly string[];
      /** how long the browser stays signed in; default: 30 days */
      readonly ttlMs?: number;
    };
    readonly output: {
      readonly url: string;
      readonly expiresAt: string;
    };
  };
  /** Sign a browser in with a link; the link is used up. */
  "dashboard.enter": {
    readonly kind: "write";
    readonly input: {
      /** default: the bearer of this call */
      readonly link?: string;
    };
    readonly output: {
      /** the page's half of the secret: the bearer of every later request, beside the cookie */
      readonly page: string;
      readonly tokenId: string;
      readonly label: string;
      readonly capabilities: readonly string[];
      readonly sandbox: "off" | "warn" | "enforce" | "strict";
      readonly expiresAtMs: number | null;
      /** the other half; over HTTP it is sent as a cookie and is not in the body */
      readonly cookie?: {
        readonly value: string;
        readonly maxAgeSeconds: number;
      };
    };
  };
  /** Sign this browser out: its token is revoked. */
  "dashboard.leave": {
    readonly kind: "write";
    readonly input: Record<string, never>;
    readonly output: {
      readonly ok: true;
      /** null when the caller has no token that could be revoked */
      readonly tokenId: string | null;
      /** empty: over HTTP the browser forgets its half */
      readonly cookie?: {
        readonly value: string;
        readonly maxAgeSeconds: number;
      };
    };
  };
}

export type ErrorCode =
  | "agent_crashed"
  | "agent_version"
  | "content_unsupported"
  | "not_acp"
  | "setup_required"
  | "unknown_mode"
  | "unknown_model"
  | "unknown_option"
  | "body_too_large"
  | "call_cancelled"
  | "call_outcome_unknown"
  | "daemon_unreachable"
  | "denied"
  | "doc_not_found"
  | "forbidden_host"
  | "forbidden_origin"
  | "idempotency_key_reused"
  | "internal"
  | "invalid_option"
  | "invalid_request"
  | "invalid_utf8"
  | "limit_reached"
  | "link_invalid"
  | "unknown_setting"
  | "malformed_json"
  | "mcp_session_missing"
  | "mcp_session_not_found"
  | "method_not_allowed"
  | "overloaded"
  | "payload_too_large"
  | "policy_too_large"
  | "port_in_use"
  | "principal_not_found"
  | "public_url_missing"
  | "rate_limited"
  | "route_not_found"
  | "sandbox_floor"
  | "secret_in_name"
  | "signed_out"
  | "starting"
  | "syscall_unknown"
  | "token_not_found"
  | "token_revoked"
  | "too_many_connections"
  | "unauthorized"
  | "unsupported_media_type"
  | "usage"
  | "wait_timeout"
  | "fanout_exists"
  | "fanout_not_found"
  | "fanout_too_few"
  | "fanout_too_many"
  | "fanout_candidate_not_found"
  | "fanout_unfinished"
  | "fanout_no_winner"
  | "fanout_undecided"
  | "fanout_landing"
  | "config_invalid"
  | "governance_blocked"
  | "governance_drift"
  | "governance_invalid"
  | "governance_kept"
  | "governance_missing"
  | "governance_newer"
  | "head_detached"
  | "invalid_parent"
  | "lease_damaged"
  | "lease_duration_invalid"
  | "lease_lost"
  | "lease_remote_failed"
  | "lease_rewound"
  | "not_governed"
  | "policy_missing"
  | "policy_stale"
  | "policy_tampered"
  | "ref_conflict"
  | "repository_busy"
  | "rule_invalid"
  | "signer_unknown"
  | "ticket_closed"
  | "ticket_invalid"
  | "ticket_leased"
  | "ticket_not_found"
  | "unproven"
  | "commit_refused"
  | "cwd_hidden"
  | "cwd_missing"
  | "driver_failed"
  | "driver_file_invalid"
  | "driver_timeout"
  | "file_missing"
  | "file_too_large"
  | "not_installed"
  | "path_invalid"
  | "path_outside"
  | "process_limit"
  | "process_spec_invalid"
  | "process_unkillable"
  | "program_hidden"
  | "program_not_found"
  | "read_back_invalid"
  | "repository_bare"
  | "sandbox_failed"
  | "sandbox_unavailable"
  | "spawn_failed"
  | "stdin_closed"
  | "tool_unknown"
  | "archive_invalid"
  | "archive_not_found"
  | "backup_exists"
  | "backup_invalid"
  | "restore_contradicted"
  | "backup_newer"
  | "backup_refused"
  | "home_is_backup"
  | "home_not_empty"
  | "restore_unfinished"
  | "embedding_closed"
  | "listen_required"
  | "turn_not_completed"
  | "steer_unsupported"
  | "schema_unmet"
  | "compact_unsupported"
  | "replay_too_large"
  | "no_model"
  | "model_not_found"
  | "model_exists"
  | "model_invalid"
  | "key_in_argument"
  | "catalogue_invalid"
  | "login_unsupported"
  | "login_failed"
  | "model_auth"
  | "model_billing"
  | "model_failed"
  | "model_refused"
  | "model_overflow"
  | "model_unreachable"
  | "circuit_open"
  | "quota_reached"
  | "engine_failed"
  | "steps_exceeded"
  | "compaction_failed"
  | "branch_unsupported"
  | "branch_summary_failed"
  | "turn_cut"
  | "branch_not_found"
  | "landing_exists"
  | "landing_not_found"
  | "landing_settled"
  | "landing_unmovable"
  | "nothing_to_land"
  | "law_branch_blocked"
  | "ticket_open"
  | "anchor_disagrees"
  | "anchor_failed"
  | "blob_missing"
  | "checkpoint_invalid"
  | "config_unreadable"
  | "disk_full"
  | "disk_low"
  | "event_not_found"
  | "export_exists"
  | "export_refused"
  | "follower_failed"
  | "alarm_failed"
  | "start_failed"
  | "home_in_use"
  | "home_unusable"
  | "log_corrupt"
  | "log_newer"
  | "log_rolled_back"
  | "not_erasable"
  | "quota_exceeded"
  | "stale_fence"
  | "stale_version"
  | "store_closed"
  | "store_failed"
  | "store_read_only"
  | "store_unreachable"
  | "store_unsuitable"
  | "tile_missing"
  | "tile_not_found"
  | "secret_not_found"
  | "secret_exists"
  | "secret_ambiguous"
  | "secret_value_refused"
  | "secret_lost"
  | "secret_not_variable"
  | "vault_locked"
  | "vault_key_wrong"
  | "vault_full"
  | "keyring_unavailable"
  | "agent_exists"
  | "agent_in_use"
  | "agent_not_found"
  | "already_answered"
  | "ambiguous_id"
  | "approval_not_found"
  | "artifact_limit"
  | "artifact_not_found"
  | "child_quota_exceeded"
  | "cwd_outside_parent"
  | "delegation_denied"
  | "effect_not_open"
  | "invalid_agent"
  | "invalid_ground"
  | "lease_held"
  | "max_depth_exceeded"
  | "missing_adapter"
  | "not_interruptible"
  | "not_promptable"
  | "queue_full"
  | "labels_full"
  | "session_archived"
  | "session_busy"
  | "session_ended"
  | "session_exists"
  | "session_not_ended"
  | "session_not_found"
  | "session_not_suspended"
  | "session_suspended"
  | "todo_limit"
  | "turn_ended"
  | "turn_not_found"
  | "turn_not_running"
  | "turn_open"
  | "workspace_limit"
  | "workspace_not_found"
  | "workspace_reserved"
  | "files_of_others"
  | "files_not_kept"
  | "restore_failed"
  | "restore_unavailable"
  | "scope_unjudged"
  | "snapshot_damaged"
  | "snapshot_missing"
  | "snapshots_closed"
  | "tree_missing"
  | "tree_moved"
  | "tree_too_broad"
  | "tree_too_large"
  | "tree_unreadable"
  | "mcp_server_not_found"
  | "mcp_server_exists"
  | "mcp_server_invalid"
  | "mcp_server_failed"
  | "mcp_login_needed"
  | "mcp_login_failed"
  | "mcp_login_unsupported"
  | "tool_not_found"
  | "no_running_turn"
  | "web_url_invalid"
  | "web_refused"
  | "web_robots"
  | "web_unreachable"
  | "web_timeout"
  | "web_too_large"
  | "web_redirects"
  | "web_answer_invalid"
  | "web_unreadable"
  | "web_busy"
  | "search_auth"
  | "search_limited"
  | "search_failed"
  | "work_exists"
  | "work_not_found"
  | "work_over"
  | "work_suspended"
  | "summary_required"
  | "reason_required"
  | "checks_failed"
  | "audit_same_model"
  | "ticket_blocked"
  | "ticket_weak_sandbox"
  | "git_failed"
  | "git_missing"
  | "not_a_repository"
  | "repository_invalid"
  | "scope_invalid"
  | "worktree_base_incomplete"
  | "worktree_base_missing"
  | "worktree_conflicts"
  | "worktree_failed"
  | "worktree_has_work"
  | "worktree_in_use"
  | "worktree_missing"
  | "worktree_not_found";
