import type { z } from "zod";
import type { ErrorCode, Progress } from "../contract/index.ts";
import type { Actor } from "../domains/index.ts";
import type { CallRef, RecordedEvent } from "../store/index.ts";
import type { McpSpelling } from "./mcp-spelling.ts";
import type { NamedThing } from "./names.ts";
import type { Role } from "./roles.ts";
import type { Services } from "./services.ts";

/**
 * One capability, with everything that surfaces need to offer it; they have no logic of their own. To add a syscall, write
 * one definition in its family's folder and add it to the family's list.
 */
export interface Syscall {
  /** `family.verb`: `nomos family verb` in the CLI, `family_verb` in MCP. */
  readonly name: string;
  readonly summary: string;
  readonly kind: "read" | "write" | "stream";
  /** The verb that the gate judges; several syscalls may share one. */
  readonly permission: string;
  /** Roles that hold the permission; the operator holds all. Syscalls that share a permission must name the same roles. */
  readonly roles: readonly Role[];
  /** The services that its handler uses; the compiler hides all others from it. */
  readonly needs: readonly (keyof Services)[];
  readonly input: z.ZodObject;
  /** Error codes for missing members, instead of the general one. */
  readonly missing?: { readonly [field: string]: ErrorCode };
  /**
   * Members that hold a secret. The log keeps a hash of each request that has an idempotency key; of these members it hashes
   * a keyed fingerprint, so that nobody can guess a value from the log. The command line never takes them as arguments.
   */
  readonly confidential?: readonly string[];
  readonly output: z.ZodType;
  readonly errors: readonly ErrorCode[];
  readonly http: HttpSpelling;
  readonly cli: CliSpelling;
  /** How it appears in MCP beside its tool: aliases, a resource, a prompt. */
  readonly mcp?: McpSpelling;
  /** It keeps a thread busy for long. The number of such calls per principal is limited. */
  readonly heavy?: true;
  /** A write that removes something no other call can bring back. */
  readonly destructive?: true;
  /** A write that changes nothing when it is repeated. */
  readonly idempotent?: true;
  /**
   * What it does beyond writing to the log. `session`: it makes the session act, so the session's sandbox must not be weaker
   * than the caller's floor. `person`: it acts on the machine outside any walls. `opening`: it makes a session; `reachOf`
   * limits its sandbox and place. `place`: it writes to a path; `refuseOwnPlace` limits it.
   */
  readonly rights?: "session" | "person" | "opening" | "place";
  /** Members beside that `id` that name something in short; the full name stands there when the call is judged. */
  readonly names?: { readonly [member: string]: NamedThing };
  /** The resource of the call. `session`: the input's `id` names a session by full id, short id, name or title. */
  readonly about: "session" | "system" | ((input: Record<string, unknown>, actor: Actor) => string);
  /** `input` is already parsed by the schema above. */
  readonly run: (context: Context, input: unknown) => Promise<Output>;
}

export type Output = { readonly value: unknown } | { readonly stream: AsyncIterable<StreamItem> };

export interface HttpSpelling {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  /** More paths for the same call, with the same method and path members. */
  readonly aliases?: readonly string[];
  readonly status?: 201;
  /** The member of the answer to send as plain text, for callers that do not ask for JSON. */
  readonly text?: string;
  /** The content type of that text; default: plain text. */
  readonly textType?: string;
  /** The member of the answer, `{ value, maxAgeSeconds }`, that is sent as a cookie instead of in the body. */
  readonly cookie?: string;
}

/** All paths of a call, its own first. */
export function pathsOf({ path, aliases = [] }: HttpSpelling): readonly string[] {
  return [path, ...aliases];
}

export interface CliSpelling {
  /** Members given by position. If the last one is text, it takes the rest of the line. */
  readonly positional: readonly string[];
  /** A short form: `nomos ps` for `nomos session list`. */
  readonly short?: string;
  /** Members that name a file or directory. Relative paths start at the person's current directory. */
  readonly paths?: readonly string[];
  /** The member that defaults to the current directory when neither it nor one of `unless` is given. */
  readonly here?: { readonly member: string; readonly unless: readonly string[] };
  /** What a member is when it is not given, on the command line alone. */
  readonly otherwise?: { readonly member: string; readonly value: string };
  /** Members that hold JSON text; the CLI also accepts a file name. */
  readonly files?: readonly string[];
  /** How the CLI prints the answer. Default: a list as a table, everything else as names and values. */
  readonly print?: "diff" | "context" | "replay" | "blame" | "conflicts" | "fan-out" | "fan-out-diff";
  /** What the CLI tells a person instead of the answer's members: what happened, then the next step. `--json` has the rest. */
  readonly says?: readonly SaidLine[];
  /** A list of the answer that follows what is said, as a table. */
  readonly rows?: string;
  /** The members of the answer that matter to a person, each with its label. */
  readonly card?: readonly (readonly [label: string, line: string])[];
  /** Exit code 1 if this member has another value: `turn.outcome`, `completed`. A missing member counts as success. */
  readonly succeeds?: { readonly member: string; readonly value: string };
}

