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
  /** Start a session of a driver, with a first prompt if one is given. */
  "session.start": {
    readonly kind: "write";
    readonly input: {
      /** the driver: `driver list` shows those there are */
      readonly adapter: string;
      /** the agent it works as; default: the one of the driver's name */
      readonly agent?: string;
      /** older name: a workspace by its slug */
      readonly workspaceSlug?: string;
      /** where it works: ws://workspaces/<slug>, with a path behind it if need be */
      readonly ground?: string;
      /** the directory it works in, where no ground is named */
      readonly cwd?: string;
      /** at most 1048576 bytes */
      readonly prompt?: string;
      /** images, files and links beside the text; an agent that cannot take one refuses the turn */
      readonly attachments?: readonly {
        readonly kind: "image" | "resource" | "link";
        readonly name: string;
        readonly mediaType?: string;
        readonly uri?: string;
        /** base64; not for a link */
        readonly data?: string;
      }[];
      /** the agent's mode */
      readonly mode?: string;
      /** the model it works with */
      readonly model?: string;
      readonly options?: { readonly [key: string]: string | boolean };
      readonly label?: string;
      readonly sandbox?: "off" | "warn" | "enforce" | "strict";
      /** what it may change, by path below the repository's root; implies a worktree */
      readonly scope?: {
        readonly allow?: readonly string[];
        readonly deny?: readonly string[];
      };
      readonly network?: {
        readonly allow: readonly string[];
      };
      /** work in a tree of its own, made from the repository at `base` */
      readonly worktree?: boolean;
      /** branch, tag or commit of the worktree; default: HEAD */
      readonly base?: string;
      /** the TypeScript file that drives it, for the script driver */
      readonly file?: string;
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
      /** what it said and did has left the log */
      readonly archived?: {
        readonly at: string;
        /** in `archive` of the home */
        readonly file?: string;
      };
      /** what was not as asked for, such as where it works */
      readonly warnings?: readonly string[];
      /** living sessions in the same directory, around it or below */
      readonly neighbours?: readonly {
        readonly id: string;
        readonly name: string;
        readonly busy: boolean;
      }[];
      /** what that means, and how to work apart */
      readonly notice?: string;
    };
  };
  /** Give a session its next prompt; answered when it is durably admitted. */
  "session.prompt": {
    readonly kind: "write";
    readonly input: {
      /** session id, the beginning of one, or a name; `self` with the token of a session */
      readonly id: string;
      /** at most 1048576 bytes */
      readonly prompt: string;
      /** wait in line while the session is busy */
      readonly queue?: boolean;
      /** end the running turn first */
      readonly interrupt?: boolean;
      /** images, files and links beside the text; an agent that cannot take one refuses the turn */
      readonly attachments?: readonly {
        readonly kind: "image" | "resource" | "link";
        readonly name: string;
        readonly mediaType?: string;
        readonly uri?: string;
        /** base64; not for a link */
        readonly data?: string;
      }[];
    };
    readonly output: {
      readonly ok: true;
      readonly id: string;
      readonly turnId: string;
      readonly queued: boolean;
    };
  };
  /** End the running turn; the session stays. */
  "session.interrupt": {
    readonly kind: "write";
    readonly input: {
      /** session id, the beginning of one, or a name; `self` with the token of a session */
      readonly id: string;
    };
    readonly output: {
      readonly ok: boolean;
      readonly id: string;
      readonly wasBusy: boolean;
    };
  };
  /** Hold a session: its running turn ends, its queue waits until it is resumed. */
  "session.suspend": {
    readonly kind: "write";
    readonly input: {
      /** session id, the beginning of one, or a name; `self` with the token of a session */
      readonly id: string;
      readonly reason?: string;
    };
    readonly output: Session;
  };
  /** Let a suspended session go on. */
  "session.resume": {
    readonly kind: "write";
    readonly input: {
      /** session id, the beginning of one, or a name; `self` with the token of a session */
      readonly id: string;
    };
    readonly output: Session;
  };
  /** Put an idle session to sleep; the next prompt wakes it. */
  "session.hibernate": {
    readonly kind: "write";
    readonly input: {
      /** session id, the beginning of one, or a name; `self` with the token of a session */
      readonly id: string;
    };
    readonly output: Session;
  };
  /** End a session and its whole process tree. */
  "session.kill": {
    readonly kind: "write";
    readonly input: {
      /** session id, the beginning of one, or a name; `self` with the token of a session */
      readonly id: string;
      readonly reason?: string;
    };
    readonly output: {
      readonly ok: boolean;
      readonly id: string;
    };
  };
  /** Kill a session if it lives, and take it out of every list; its events stay in the log. */
  "session.forget": {
    readonly kind: "write";
    readonly input: {
      /** session id, the beginning of one, or a name; `self` with the token of a session */
      readonly id: string;
    };
    readonly output: {
      readonly ok: boolean;
      readonly id: string;
    };
  };
  /** Give a session a label, or take it away. */
  "session.label": {
    readonly kind: "write";
    readonly input: {
      /** session id, the beginning of one, or a name; `self` with the token of a session */
      readonly id: string;
      readonly label: string | null;
    };
    readonly output: Session;
  };
  /** A new session that starts where another one was at some event, on files of its own as they were then. */
  "session.fork": {
    readonly kind: "write";
    readonly input: {
      /** session id, the beginning of one, or a name; `self` with the token of a session */
      readonly id: string;
      /** an event id; default: the head */
      readonly at?: string;
      /** instead of an event: the end of this turn, from 1; 0: before the first */
      readonly turn?: number;
      readonly label?: string;
      /** leave the files as they are */
      readonly talkOnly?: boolean;
    };
    readonly output: Session;
  };
  /** Move a session's head back to an event: files, artifacts and todo as of then; nothing is deleted. */
  "session.rewind": {
    readonly kind: "write";
    readonly input: {
      /** session id, the beginning of one, or a name; `self` with the token of a session */
      readonly id: string;
      /** an event id */
      readonly to?: string;
      /** instead of an event: the end of this turn, from 1; 0: before the first */
      readonly turn?: number;
      /** also over files that both the session and somebody else changed */
      readonly force?: boolean;
      /** leave the files as they are */
      readonly talkOnly?: boolean;
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
      /** files that are what they were again */
      readonly restored: readonly string[];
      /** files that are gone again */
      readonly removed: readonly string[];
      /** files that others changed, left as they are */
      readonly kept: readonly string[];
      /** names beyond those that are listed */
      readonly more: number;
      /** the command that takes this rewind back */
      readonly undo: string | null;
    };
  };
  /** Erase the data of events for good; their headers stay, so the chain and old proofs still hold. */
  "session.erase": {
    readonly kind: "write";
    readonly input: {
      /** session id, the beginning of one, or a name; `self` with the token of a session */
      readonly id: string;
      readonly events: readonly string[];
      readonly reason?: string;
    };
    readonly output: {
      readonly ok: boolean;
      readonly erased: readonly string[];
    };
  };
  /** What a session's agent can be set to (modes, models, options), the commands it takes, and what was chosen. */
  "session.offer": {
    readonly kind: "read";
    readonly input: {
      /** session id, the beginning of one, or a name; `self` with the token of a session */
      readonly id: string;
    };
    readonly output: {
      readonly id: string;
      readonly chosen: {
        readonly mode: string | null;
        readonly model: string | null;
        readonly options: { readonly [key: string]: string | boolean };
      } | null;
      /** null as long as the agent has not said anything about it */
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
  /** Set a session's agent: mode, model, options, from its next turn on. */
  "session.configure": {
    readonly kind: "write";
    readonly input: {
      /** session id, the beginning of one, or a name; `self` with the token of a session */
      readonly id: string;
      /** the agent's mode */
      readonly mode?: string;
      /** the model it works with */
      readonly model?: string;
      readonly options?: { readonly [key: string]: string | boolean };
    };
    readonly output: Session;
  };
  /** The sessions, newest first. */
  "session.list": {
    readonly kind: "read";
    readonly input: {
      readonly onlyAlive?: boolean | "0" | "1" | "true" | "false";
      readonly limit?: number;
      /** the `next` of the page before */
      readonly after?: string;
      /** `started` and `activity`: the latest first; `name` and `state`: from a to z */
      readonly sort?: "started" | "activity" | "name" | "state";
      /** only those of one workspace; `default`: of none */
      readonly workspaceSlug?: string;
    };
    readonly output: {
      readonly sessions: readonly Session[];
      readonly next: string | null;
    };
  };
  /** One session as it is now. */
  "session.show": {
    readonly kind: "read";
    readonly input: {
      /** session id, the beginning of one, or a name; `self` with the token of a session */
      readonly id: string;
    };
    readonly output: Session;
  };
  /** A session's events, by page: the raw stream, or the current path. */
  "session.events": {
    readonly kind: "read";
    readonly input: {
      /** session id, the beginning of one, or a name; `self` with the token of a session */
      readonly id: string;
      /** a `next`, a `seq`, an event id, or `now`; exclusive */
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
  /** The last lines of what a session said and did. */
  "session.output": {
    readonly kind: "read";
    readonly input: {
      /** session id, the beginning of one, or a name; `self` with the token of a session */
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
  /** Wait until a session is free, or until one turn has ended. */
  "session.wait": {
    readonly kind: "read";
    readonly input: {
      /** session id, the beginning of one, or a name; `self` with the token of a session */
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
  /** Find sessions by what was said in them. */
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
  /** Follow a session: lines, events, pieces of text, changes of state. */
  "session.stream": {
    readonly kind: "stream";
    readonly input: {
      /** session id, the beginning of one, or a name; `self` with the token of a session */
      readonly id: string;
      /** a `next`, a `seq`, an event id, or `now`; exclusive */
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
  /** Whom a session may start sessions of right now, and why not the others; by the gate's own predicate. */
  "session.delegates": {
    readonly kind: "read";
    readonly input: {
      /** session id, the beginning of one, or a name; `self` with the token of a session */
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
  /** Keep a session's files as they are now, beside what is kept at each turn's end. */
  "session.snapshot": {
    readonly kind: "write";
    readonly input: {
      /** session id, the beginning of one, or a name; `self` with the token of a session */
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
  /** What a turn really changed in the session's files, through the shell too. */
  "session.diff": {
    readonly kind: "read";
    readonly input: {
      /** session id, the beginning of one, or a name; `self` with the token of a session */
      readonly id: string;
      /** its number, from 1, or its id; default: the running one, else the last */
      readonly turn?: number | string;
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
        /** unified, for text */
        readonly diff: string | null;
        /** why there is none */
        readonly noDiff: string | null;
      }[];
    };
  };
  /** The other sessions at work in the same directory or of the same family, each with its last note. */
  "session.siblings": {
    readonly kind: "read";
    readonly input: {
      /** session id, the beginning of one, or a name; `self` with the token of a session */
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
        /** the last note it left */
        readonly note: string | null;
      }[];
    };
  };
  /** Leave a note with a session, for its siblings and for people. */
  "session.note": {
    readonly kind: "write";
    readonly input: {
      /** session id, the beginning of one, or a name; `self` with the token of a session */
      readonly id: string;
      readonly text: string;
    };
    readonly output: {
      readonly ok: true;
      readonly id: string;
    };
  };
  /** Ask the person something from within a turn, and wait for the answer. */
  "session.ask": {
    readonly kind: "write";
    readonly input: {
      /** session id, the beginning of one, or a name; `self` with the token of a session */
      readonly id: string;
      readonly question: string;
      /** what may be answered; without any the answer is in the person's own words */
      readonly options?: readonly string[];
      /** false: answered at once, with the question still open */
      readonly wait?: boolean;
      readonly timeoutMs?: number;
    };
    readonly output: {
      readonly approvalId: string;
      readonly status: "pending" | "approved" | "rejected" | "cancelled" | "expired";
      readonly answer: string | null;
    };
  };
  /** What another agent needs to go on where a session is: task, state, todo, artifacts, last words. */
  "session.handoff": {
    readonly kind: "read";
    readonly input: {
      /** session id, the beginning of one, or a name; `self` with the token of a session */
      readonly id: string;
    };
    readonly output: {
      readonly id: string;
      /** Markdown */
      readonly text: string;
    };
  };
  /** Open a session for an agent that runs already; it ends by `finish` or with the process. */
  "session.open": {
    readonly kind: "write";
    readonly input: {
      /** the agent's process */
      readonly pid: number;
      /** its start time; read from the system when not given */
      readonly startTime?: string;
      readonly agent?: string;
      readonly cwd?: string;
      readonly label?: string;
    };
    readonly output: Session;
  };
  /** An external agent's session is over. */
  "session.finish": {
    readonly kind: "write";
    readonly input: {
      /** session id, the beginning of one, or a name; `self` with the token of a session */
      readonly id: string;
      readonly exitCode?: number;
      /** it broke: what it said last */
      readonly error?: string;
    };
    readonly output: Session;
  };
  /** An external agent has begun a turn. */
  "turn.begin": {
    readonly kind: "write";
    readonly input: {
      /** session id, the beginning of one, or a name; `self` with the token of a session */
      readonly id: string;
      readonly input: string;
    };
    readonly output: {
      readonly id: string;
      readonly turnId: string;
    };
  };
  /** An external agent has ended its turn; saying it twice records it once. */
  "turn.end": {
    readonly kind: "write";
    readonly input: {
      /** session id, the beginning of one, or a name; `self` with the token of a session */
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
  /** A complete message of a turn. */
  "turn.say": {
    readonly kind: "write";
    readonly input: {
      /** session id, the beginning of one, or a name; `self` with the token of a session */
      readonly id: string;
      readonly turnId: string;
      readonly text: string;
      readonly role?: "assistant" | "thought";
    };
    readonly output: {
      readonly ids: readonly string[];
    };
  };
  /** Follow everything that happens. */
  "event.stream": {
    readonly kind: "stream";
    readonly input: {
      /** a `next`, a `seq`, an event id, or `now`; exclusive */
      readonly after?: number | string;
    };
    readonly output: LogEvent;
  };
  /** One event by its id. */
  "event.show": {
    readonly kind: "read";
    readonly input: {
      readonly eventId: string;
    };
    readonly output: LogEvent;
  };
  /** Add facts of your own making to a session, inside a running turn or beside it. */
  "event.add": {
    readonly kind: "write";
    readonly input: {
      /** session id, the beginning of one, or a name; `self` with the token of a session */
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
  /** The artifacts that a session sees, each at its current version. */
  "artifact.list": {
    readonly kind: "read";
    readonly input: {
      /** session id, the beginning of one, or a name; `self` with the token of a session */
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
  /** An artifact's bytes, current or of an earlier version. */
  "artifact.read": {
    readonly kind: "read";
    readonly input: {
      /** session id, the beginning of one, or a name; `self` with the token of a session */
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
  /** Write an artifact: a new path is version 1, a known one gets its next version. */
  "artifact.write": {
    readonly kind: "write";
    readonly input: {
      /** session id, the beginning of one, or a name; `self` with the token of a session */
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
  /** Bytes by their sha256, as events name them. */
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
  /** A session's todo list. */
  "todo.show": {
    readonly kind: "read";
    readonly input: {
      /** session id, the beginning of one, or a name; `self` with the token of a session */
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
      /** session id, the beginning of one, or a name; `self` with the token of a session */
      readonly id: string;
      readonly items: readonly TodoItem[];
      readonly turnId?: string;
    };
    readonly output: {
      readonly items: readonly TodoItem[];
    };
  };
  /** Questions that were put to a person. */
  "approval.list": {
    readonly kind: "read";
    readonly input: {
      readonly status?: "pending" | "all";
      readonly sessionId?: string;
    };
    readonly output: {
      readonly approvals: readonly Approval[];
    };
  };
  /** Allow what was asked: once, unless the option says more. */
  "approval.approve": {
    readonly kind: "write";
    readonly input: {
      readonly approvalId: string;
      /** one of the options; a question without any takes your own words */
      readonly option?: string;
    };
    readonly output: Approval;
  };
  /** Refuse what was asked. */
  "approval.reject": {
    readonly kind: "write";
    readonly input: {
      readonly approvalId: string;
      readonly reason?: string;
    };
    readonly output: Approval;
  };
  /** The agents: every installed driver brings one of its name. */
  "agent.list": {
    readonly kind: "read";
    readonly input: Record<string, never>;
    readonly output: {
      readonly agents: readonly Agent[];
    };
  };
  /** One agent. */
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
      /** the agents that its sessions may start sessions of; default: none */
      readonly delegatesTo?: readonly string[];
    };
    readonly output: Agent;
  };
  /** Delete an agent; its slug is free again. */
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
  /** Choose the agent that is meant when none is named. */
  "agent.default": {
    readonly kind: "write";
    readonly input: {
      readonly slug: string;
    };
    readonly output: Agent;
  };
  /** The directories that have a name, and which of them is the active one. */
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
  /** Give a directory a name for sessions to work in; the first one becomes the active one. */
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
  /** Make a workspace the active one: where a session works that names no place. */
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
  /** Take a workspace's name away; the directory and its sessions stay. */
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
  /** The worktrees of sessions, and who works in them. */
  "worktree.list": {
    readonly kind: "read";
    readonly input: Record<string, never>;
    readonly output: {
      readonly worktrees: readonly {
        /** that of the session it was made for */
        readonly id: string;
        /** missing: somebody moved or deleted its folder */
        readonly state: "present" | "missing";
        readonly path: string;
        /** where in it the session works */
        readonly cwd: string;
        readonly branch: string;
        /** the commit it was made from; null: the repository had none */
        readonly base: string | null;
        readonly repository: string;
        /** shared: a prune in the repository can break it */
        readonly objects: "linked" | "copied" | "shared";
        readonly createdAt: string;
        /** the living sessions that work in it */
        readonly sessions: readonly string[];
        /** what went along although git does not know it */
        readonly carried: readonly string[];
        readonly notCarried: readonly {
          readonly path: string;
          readonly reason: string;
        }[];
        /** what to run in the repository to take its commits over */
        readonly fetch: string;
      }[];
    };
  };
  /** One worktree, with all that would be lost without it. */
  "worktree.show": {
    readonly kind: "read";
    readonly input: {
      readonly id: string;
    };
    readonly output: {
      /** that of the session it was made for */
      readonly id: string;
      /** missing: somebody moved or deleted its folder */
      readonly state: "present" | "missing";
      readonly path: string;
      /** where in it the session works */
      readonly cwd: string;
      readonly branch: string;
      /** the commit it was made from; null: the repository had none */
      readonly base: string | null;
      readonly repository: string;
      /** shared: a prune in the repository can break it */
      readonly objects: "linked" | "copied" | "shared";
      readonly createdAt: string;
      /** the living sessions that work in it */
      readonly sessions: readonly string[];
      /** what went along although git does not know it */
      readonly carried: readonly string[];
      readonly notCarried: readonly {
        readonly path: string;
        readonly reason: string;
      }[];
      /** what to run in the repository to take its commits over */
      readonly fetch: string;
      readonly work: {
        /** changed or staged and not committed */
        readonly changed: readonly string[];
        readonly untracked: readonly string[];
        /** carried files that were changed, or are new */
        readonly carried: readonly string[];
        /** commits and tags that the repository does not reach */
        readonly commits: readonly string[];
        /** repositories inside */
        readonly nested: readonly string[];
        /** why it could not be judged */
        readonly unclear: string | null;
      };
    };
  };
  /** Start a session in a worktree that was kept, to go on there. */
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
  /** Remove a worktree; refused with the list when it holds work that is nowhere else. */
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
  /** Remove every worktree that nobody works in and that holds no work. */
  "worktree.gc": {
    readonly kind: "write";
    readonly input: Record<string, never>;
    readonly output: {
      readonly removed: readonly string[];
      readonly kept: readonly string[];
    };
  };
  /** The drivers there are, and which of them are installed. */
  "driver.list": {
    readonly kind: "read";
    readonly input: Record<string, never>;
    readonly output: {
      readonly drivers: readonly {
        readonly slug: string;
        readonly summary: string;
        /** how its memory comes back after its process is gone: native or digest */
        readonly continuity: string;
        readonly protocol: "acp" | "print" | "own";
        readonly origin: "built-in" | "added" | "configured";
        readonly installed: boolean;
      }[];
    };
  };
  /** One driver with its manifest. */
  "driver.show": {
    readonly kind: "read";
    readonly input: {
      readonly slug: string;
    };
    readonly output: {
      readonly slug: string;
      readonly summary: string;
      /** how its memory comes back after its process is gone: native or digest */
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
      /** how its memory comes back after its process is gone: native or digest */
      readonly continuity: string;
      readonly protocol: "acp" | "print" | "own";
      readonly origin: "built-in" | "added" | "configured";
      readonly installed: boolean;
      readonly manifest: { readonly [key: string]: unknown } | null;
    };
  };
  /** Find an agent, look at its version, and let it introduce itself: no session, no model, no money. */
  "driver.check": {
    readonly kind: "read";
    readonly input: {
      readonly slug: string;
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
    };
  };
  /** Add an agent by its manifest, or replace one: no code, a file of a few lines. */
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
  /** Take back a manifest that was added; one that comes with Nomos counts again. */
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
  /** What a session can reach, and why: files, network, limits, and what it was refused. */
  "sandbox.explain": {
    readonly kind: "read";
    readonly input: {
      /** session id, the beginning of one, or a name; `self` with the token of a session */
      readonly id: string;
    };
    readonly output: {
      readonly id: string;
      readonly mode: "off" | "warn" | "enforce" | "strict";
      /** whether the operating system holds it, and not only what the agent asks for */
      readonly holds: boolean;
      /** what is weaker than it sounds, in plain words */
      readonly notices: readonly string[];
      /** the innermost counts */
      readonly files: readonly {
        readonly path: string;
        readonly access: "read" | "write" | "hidden";
        readonly why: string;
      }[];
      readonly network: {
        /** true: everything the machine reaches */
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
      readonly limits: {
        /** what holds them for all processes together; null: nothing on this machine does */
        readonly by: string | null;
        readonly memoryMb: number | null;
        readonly pidsMax: number | null;
        readonly cpus: number | null;
        /** those that this machine cannot hold */
        readonly absent: readonly string[];
      };
    };
  };
  /** Run a command behind the walls of `strict`, with one directory to write, to try them out. */
  "sandbox.run": {
    readonly kind: "write";
    readonly input: {
      /** the program and its arguments */
      readonly argv: readonly string[];
      /** the directory that it may write to */
      readonly cwd: string;
      readonly network?: {
        readonly allow: readonly string[];
      };
      /** after this long it is ended; default 60000 */
      readonly timeoutMs?: number;
    };
    readonly output: {
      /** null: a signal ended it, or it is not known any more */
      readonly exitCode: number | null;
      readonly stdout: string;
      readonly stderr: string;
      readonly timedOut: boolean;
      /** what it printed beyond what is kept */
      readonly droppedBytes: number;
      readonly denied: readonly {
        readonly host: string;
        readonly port: number;
        readonly reason: string;
      }[];
    };
  };
  /** All events in global order, by page. */
  "audit.entries": {
    readonly kind: "read";
    readonly input: {
      /** a `next`, a `seq`, an event id, or `now`; exclusive */
      readonly after?: number | string;
      readonly limit?: number;
      /** only events of these types, with or without version */
      readonly types?: readonly string[] | string;
    };
    readonly output: {
      readonly entries: readonly LogEvent[];
      readonly next: number | null;
    };
  };
  /** Check every event's hashes and place, and the tree over the log against what was signed. */
  "audit.verify": {
    readonly kind: "read";
    readonly input: Record<string, never>;
    readonly output: {
      readonly ok: boolean;
      readonly size: number;
      /** of the tree over all events, computed anew out of the log */
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
  /** The newest signed checkpoint: a C2SP signed note, as text or, where JSON is asked for, with the key that verifies it. */
  "audit.checkpoint": {
    readonly kind: "read";
    readonly input: Record<string, never>;
    readonly output: {
      readonly checkpoint: string;
      readonly key: string;
      readonly size: number;
      readonly root: string;
      /** the newest that a witness has signed too */
      readonly cosigned: string | null;
    };
  };
  /** The proof that an event is in the log that was signed. */
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
      /** in hex, as RFC 6962 orders them */
      readonly hashes: readonly string[];
      readonly root: string;
      readonly checkpoint: string;
    };
  };
  /** The proof that the log of today begins with the log of an earlier size. */
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
      /** in hex, as RFC 6962 orders them */
      readonly hashes: readonly string[];
      readonly checkpoint: string;
    };
  };
  /** A tile of the tree, as C2SP tlog-tiles cuts it: up to 256 hashes of a level. */
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
  /** Write the whole log out, as a folder or a .tar that anybody can verify without Nomos (`nomos-verify`). */
  "audit.export": {
    readonly kind: "write";
    readonly input: {
      /** absolute; default: in `exports` of the home */
      readonly to?: string;
    };
    readonly output: {
      readonly path: string;
      readonly size: number;
    };
  };
  /** What an agent's sessions did, in global order, by page; a page may be short although there is more. */
  "audit.agent": {
    readonly kind: "read";
    readonly input: {
      /** the agent's slug */
      readonly id: string;
      /** a `next` or a `seq`; exclusive */
      readonly after?: number;
      readonly limit?: number;
    };
    readonly output: {
      readonly agent: string;
      readonly entries: readonly LogEvent[];
      readonly next: number | null;
    };
  };
  /** The daemon: version, address, what it recovered, how much it holds. */
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
      /** of each process of a session; `held` is false where the system holds none */
      readonly limits: {
        readonly memoryMb: number | null;
        readonly openFilesMax: number | null;
        readonly held: boolean;
      };
      readonly tree: {
        readonly size: number;
        /** how many events the tree is behind the log */
        readonly lag: number;
        readonly checkpointSize: number | null;
        readonly checkpointAt: string | null;
        /** why the tree or its checkpoint could not be written; it is tried again */
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
      /** what runs behind the log */
      readonly followers: readonly {
        readonly name: string;
        /** how far it is behind is in the metrics */
        readonly state: "following" | "failing";
        readonly failure: {
          readonly code: string;
          readonly message: string;
          readonly remedy: string;
          /** when it failed first since it last worked */
          readonly since: string;
          readonly tries: number;
          readonly nextTryAt: string;
        } | null;
      }[];
      readonly waiting: {
        readonly alarms: {
          readonly set: number;
          /** at most a thousand are counted */
          readonly due: number;
          /** late by more than a minute */
          readonly overdue: number;
          /** how late the oldest is */
          readonly lateMs: number;
          /** due, tried and not rung; tried again by themselves */
          readonly stuck: readonly {
            /** the stream and the name in it: `stream#name` */
            readonly id: string;
            readonly code: string;
            readonly message: string;
            readonly remedy: string;
            readonly since: string;
            readonly tries: number;
            readonly nextTryAt: string;
          }[];
        };
        /** items with a place in their lane that could not be started */
        readonly notStarted: readonly {
          /** the stream and the name in it: `stream#name` */
          readonly id: string;
          readonly code: string;
          readonly message: string;
          readonly remedy: string;
          readonly since: string;
          readonly tries: number;
          readonly nextTryAt: string;
        }[];
        /** new to this log and being filled behind the start */
        readonly unfilledLists: readonly string[];
      };
      readonly usage: {
        readonly events: number;
        /** headers and data of all events, as stored */
        readonly eventBytes: number;
        /** all blobs and artifacts, each once, packed as they are stored */
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
        /** low: new sessions and prompts are refused; scarce: running turns end too */
        readonly level: "enough" | "low" | "scarce";
      };
      readonly wal: {
        readonly bytes: number;
        /** `limits.walBytes` */
        readonly limit: number;
        /** why it is past its limit */
        readonly problem: string | null;
      };
    };
  };
  /** What is measured, as Prometheus reads it. */
  "system.metrics": {
    readonly kind: "read";
    readonly input: Record<string, never>;
    readonly output: {
      readonly metrics: string;
    };
  };
  /** Check the whole log byte by byte and the tree over it, and with `rebuild` the read models against it. */
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
      /** the tree over the log, compared with the log and with what was signed */
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
      /** what runs behind the log; `repair` makes one that fails anew */
      readonly followers: readonly {
        readonly name: string;
        /** how far it is behind is in the metrics */
        readonly state: "following" | "failing";
        readonly failure: {
          readonly code: string;
          readonly message: string;
          readonly remedy: string;
          /** when it failed first since it last worked */
          readonly since: string;
          readonly tries: number;
          readonly nextTryAt: string;
        } | null;
      }[];
      readonly waiting: {
        readonly alarms: {
          readonly set: number;
          /** at most a thousand are counted */
          readonly due: number;
          /** late by more than a minute */
          readonly overdue: number;
          /** how late the oldest is */
          readonly lateMs: number;
          /** due, tried and not rung; tried again by themselves */
          readonly stuck: readonly {
            /** the stream and the name in it: `stream#name` */
            readonly id: string;
            readonly code: string;
            readonly message: string;
            readonly remedy: string;
            readonly since: string;
            readonly tries: number;
            readonly nextTryAt: string;
          }[];
        };
        /** items with a place in their lane that could not be started */
        readonly notStarted: readonly {
          /** the stream and the name in it: `stream#name` */
          readonly id: string;
          readonly code: string;
          readonly message: string;
          readonly remedy: string;
          readonly since: string;
          readonly tries: number;
          readonly nextTryAt: string;
        }[];
        /** new to this log and being filled behind the start */
        readonly unfilledLists: readonly string[];
      };
      /** what rewinds restore from */
      readonly snapshots: {
        readonly ok: boolean;
        readonly packs: number;
        readonly bytes: number;
        /** packs that cannot be read */
        readonly damaged: readonly string[];
        /** snapshots whose list of files cannot be read */
        readonly broken: readonly string[];
        /** contents that snapshots name and that are not there */
        readonly missing: number;
        /** snapshots of which nothing is there, as in a home that was restored */
        readonly gone: number;
      };
      /** what lies in the home and should not */
      readonly home: {
        readonly ok: boolean;
        /** what agents left and could not be removed; it is tried again */
        readonly left: readonly {
          readonly path: string;
          readonly reason: string;
          readonly remedy: string;
        }[];
        /** what was in the way of a start and was moved aside */
        readonly aside: readonly string[];
      };
      readonly sandbox: {
        readonly bubblewrap: string | null;
        readonly remedy: string | null;
      };
      /** where checkpoints are anchored, and what is wrong there */
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
      /** what anchors knew when this log was last restored; null when no restore asked one */
      readonly compared: {
        readonly at: string;
        /** how many events were restored */
        readonly size: number;
        /** how many an anchor remembered, where that is more */
        readonly newerSize: number | null;
        /** an anchor remembered other events, and a person went on */
        readonly isContradicted: boolean;
        /** anchors that gave no answer */
        readonly unreachable: number;
      } | null;
      readonly usage: {
        readonly events: number;
        /** headers and data of all events, as stored */
        readonly eventBytes: number;
        /** all blobs and artifacts, each once, packed as they are stored */
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
        /** low: new sessions and prompts are refused; scarce: running turns end too */
        readonly level: "enough" | "low" | "scarce";
      };
      readonly wal: {
        readonly bytes: number;
        /** `limits.walBytes` */
        readonly limit: number;
        /** why it is past its limit */
        readonly problem: string | null;
      };
    };
  };
  /** Which protocols this daemon speaks in full, and where it deviates from their text. */
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
  /** Copy the log, its blobs, the tree, the keys and the configuration into a new folder, while all goes on. */
  "system.backup": {
    readonly kind: "write";
    readonly input: {
      /** absolute; default: in `backups` of the home */
      readonly to?: string;
    };
    readonly output: {
      readonly path: string;
      /** events in it */
      readonly size: number;
      /** of the tree over them */
      readonly root: string;
      readonly blobs: number;
      /** named by events, but not there to be copied */
      readonly missingBlobs: number;
      /** of the log and the blobs */
      readonly bytes: number;
    };
  };
  /** Move what sessions that ended long ago said and did out of the log into archives, and remove blobs that nobody names. */
  "system.gc": {
    readonly kind: "write";
    readonly input: {
      /** sessions that ended longer ago than this */
      readonly maxAgeDays: number;
      /** only say what would go, and how many bytes */
      readonly dryRun?: boolean;
      /** make no archive: the data is gone for good */
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
        /** the file, in `archive` of the home */
        readonly archive: string | null;
      }[];
      /** old enough, but a fork needs them */
      readonly needed: readonly {
        readonly id: string;
        readonly name: string;
      }[];
      /** whose data goes; their headers and hashes stay */
      readonly events: number;
      /** of that data */
      readonly bytes: number;
      /** that no event names then */
      readonly blobs: number;
      readonly blobBytes: number;
      /** one call takes so many; there are more */
      readonly more: boolean;
    };
  };
  /** Stop the daemon: turns end, every session is put to sleep, nothing is lost. */
  "system.shutdown": {
    readonly kind: "write";
    readonly input: Record<string, never>;
    readonly output: {
      readonly ok: true;
      readonly pid: number;
    };
  };
  /** The configuration in force; what could be a secret is hidden. */
  "config.show": {
    readonly kind: "read";
    readonly input: Record<string, never>;
    readonly output: {
      readonly config: { readonly [key: string]: unknown };
    };
  };
  /** Change members of the configuration; null removes one, and what comes back hidden stays as it is. */
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
  /** What waits for its turn anywhere, and why: turns of sessions and items of lanes with a limit. */
  "queue.list": {
    readonly kind: "read";
    readonly input: {
      /** only this lane; a session's is `session/<id>` */
      readonly lane?: string;
      readonly limit?: number;
      /** `next` of the page before */
      readonly after?: string;
    };
    readonly output: {
      readonly waits: readonly {
        readonly item: string;
        readonly stream: string;
        readonly lane: string;
        /** 0 to 9; the higher goes first */
        readonly priority: number;
        /** what it waits for */
        readonly reason: string;
      }[];
      readonly next: string | null;
    };
  };
  /** A new key with fewer rights than yours; its secret is shown this once. */
  "token.issue": {
    readonly kind: "write";
    readonly input: {
      readonly label?: string;
      /** `session.read`, `session.*`, `*` */
      readonly capabilities: readonly string[];
      /** confine it to one session */
      readonly sessionId?: string;
      readonly ttlMs?: number;
      /** the weakest sandbox it starts and drives sessions in; default: `strict`, or that of the session it is confined to. With `off` it acts with your rights */
      readonly sandbox?: "off" | "warn" | "enforce" | "strict";
    };
    readonly output: {
      readonly tokenId: string;
      readonly secret: string | null;
      readonly capabilities: readonly string[];
      readonly sandbox: "off" | "warn" | "enforce" | "strict";
    };
  };
  /** The keys that are valid now, without their secrets. */
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
        /** the weakest it starts and drives sessions in */
        readonly sandbox: "off" | "warn" | "enforce" | "strict";
      }[];
    };
  };
  /** Make a key useless for good, and every key that was issued with it. */
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
  /** What the gate would decide, and every rule that speaks; anybody may ask about themselves. */
  "permission.explain": {
    readonly kind: "read";
    readonly input: {
      /** `operator`, `role:NAME`, `agent:SLUG`, `session:ID`, `token:ID`, or `self` */
      readonly principal: string;
      /** the permission of a syscall, `tool.KIND` or `agent.KIND` */
      readonly verb: string;
      /** `system`, `session/ID`, ...; of a session's tools as from the session: `path/src/a.ts` */
      readonly resource: string;
    };
    readonly output: {
      readonly verdict: "allow" | "deny" | "ask";
      readonly rules: readonly string[];
    };
  };
  /** What an archived session said and did, each event proved by what the log still has of it. */
  "archive.read": {
    readonly kind: "read";
    readonly input: {
      /** session id, the beginning of one, or a name; `self` with the token of a session */
      readonly id: string;
      /** a `next` or a `seq`; exclusive */
      readonly after?: number;
      readonly limit?: number;
    };
    readonly output: {
      readonly id: string;
      readonly events: readonly LogEvent[];
      readonly next: number | null;
    };
  };
  /** Check a session's archive, byte by byte, against what the log says of it. */
  "archive.verify": {
    readonly kind: "read";
    readonly input: {
      /** session id, the beginning of one, or a name; `self` with the token of a session */
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
  /** The pages of documentation that came with this version. */
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
  /** One page of documentation. */
  "doc.read": {
    readonly kind: "read";
    readonly input: {
      /** as `doc list` shows it */
      readonly path: string;
    };
    readonly output: {
      readonly path: string;
      readonly text: string;
    };
  };
  /** Admission for one WebSocket, for a browser that cannot send a token with it; good once, for a moment. */
  "ws.ticket": {
    readonly kind: "read";
    readonly input: Record<string, never>;
    readonly output: {
      readonly ticket: string;
      readonly expiresAt: string;
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
  | "malformed_json"
  | "mcp_session_missing"
  | "mcp_session_not_found"
  | "method_not_allowed"
  | "overloaded"
  | "payload_too_large"
  | "policy_too_large"
  | "port_in_use"
  | "principal_not_found"
  | "rate_limited"
  | "route_not_found"
  | "sandbox_floor"
  | "starting"
  | "syscall_unknown"
  | "token_not_found"
  | "token_revoked"
  | "too_many_connections"
  | "unauthorized"
  | "unsupported_media_type"
  | "usage"
  | "wait_timeout"
  | "cwd_hidden"
  | "cwd_missing"
  | "driver_failed"
  | "driver_file_invalid"
  | "driver_timeout"
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
  | "git_failed"
  | "git_missing"
  | "not_a_repository"
  | "repository_invalid"
  | "scope_invalid"
  | "worktree_base_incomplete"
  | "worktree_base_missing"
  | "worktree_failed"
  | "worktree_has_work"
  | "worktree_in_use"
  | "worktree_missing"
  | "worktree_not_found";
