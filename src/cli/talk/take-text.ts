import { randomUUID } from "node:crypto";
import { ClientError } from "../../client/index.ts";
import { nearest } from "../../domains/index.ts";
import { redactedLine } from "../print/redacted-line.ts";
import { giveAnswer } from "../questions/give-answer.ts";
import { type AskedQuestion, readAnswer } from "../questions/question-facts.ts";
import { dim, red } from "../screen/styled.ts";
import { SLASH_COMMANDS } from "../slash/slash-commands.ts";
import type { SlashContext } from "../slash/slash-context.ts";
import type { Completion } from "./complete.ts";
import { imagesIn } from "./images.ts";
import { persistently } from "./persistently.ts";

export interface TextParts {
  readonly context: Omit<SlashContext, "queue">;
  readonly question: () => AskedQuestion | null;
  /** Commands that the agent itself advertises. */
  readonly agentCommands: () => readonly Completion[];
  readonly notice: (text: string) => void;
  /** A prompt was stored under this turn id. */
  readonly admitted: (turnId: string) => void;
  /** Puts a text that was refused back, unless something else was typed meanwhile. */
  readonly giveBack: (text: string) => void;
  readonly onLost: () => void | Promise<void>;
  readonly signal: AbortSignal;
}

export interface TextTaker {
  /** The first key of a new text was typed: an answer is only taken for the question that was open then. */
  readonly begun: () => void;
  /**
   * True when the text was taken; otherwise it stays where it is and a notice says why. A prompt for a busy session
   * steers its turn where the agent can be steered; otherwise, and with `queue`, it waits for the end of the turn.
   */
  readonly take: (text: string, how?: "steer" | "queue") => boolean;
  /** Resolves when everything taken so far was answered. */
  readonly settled: () => Promise<void>;
}

const ANSWER_FIRST = "A question came while you typed. Answer it first; your text is kept.";
const NO_ANSWER = "Not an answer, so nothing was sent. Type y, n, or one of the letters above.";
const ANSWERED = "The question was answered elsewhere. Enter sends this text as a prompt.";

/** While a question is open, text is an answer; otherwise a command or a prompt. Nothing is sent that could mean two things. */
export function createTextTaker(parts: TextParts): TextTaker {
  const { signal } = parts;
  const { client, id } = parts.context;
  let meantFor: string | null = null;
  let sending: Promise<void> = Promise.resolve();

  const send = (call: () => Promise<void>, onRefused: () => void): void => {
    sending = sending.then(call).catch((thrown: unknown) => {
      if (signal.aborted) return;
      if (!(thrown instanceof ClientError)) throw thrown;
      parts.context.print([red(`✗ ${sentence(thrown.message)} ${thrown.remedy}`)]);
      onRefused();
    });
  };
  /** The same key each time: a call whose answer was lost is asked again and done once. */
  const sendSurely = (text: string, call: (key: string) => Promise<void>): void => {
    const key = randomUUID();
    send(
      () => persistently(() => call(key), signal, parts.onLost),
      () => parts.giveBack(text),
    );
  };
  const answer = (asked: AskedQuestion, text: string): boolean => {
    if (meantFor !== asked.id) {
      meantFor = asked.id;
      parts.notice(ANSWER_FIRST);
      return false;
    }
    const read = readAnswer(asked, text);
    if (read === null) {
      parts.notice(NO_ANSWER);
      return false;
    }
    sendSurely(text, (key) => giveAnswer(client, asked.id, read, key));
    return true;
  };
  const command = (text: string): boolean | null => {
    const [, name = "", words = ""] = /^\/([\w:-]+)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
    if (name === "") return null;
    const own = Object.hasOwn(SLASH_COMMANDS, name) ? SLASH_COMMANDS[name] : undefined;
    if (own !== undefined) {
      // Without a cursor the typed line is still there.
      if (context.terminal.hasCursor) context.print([dim(`> ${text.trim()}`)]);
      // Not given back: it stands above, Up brings it, and the next text must not be taken for a part of it.
      send(
        async () => own.run(context, words.trim()),
        () => undefined,
      );
      return true;
    }
    const theirs = parts.agentCommands().map(({ text: one }) => one.slice(1));
    if (theirs.includes(name)) return null;
    const meant = nearest(name, [...Object.keys(SLASH_COMMANDS), ...theirs]);
    parts.notice(`There is no command /${name}.${meant === null ? " /help lists them." : ` Did you mean /${meant}?`}`);
    return false;
  };
  const give = async (prompt: string, how: "steer" | "queue", idempotencyKey: string): Promise<void> => {
    const attachments = [...(await imagesIn(prompt, parts.context.session.cwd))];
    const asked = { id, prompt, ...(attachments.length === 0 ? {} : { attachments }) };
    const call = (more: { readonly steer?: true; readonly queue?: true }, key: string) =>
      client.call("session.prompt", { ...asked, ...more }, { idempotencyKey: key });
    // A steering message takes no attachments.
    const isSteer = how === "steer" && attachments.length === 0;
    const { turnId, redacted } = await (isSteer
      ? call({ steer: true }, idempotencyKey)
      : call({ queue: true }, idempotencyKey)
    ).catch((thrown: unknown) => {
      if (!(thrown instanceof ClientError) || thrown.code !== "steer_unsupported") throw thrown;
      return call({ queue: true }, `${idempotencyKey}-queued`);
    });
    parts.admitted(turnId);
    const replaced = redactedLine(redacted);
    if (replaced !== null) parts.notice(replaced);
  };
  const prompt = (text: string, how: "steer" | "queue"): void => sendSurely(text, (key) => give(text, how, key));
  const context: SlashContext = { ...parts.context, queue: (text) => give(text, "queue", randomUUID()) };
  return {
    begun: () => {
      meantFor = parts.question()?.id ?? null;
    },
    take: (text, how = "steer") => {
      const isCommand = text.startsWith("/") ? command(text) : null;
      if (isCommand !== null) return isCommand;
      const asked = parts.question();
      if (asked !== null) return answer(asked, text);
      if (meantFor !== null) {
        meantFor = null;
        parts.notice(ANSWERED);
        return false;
      }
      prompt(text, how);
      return true;
    },
    settled: () => sending,
  };
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
