import { ClientError, type InputOf, type Json, type Nomos, type Session, type StreamItem } from "../client/index.ts";
import { memberOf } from "../kernel/index.ts";
import { approvalEvent } from "./questions.ts";
import { createTurnReader, type TurnEnd, type TurnEvent } from "./turn-events.ts";

/** A session, as a program talks to it. */
export interface NomosSession {
  readonly id: string;
  readonly name: string;
  /**
   * Sends a prompt and follows its turn to the end. A turn that failed throws after its `end`. Leaving the loop leaves the
   * turn running; the signal interrupts it.
   */
  readonly prompt: (text: string, options?: PromptOptions) => AsyncGenerator<TurnEvent>;
  /** The final answer: text, or the parsed value where a schema is given. Throws when the turn did not complete. */
  readonly answer: <T = string>(text: string, options?: PromptOptions) => Promise<T>;
  /** Follows the turn that runs, such as one that goes on after a restart. Nothing when none runs. */
  readonly follow: (options?: { readonly signal?: AbortSignal }) => AsyncGenerator<TurnEvent>;
  readonly show: () => Promise<Session>;
  readonly interrupt: () => Promise<void>;
  /** Ends the session for good. Its log stays. */
  readonly end: () => Promise<void>;
}

export interface PromptOptions extends Pick<InputOf<"session.prompt">, "attachments" | "queue" | "steer"> {
  readonly signal?: AbortSignal;
  /** A JSON schema that the answer has to fit. For the agent `nomos`. */
  readonly schema?: { readonly [key: string]: Json };
}

const OWN_DRIVER = "nomos";

export function createSession(nomos: Nomos, { id, name, adapterSlug }: Session, isNew: boolean): NomosSession {
  /** Undefined: not known, because an earlier program may have set one. */
  let schema: string | null | undefined = isNew || adapterSlug !== OWN_DRIVER ? null : undefined;
  const useSchema = async (given: PromptOptions["schema"]): Promise<void> => {
    const wanted = given === undefined ? null : JSON.stringify(given);
    if (wanted === schema) return;
    await nomos.session.configure({ id, options: { schema: wanted ?? false } });
    schema = wanted;
  };
  const lastSeq = async (): Promise<number> =>
    (await nomos.session.events({ id, order: "desc", limit: 1 })).events[0]?.seq ?? 0;

  const prompt: NomosSession["prompt"] = async function* (text, options = {}) {
    const { signal, schema: given, ...how } = options;
    signal?.throwIfAborted();
    await useSchema(given);
    const after = await lastSeq();
    const begin = async () => (await nomos.session.prompt({ id, prompt: text, ...how })).turnId;
    yield* followTurn({ nomos, id, after, begin, signal });
  };
  return {
    ...{ id, name, prompt },
    answer: async <T>(text: string, options: PromptOptions = {}) => {
      const end = await lastOf(prompt(text, options));
      if (end.outcome !== "completed")
        throw new ClientError("turn_not_completed", { details: { id, turnId: end.turnId, outcome: end.outcome } });
      return (options.schema === undefined ? end.text : parsed(end.text)) as T;
    },
    follow: async function* ({ signal } = {}) {
      const { turns } = await nomos.session.turns({ id });
      const running = turns.find(({ outcome }) => outcome === null);
      if (running === undefined) return;
      yield* followTurn({ nomos, id, after: 0, begin: async () => running.turnId, signal });
    },
    show: () => nomos.session.show({ id }),
    interrupt: async () => void (await nomos.session.interrupt({ id })),
    end: async () => void (await nomos.session.kill({ id })),
  };
}

interface Followed {
  readonly nomos: Nomos;
  readonly id: string;
  readonly after: number;
  /** Resolves with the turn to follow. */
  readonly begin: () => Promise<string>;
  readonly signal: AbortSignal | undefined;
}

async function* followTurn({ nomos, id, after, begin, signal }: Followed): AsyncGenerator<TurnEvent> {
  const reading = new AbortController();
  const stream = nomos.session.stream({ id }, { after, signal: reading.signal });
  // Begun before the prompt is sent, so that the first pieces of text are seen.
  const first = stream.next();
  first.catch(() => undefined);
  const stop = () => reading.abort();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    const turnId = await begin();
    const read = createTurnReader({
      blob: async (sha256) => textOfBlob(await nomos.blob.read({ sha256 })),
      question: (data) => approvalEvent(nomos, id, data),
    });
    for (let next = await first; next.done !== true && signal?.aborted !== true; next = await stream.next())
      for (const event of isOf(next.value, turnId) ? await read(next.value) : []) {
        yield event;
        if (event.kind === "end") return refuseFailed(event);
      }
    if (signal?.aborted === true) await nomos.session.interrupt({ id });
  } finally {
    signal?.removeEventListener("abort", stop);
    reading.abort();
  }
  signal?.throwIfAborted();
  throw new ClientError("session_ended", { details: { id } });
}

function isOf(item: StreamItem, turnId: string): boolean {
  if (item.event === "delta") return item.data.turnId === turnId;
  return item.event === "event" && memberOf(item.data.data, "turnId") === turnId;
}

function refuseFailed({ outcome, error, turnId }: TurnEnd): void {
  if (outcome !== "failed" || error === null) return;
  throw new ClientError(error.code, { message: error.message, details: { turnId } });
}

async function lastOf(events: AsyncGenerator<TurnEvent>): Promise<TurnEnd> {
  for await (const event of events) if (event.kind === "end" && event.outcome !== "failed") return event;
  throw new ClientError("internal", { message: "The turn's stream ended without its end." });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ClientError("schema_unmet", { details: { text: text.slice(0, SHOWN_CHARS) }, cause });
  }
}

const SHOWN_CHARS = 500;

function textOfBlob({ encoding, content }: { readonly encoding: string; readonly content: string }): string {
  return encoding === "utf8" ? content : Buffer.from(content, "base64").toString("utf8");
}
