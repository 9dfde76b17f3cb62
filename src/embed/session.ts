import { type AnswerSchema, answerSchema, askAgain, askedByPrompt } from "../cli/index.ts";
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
  /**
   * The final answer: text, or the value where a schema is given. An answer that does not fit the schema is asked for again,
   * twice at most. Throws when a turn did not complete.
   */
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
  /** A JSON schema that the answer has to fit. The agent `nomos` gives it to its model, others read it in the prompt. */
  readonly schema?: { readonly [key: string]: Json };
}

const OWN_DRIVER = "nomos";
/** How often an answer that does not fit the schema is asked for. */
const TRIES_MAX = 3;

export function createSession(nomos: Nomos, { id, name, adapterSlug }: Session, isNew: boolean): NomosSession {
  /** Undefined: not known, because an earlier program may have set one. */
  let schema: string | null | undefined = isNew || adapterSlug !== OWN_DRIVER ? null : undefined;
  /** The prompt as the agent reads it. */
  const useSchema = async (text: string, given: PromptOptions["schema"]): Promise<string> => {
    const checked = given === undefined ? null : checkedSchema(given);
    if (adapterSlug !== OWN_DRIVER) return checked === null ? text : askedByPrompt(text, checked);
    const wanted = checked?.text ?? null;
    if (wanted !== schema) await nomos.session.configure({ id, options: { schema: wanted ?? false } });
    schema = wanted;
    return text;
  };
  const lastSeq = async (): Promise<number> =>
    (await nomos.session.events({ id, order: "desc", limit: 1 })).events[0]?.seq ?? 0;

  const prompt: NomosSession["prompt"] = async function* (text, options = {}) {
    const { signal, schema: given, ...how } = options;
    signal?.throwIfAborted();
    const words = await useSchema(text, given);
    const after = await lastSeq();
    const begin = async () => (await nomos.session.prompt({ id, prompt: words, ...how })).turnId;
    yield* followTurn({ nomos, id, after, begin, signal });
  };
  const answerTo = async (text: string, options: PromptOptions): Promise<string> => {
    const end = await lastOf(prompt(text, options));
    if (end.outcome === "completed") return end.text;
    throw new ClientError("turn_not_completed", { details: { id, turnId: end.turnId, outcome: end.outcome } });
  };
  return {
    ...{ id, name, prompt },
    answer: async <T>(text: string, options: PromptOptions = {}) => {
      if (options.schema === undefined) return (await answerTo(text, options)) as T;
      const { read } = checkedSchema(options.schema);
      const { schema: wanted, signal } = options;
      let said = await answerTo(text, options);
      for (let tries = 1; ; tries += 1) {
        const answer = read(said);
        if ("value" in answer) return answer.value as T;
        if (tries >= TRIES_MAX) throw unmet(answer.problem, said);
        said = await answerTo(askAgain(answer.problem), {
          ...{ schema: wanted, queue: true },
          ...(signal === undefined ? {} : { signal }),
        });
      }
    },
    follow: async function* ({ signal } = {}) {
      // The newest of both: a long session has more turns than a page.
      const types = ["turn.started@1", "turn.ended@1"];
      const { events } = await nomos.session.events({ id, types, order: "desc", limit: 1 });
      const [last] = events;
      if (last?.type !== "turn.started@1") return;
      const turnId = String(memberOf(last.data, "turnId"));
      yield* followTurn({ nomos, id, after: last.seq - 1, begin: async () => turnId, signal });
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

function checkedSchema(given: NonNullable<PromptOptions["schema"]>): AnswerSchema {
  const schema = typeof given === "object" && given !== null ? answerSchema(given) : "it is not an object";
  if (typeof schema !== "string") return schema;
  throw new ClientError("invalid_request", {
    message: `\`schema\` is no JSON schema: ${schema}.`,
    details: { field: "schema" },
  });
}

function unmet(problem: string, text: string): ClientError {
  return new ClientError("schema_unmet", {
    message: `The answer does not fit the schema, also after it was asked for again: ${problem}.`,
    details: { problem, text: text.slice(0, SHOWN_CHARS) },
  });
}

const SHOWN_CHARS = 500;

function textOfBlob({ encoding, content }: { readonly encoding: string; readonly content: string }): string {
  return encoding === "utf8" ? content : Buffer.from(content, "base64").toString("utf8");
}
