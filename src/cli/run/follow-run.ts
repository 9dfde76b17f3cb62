import type { Client, Session, StreamItem } from "../../client/index.ts";
import { type Awaited, type EndedTurn, followTurn } from "../follow-turn.ts";
import { type AnswerSchema, askAgain, OWN_DRIVER } from "../schema/answer-schema.ts";
import { EXIT, type Terminal } from "../terminal.ts";
import { createTranscript } from "../transcript/transcript.ts";
import { exitCodeOf, type RunResult, responseOf, resultJson } from "./turn-result.ts";

export interface Begun extends Awaited {
  readonly session: Session;
  /** The schema that the session had before this run; false: none. */
  readonly schemaBefore: string | false;
}

export interface RunHow {
  readonly json: boolean;
  /** Only the answer is printed. */
  readonly isQuiet: boolean;
  readonly verbose: boolean;
  /** A code of its own for each way to fail. */
  readonly isExact: boolean;
  readonly schema: AnswerSchema | null;
  /** The turn is interrupted when it has run for so long; null: it has all the time. */
  readonly waitMs: number | null;
}

/** How often an answer that does not fit the schema is asked for. */
const TRIES_MAX = 3;
/** How long an interrupted turn has to end. */
const ENDING_MS = 10_000;

/** What is left of a run when a person has left it: nothing to print, and the code. */
interface Left {
  readonly exitCode: number;
}

/** Follows a run to its end, prints what was asked for, and says the exit code. */
export async function runToEnd(terminal: Terminal, client: Client, begun: Begun, how: RunHow): Promise<number> {
  const startedMs = Date.now();
  const clock = createClock(terminal, client, begun.id, how.waitMs);
  const lines: string[] = [];
  try {
    const result = await resultOf(terminal, client, begun, how, clock, lines);
    if ("exitCode" in result) return result.exitCode;
    const exitCode = exitCodeOf(result, how.isExact);
    if (how.json) terminal.printJson(resultJson(result, lines, exitCode, Date.now() - startedMs));
    else if (how.isQuiet) printAnswer(terminal, result);
    return exitCode;
  } finally {
    clock.stop();
    if (how.schema !== null && begun.session.adapterSlug === OWN_DRIVER)
      await client
        .call("session.configure", { id: begun.id, options: { schema: begun.schemaBefore } })
        .catch(() => undefined);
  }
}

/** One turn; with a schema as many as it takes until an answer fits. */
async function resultOf(
  terminal: Terminal,
  client: Client,
  begun: Begun,
  how: RunHow,
  clock: Clock,
  lines: string[],
): Promise<RunResult | Left> {
  let awaited = begun;
  for (let tries = 1; ; tries += 1) {
    const turn = await follow(terminal, client, awaited, how, clock, lines);
    if (turn !== null && "exitCode" in turn) return turn;
    const session = await client.call("session.show", { id: begun.id });
    const response = turn === null ? "" : await responseOf(client, begun.id, turn.turnId);
    const result = { session, turn, response, error: turn?.error ?? null, isLate: clock.isOver() };
    if (how.schema === null || turn?.outcome !== "completed") return result;
    const read = how.schema.read(response);
    if ("value" in read) return { ...result, value: read.value };
    const { problem } = read;
    if (tries >= TRIES_MAX || clock.isOver()) {
      const message = `The answer does not fit the schema: ${problem}.`;
      terminal.complain(message);
      return { ...result, error: { code: "schema_unmet", message } };
    }
    terminal.complain(`The answer does not fit the schema: ${problem}. Asking again (${tries + 1} of ${TRIES_MAX}).`);
    const { turnId } = await client.call("session.prompt", { id: begun.id, prompt: askAgain(problem), queue: true });
    const head = session.head === null ? null : await client.call("event.show", { eventId: session.head });
    awaited = { ...begun, turnId, after: head?.seq ?? 0 };
  }
}

async function follow(
  terminal: Terminal,
  client: Client,
  awaited: Begun,
  how: RunHow,
  clock: Clock,
  lines: string[],
): Promise<EndedTurn | Left | null> {
  const { canTalk } = await import("../talk/typing.ts");
  const isForPeople = !how.json && !how.isQuiet;
  if (isForPeople && canTalk(terminal)) return talkToEnd(terminal, client, awaited, how.verbose);
  const { name, agent } = awaited.session;
  const options = { prompts: () => false, verbose: how.verbose, who: `${name} (${agent})` };
  const transcript = createTranscript(terminal, options);
  const show = (item: StreamItem): void => {
    if (item.event === "line") lines.push(item.data.line);
    if (isForPeople) transcript.show(item);
  };
  const leave = new AbortController();
  const stopInterrupting = interruptByHand(terminal, client, awaited.id, leave);
  const signal = AbortSignal.any([leave.signal, clock.signal]);
  const turn = await followTurn(client, awaited, show, signal).finally(() => transcript.close());
  stopInterrupting();
  return leave.signal.aborted ? { exitCode: EXIT.interrupted } : turn;
}

/** At a keyboard: questions are answered in place, and more text steers the agent. */
async function talkToEnd(
  terminal: Terminal,
  client: Client,
  { session, after, turnId }: Begun,
  verbose: boolean,
): Promise<EndedTurn | Left | null> {
  const { sayGoesOn, talk } = await import("../talk/talk.ts");
  const { why, turn } = await talk(terminal, client, { session, after, until: { turnId }, verbose });
  if (why === "interrupted") return { exitCode: EXIT.interrupted };
  if (why !== "detached") return turn;
  sayGoesOn(terminal, session, "attach");
  return { exitCode: EXIT.ok };
}

interface Clock {
  readonly isOver: () => boolean;
  /** Aborts when a turn that was interrupted does not end. */
  readonly signal: AbortSignal;
  readonly stop: () => void;
}

/** Interrupts the turn when its time is over. */
function createClock(terminal: Terminal, client: Client, id: string, waitMs: number | null): Clock {
  let isOver = false;
  const giveUp = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const end = (): void => {
    isOver = true;
    terminal.complain("The time is over: interrupting the turn.");
    client.call("session.interrupt", { id }).catch(() => giveUp.abort());
    timer = setTimeout(() => giveUp.abort(), ENDING_MS);
  };
  if (waitMs !== null) timer = setTimeout(end, waitMs);
  return { isOver: () => isOver, signal: giveUp.signal, stop: () => clearTimeout(timer) };
}

/** The answer alone, for another program; what went wrong goes to standard error. */
function printAnswer(terminal: Terminal, result: RunResult): void {
  if ("value" in result) terminal.printJson(result.value);
  else if (result.response !== "") terminal.printContent(`${result.response}\n`);
  if (result.error !== null && result.error.code !== "schema_unmet")
    terminal.complain(`[error] ${result.error.message}`);
}

/** The first Ctrl-C interrupts the turn and shows what it left; the second one exits at once. */
function interruptByHand(terminal: Terminal, client: Client, id: string, leave: AbortController): () => void {
  let asked = false;
  const onInterrupt = (): void => {
    if (asked) leave.abort();
    else {
      asked = true;
      terminal.complain("interrupting the turn; press Ctrl-C again to leave");
      client.call("session.interrupt", { id }).catch(() => leave.abort());
    }
  };
  process.on("SIGINT", onInterrupt);
  return () => process.off("SIGINT", onInterrupt);
}
