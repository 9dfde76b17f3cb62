import { createInterface } from "node:readline";
import { type Client, ClientError, type Session, type StreamItem } from "../../client/index.ts";
import { expectWords, parseArguments } from "../arguments.ts";
import { connect } from "../daemon/connect.ts";
import { EVERYDAY } from "../everyday.ts";
import { dim } from "../print/colour.ts";
import { memberOf, printTranscript } from "../print/transcript.ts";
import { beforeLast } from "../recent.ts";
import { EXIT, type RunCommand, type Terminal } from "../terminal.ts";

const EVENTS_SHOWN = 60;

export const run: RunCommand = async (terminal, { args, json }) => {
  const { positionals } = parseArguments(args, {});
  expectWords(positionals, ["SESSION"], EVERYDAY.attach.usage);
  const client = await connect(terminal);
  const session = await client.call("session.show", { id: positionals[0] ?? "" });
  if (terminal.isScreen)
    terminal.print(dim(terminal, `${session.name} (${session.state}) - Ctrl-C interrupts the turn, Ctrl-D detaches`));
  const after = await beforeLast(client, session.id, EVENTS_SHOWN);
  const leave = new AbortController();
  const conversation = converse(terminal, client, session, leave);
  try {
    for await (const item of client.stream("session.stream", { id: session.id }, { after, signal: leave.signal })) {
      if (json) terminal.print(JSON.stringify(item));
      else printTranscript(terminal, item, { prompts: !conversation.isEcho(item) });
      if (item.event === "event" && item.data.type === "turn.ended@1")
        conversation.turnEnded(String(memberOf(item.data.data, "turnId")));
    }
  } finally {
    conversation.close();
  }
  return EXIT.ok;
};

interface Conversation {
  /** Whether this is a prompt that was typed right here: it stands on the screen already. */
  readonly isEcho: (item: StreamItem) => boolean;
  readonly turnEnded: (turnId: string) => void;
  readonly close: () => void;
}

/** What a person types, or a program sends, beside the stream. A program's last line does not end it half way. */
function converse(terminal: Terminal, client: Client, { id }: Session, leave: AbortController): Conversation {
  // The terminal itself shows what is typed and edits it; so nothing here stands in the way of its Ctrl-C and Ctrl-D.
  const keyboard = createInterface({ input: process.stdin, terminal: false });
  const typed: string[] = [];
  const underWay = new Set<string>();
  let sending = Promise.resolve();
  let isOver = false;
  const leaveWhenDone = (): void => {
    if (isOver && (underWay.size === 0 || terminal.isKeyboard())) leave.abort();
  };
  keyboard.on("line", (line) => {
    if (line.trim() === "") return;
    if (terminal.isKeyboard() && terminal.isScreen) typed.push(line);
    sending = sending
      .then(() => client.call("session.prompt", { id, prompt: line, queue: true }))
      .then(({ turnId }) => void underWay.add(turnId))
      .catch((thrown: unknown) => complain(terminal, thrown));
  });
  keyboard.on("close", () => {
    isOver = true;
    sending.then(leaveWhenDone, leaveWhenDone);
  });
  const interrupt = (): void => {
    client.call("session.interrupt", { id }).catch((thrown: unknown) => complain(terminal, thrown));
  };
  process.on("SIGINT", interrupt);
  const stop = () => leave.abort();
  process.once("SIGTERM", stop);
  return {
    isEcho: (item) => {
      if (item.event !== "event" || item.data.type !== "turn.admitted@1") return false;
      const at = typed.indexOf(String(memberOf(item.data.data, "prompt")));
      if (at >= 0) typed.splice(at, 1);
      return at >= 0;
    },
    turnEnded: (turnId) => {
      // The end may be heard before the answer to the prompt is.
      sending = sending.then(() => void underWay.delete(turnId)).then(leaveWhenDone);
    },
    close: () => {
      process.off("SIGINT", interrupt);
      process.off("SIGTERM", stop);
      keyboard.close();
      process.stdin.unref?.();
    },
  };
}

function complain(terminal: Terminal, thrown: unknown): void {
  if (!(thrown instanceof ClientError)) throw thrown;
  terminal.complain(`${thrown.message} ${thrown.remedy}`);
}
