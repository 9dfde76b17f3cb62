import type { z } from "zod";
import type { ErrorCode, Progress } from "../contract/index.ts";
import type { Actor } from "../kernel/index.ts";
import type { CallRef, RecordedEvent } from "../store/index.ts";
import type { McpSpelling } from "./mcp-spelling.ts";
import type { Role } from "./roles.ts";
import type { Services } from "./services.ts";

/**
 * One capability. Everything a surface needs is in here: it adds nothing, decides nothing.
 * To add a syscall: write one definition in its family's folder and add it to the family's list. That is all.
 */
export interface Syscall {
  /** `family.verb`: the CLI says `nomos family verb`, MCP says `family_verb`. */
  readonly name: string;
  readonly summary: string;
  readonly kind: "read" | "write" | "stream";
  /** The verb that the gate judges; several syscalls may share one. */
  readonly permission: string;
  /** Kinds of token that hold the permission; the operator's holds all. Syscalls with one permission name the same. */
  readonly roles: readonly Role[];
  /** The services that its handler works with: the compiler shows it no others. */
  readonly needs: readonly (keyof Services)[];
  readonly input: z.ZodObject;
  /** Members whose absence has a code of its own. */
  readonly missing?: { readonly [field: string]: ErrorCode };
  readonly output: z.ZodType;
  readonly errors: readonly ErrorCode[];
  readonly http: HttpSpelling;
  readonly cli: CliSpelling;
  /** What MCP has beside a tool: other names, a document, a prompt. */
  readonly mcp?: McpSpelling;
  /** It keeps a thread busy for long: one principal has only a few of those under way. */
  readonly heavy?: true;
  /** A write that takes something away which no other call brings back. */
  readonly destructive?: true;
  /** A write that changes nothing more when it is asked for again. */
  readonly idempotent?: true;
  /**
   * What it acts with, beyond writing to the log. `session`: it makes the session do something, so the session's sandbox
   * must not be weaker than the caller's floor. `person`: it reaches the machine outside of any walls. `opening`: it makes
   * a session, whose sandbox and place `reachOf` bounds; `place`: it writes to a place, which `refuseOwnPlace` bounds.
   */
  readonly rights?: "session" | "person" | "opening" | "place";
  /** What the call is about. `session`: the input's `id` names one, in full, shortened or by name. */
  readonly about: "session" | "system" | ((input: Record<string, unknown>, actor: Actor) => string);
  /** `input` is what `dispatch` made of the caller's, by the schema above. */
  readonly run: (context: Context, input: unknown) => Promise<Output>;
}

export type Output = { readonly value: unknown } | { readonly stream: AsyncIterable<StreamItem> };

export interface HttpSpelling {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  /** Further paths of the same call, with the same method and the same members in the path. */
  readonly aliases?: readonly string[];
  readonly status?: 201;
  /** The member of the answer that is the answer, as plain text, for whoever does not ask for JSON. */
  readonly text?: string;
  /** What that text calls itself, where it is more than plain. */
  readonly textType?: string;
}

/** Every path that a call is served at, its own first. */
export function pathsOf({ path, aliases = [] }: HttpSpelling): readonly string[] {
  return [path, ...aliases];
}

export interface CliSpelling {
  /** Input members given by position. The last one takes the rest of the line when it is text. */
  readonly positional: readonly string[];
  /** The everyday short form: `nomos ps` for `nomos session list`. */
  readonly short?: string;
  /** Members that name a file or directory: a relative one is meant from where the person stands. */
  readonly paths?: readonly string[];
  /** The member that is the person's own directory when neither it nor one of `unless` is given. */
  readonly here?: { readonly member: string; readonly unless: readonly string[] };
  /** Members that are JSON text, which is usually kept in a file: the file's name is taken too. */
  readonly files?: readonly string[];
  /** How a person is shown the answer. Without it: a list as a table, everything else as names and values. */
  readonly print?: "diff";
  /** The exit code is 1 unless this member has this value, or is not there at all: `turn.outcome`, `completed`. */
  readonly succeeds?: { readonly member: string; readonly value: string };
}

export interface Context<Needed extends keyof Services = keyof Services> {
  readonly services: Pick<Services, Needed>;
  readonly actor: Actor;
  readonly call: CallRef | null;
  readonly signal: AbortSignal;
  /** For a caller who waits: how far it is. Nobody may be listening. */
  readonly progress: (progress: Progress) => void;
}

/** What goes out on a stream. `id` is a cursor: whoever comes back with it misses nothing and sees nothing twice. */
export interface StreamItem {
  readonly event: "event" | "line" | "delta" | "status" | "gap" | "end";
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
 * A write in two steps, so that a caller whose answer was lost can ask again: `commit` makes it durable and returns the
 * events; `answer` is worked out from those events alone, by the first call or by any later one with the same key.
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
    /** Refuses before the stream begins, so that a refusal is an error and not an empty stream. */
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

/** `dispatch` has parsed it by the same schema; this only tells the compiler. */
function parsed<I extends z.ZodObject>(input: unknown): z.output<I> {
  return input as z.output<I>;
}
