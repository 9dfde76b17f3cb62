import { type Client, ClientError, type Session, type StreamItem } from "../../client/index.ts";
import { memberOf } from "../../kernel/index.ts";
import { expectWords, parseArguments } from "../arguments.ts";
import { type Keyboard, openKeyboard } from "../attach/keyboard.ts";
import { createPendingQuestion } from "../attach/pending-question.ts";
import { connect } from "../daemon/connect.ts";
import { EVERYDAY } from "../everyday.ts";
import { createTranscript } from "../print/transcript.ts";
import { beforeLast } from "../recent.ts";
import { dim } from "../screen/styled.ts";
import { EXIT, type RunCommand, type Terminal } from "../terminal.ts";

const EVENTS_SHOWN = 60;

export const run: RunCommand = async (terminal, { args, json }) => {
  const { positionals } = parseArguments(args, {});
  expectWords(positionals, ["SESSION"], EVERYDAY.attach.usage);
  const client = await connect(terminal);
  const session = await client.call("session.show", { id: positionals[0] ?? "" });
  if (terminal.isScreen && !json)
    terminal.print(dim(`${session.name} (${session.state}) - Ctrl-C interrupts the turn, Ctrl-D detaches`));
  const after = await beforeLast(client, session.id, EVENTS_SHOWN);
  const leave = new AbortController();
  const keyboard = openKeyboard(terminal);
  const conversation = converse(terminal, client, session, keyboard, leave);
  const options = {
    prompts: (admitted: unknown) => !conversation.isEcho(admitted),
    answersHere: keyboard.bottom !== null,
  };
  const transcript = createTranscript(terminal, options, keyboard.bottom ?? undefined);
  try {
    for await (const item of client.stream("session.stream", { id: session.id }, { after, signal: leave.signal })) {
      if (json) terminal.printJson(item);
      else transcript.show(item);
      conversation.hear(item);
    }
  } finally {
    transcript.close();
    conversation.close();
  }
  return EXIT.ok;
};

interface Conversation {
  /** Whether this prompt was typed in this terminal, so that it is already on the screen. */
  readonly isEcho: (admitted: unknown) => boolean;
  readonly hear: (item: StreamItem) => void;
  readonly close: () => void;
}

/** Reads input beside the stream. When a pipe ends, the last turn is still shown to its end. */
function converse(
  terminal: Terminal,
  client: Client,
  { id }: Session,
  keyboard: Keyboard,
  leave: AbortController,
): Conversation {
  const typed: string[] = [];
  const underWay = new Set<string>();
  const question = createPendingQuestion(client);
  let sending = Promise.resolve();
  let isOver = false;
  const leaveWhenDone = (): void => {
    if (isOver && (underWay.size === 0 || terminal.isKeyboard())) leave.abort();
  };
  keyboard.onLine((line) => {
    if (line.trim() === "") return;
    const answer = terminal.isKeyboard() ? question.answer(line.trim()) : null;
    if (answer === null && terminal.isKeyboard() && terminal.isScreen) typed.push(line);
    const prompt = () => client.call("session.prompt", { id, prompt: line, queue: true });
    sending = sending
      .then(() => (answer === null ? prompt().then(({ turnId }) => void underWay.add(turnId)) : answer()))
      .catch((thrown: unknown) => complain(terminal, thrown));
  });
  keyboard.onEnd(() => {
    isOver = true;
    sending.then(leaveWhenDone, leaveWhenDone);
  });
  const interrupt = (): void => {
    client.call("session.interrupt", { id }).catch((thrown: unknown) => complain(terminal, thrown));
  };
  keyboard.onInterrupt(interrupt);
  const stop = () => leave.abort();
  process.once("SIGTERM", stop);
  return {
    isEcho: (admitted) => {
      const at = typed.indexOf(String(memberOf(admitted, "prompt")));
      if (at >= 0) typed.splice(at, 1);
      return at >= 0;
    },
    hear: (item) => {
      if (item.event !== "event") return;
      question.hear(item.data);
      if (item.data.type !== "turn.ended@1") return;
      const turnId = String(memberOf(item.data.data, "turnId"));
      // The end of the turn may arrive before the answer to the prompt.
      sending = sending.then(() => void underWay.delete(turnId)).then(leaveWhenDone);
    },
    close: () => {
      process.off("SIGTERM", stop);
      keyboard.close();
    },
  };
}

function complain(terminal: Terminal, thrown: unknown): void {
  if (!(thrown instanceof ClientError)) throw thrown;
  terminal.complain(`${thrown.message} ${thrown.remedy}`);
}
