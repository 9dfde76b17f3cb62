import { randomUUID } from "node:crypto";
import { ClientError } from "../../client/index.ts";
import { nearest } from "../../domains/index.ts";
import { giveAnswer } from "../questions/give-answer.ts";
import { type AskedQuestion, readAnswer } from "../questions/question-facts.ts";
import { dim, red } from "../screen/styled.ts";
import type { Completion } from "./complete.ts";
import { persistently } from "./persistently.ts";
import { SLASH_COMMANDS, type SlashContext } from "./slash-commands.ts";

export interface TextParts {
  readonly context: SlashContext;
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
  /** True when the text was taken; otherwise it stays where it is and a notice says why. */
  readonly take: (text: string) => boolean;
  /** Resolves when everything taken so far was answered. */
  readonly settled: () => Promise<void>;
}

const ANSWER_FIRST = "A question came while you typed. Answer it first; your text is kept.";
const NO_ANSWER = "Not an answer, so nothing was sent. Type y, n, or one of the letters above.";
const ANSWERED = "The question was answered elsewhere. Enter sends this text as a prompt.";

/** While a question is open, text is an answer; otherwise a command or a prompt. Nothing is sent that could mean two things. */
export function createTextTaker(parts: TextParts): TextTaker {
  const { context, signal } = parts;
  const { client, id } = context;
  let meantFor: string | null = null;
  let sending: Promise<void> = Promise.resolve();

  const send = (text: string, call: () => Promise<void>): void => {
    sending = sending.then(call).catch((thrown: unknown) => {
      if (signal.aborted) return;
      if (!(thrown instanceof ClientError)) throw thrown;
      context.print([red(`✗ ${thrown.message} ${thrown.remedy}`)]);
      parts.giveBack(text);
    });
  };
  /** The same key each time: a call whose answer was lost is asked again and done once. */
  const sendSurely = (text: string, call: (key: string) => Promise<void>): void => {
    const key = randomUUID();
    send(text, () => persistently(() => call(key), signal, parts.onLost));
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
      context.print([dim(`> ${text.trim()}`)]);
      send(text, async () => own.run(context, words.trim()));
      return true;
    }
    const theirs = parts.agentCommands().map(({ text: one }) => one.slice(1));
    if (theirs.includes(name)) return null;
    const meant = nearest(name, [...Object.keys(SLASH_COMMANDS), ...theirs]);
    parts.notice(`There is no command /${name}.${meant === null ? " /help lists them." : ` Did you mean /${meant}?`}`);
    return false;
  };
  const prompt = (text: string): void =>
    sendSurely(text, async (idempotencyKey) => {
      const { turnId } = await client.call("session.prompt", { id, prompt: text, queue: true }, { idempotencyKey });
      parts.admitted(turnId);
    });
  return {
    begun: () => {
      meantFor = parts.question()?.id ?? null;
    },
    take: (text) => {
      const isCommand = text.startsWith("/") ? command(text) : null;
      if (isCommand !== null) return isCommand;
      const asked = parts.question();
      if (asked !== null) return answer(asked, text);
      if (meantFor !== null) {
        meantFor = null;
        parts.notice(ANSWERED);
        return false;
      }
      prompt(text);
      return true;
    },
    settled: () => sending,
  };
}