/**
 * `Forked {input.id} into {name}`: members of the answer, of the input, and how long the call `{took}`. A line with a missing,
 * empty or zero member is left out. `{size|event}` counts: 1 event, 2 events; more spellings are in src/cli/print/said-lines.ts.
 * With a member and a value before it, a line is said only if the member has this value; of a list of such lines, the first.
 */
export type SaidLine = string | SaidIf | readonly SaidIf[];
export type SaidIf = readonly [member: string, value: string | number | boolean | null, line: string];

export interface Context<Needed extends keyof Services = keyof Services> {
  readonly services: Pick<Services, Needed>;
  readonly actor: Actor;
  readonly call: CallRef | null;
  readonly signal: AbortSignal;
  /** Reports progress to a caller that waits. There may be no listener. */
  readonly progress: (progress: Progress) => void;
}

/** One item of a stream. `id` is a cursor: a reader that returns with it misses nothing and sees nothing twice. */
export interface StreamItem {
  readonly event: "event" | "line" | "delta" | "status" | "session" | "gone" | "gap" | "end";
  readonly data: unknown;
  readonly id?: number;
}

type Needs = readonly (keyof Services)[];

interface Common<I extends z.ZodObject, O extends z.ZodType, N extends Needs>
  extends Omit<Syscall, "kind" | "input" | "output" | "run" | "mcp" | "needs"> {
  readonly input: I;
  readonly output: O;
  readonly needs: N;
  readonly mcp?: McpSpelling<z.output<O>>;
}

export function read<I extends z.ZodObject, O extends z.ZodType, const N extends Needs>(
  given: Common<I, O, N> & {
    readonly answer: (context: Context<N[number]>, input: z.output<I>) => Promise<z.input<O>>;
  },
): Syscall {
  const { answer, ...rest } = given;
  return {
    ...rest,
    kind: "read",
    run: async (context, input) => ({ value: await answer(context, parsed<I>(input)) }),
  };
}

/**
 * A write in two steps, so that a caller who lost the answer can ask again. `commit` stores the events and returns them;
 * `answer` is computed from those events alone, also for a later call with the same key.
 */
export function write<I extends z.ZodObject, O extends z.ZodType, const N extends Needs>(
  given: Common<I, O, N> & {
    readonly commit: (context: Context<N[number]>, input: z.output<I>) => Promise<readonly RecordedEvent[]>;
    readonly answer: (
      context: Context<N[number]>,
      input: z.output<I>,
      events: readonly RecordedEvent[],
    ) => Promise<z.input<O>>;
  },
): Syscall {
  const { commit, answer, ...rest } = given;
  const run: Syscall["run"] = async (context, raw) => {
    const input = parsed<I>(raw);
    const { store } = context.services;
    const before = context.call === null ? null : await store.findCall(context.call);
    const events = before ?? (await commit(context, input));
    if (before === null && events.length === 0 && context.call !== null)
      await context.services.noteCall(rest.name, context);
    return { value: await answer(context, input, events) };
  };
  return { ...rest, kind: "write", run };
}

export function stream<I extends z.ZodObject, const N extends Needs>(
  given: Common<I, z.ZodType, N> & {
    /** Must throw before the stream begins, so that the caller gets an error instead of an empty stream. */
    readonly items: (context: Context<N[number]>, input: z.output<I>) => Promise<AsyncIterable<StreamItem>>;
  },
): Syscall {
  const { items, ...rest } = given;
  return {
    ...rest,
    kind: "stream",
    run: async (context, input) => ({ stream: await items(context, parsed<I>(input)) }),
  };
}

/** `dispatch` has parsed it with the same schema; this cast only informs the compiler. */
function parsed<I extends z.ZodObject>(input: unknown): z.output<I> {
  return input as z.output<I>;
}
