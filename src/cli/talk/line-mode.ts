import { createInterface } from "node:readline";
import type { Client, Session, StreamItem } from "../../client/index.ts";
import { memberOf } from "../../kernel/index.ts";
import type { Text } from "../screen/styled.ts";
import type { Picked } from "../slash/slash-context.ts";
import type { Terminal } from "../terminal.ts";
import { createTranscript } from "../transcript/transcript.ts";
import { createChatFacts } from "./chat-facts.ts";
import { createOpenQuestions } from "./open-questions.ts";
import { createTextTaker } from "./take-text.ts";
import type { Ended } from "./talk-options.ts";

export interface LineModeOptions {
  readonly session: Session;
  readonly after: number;
  readonly json: boolean;
  readonly verbose: boolean;
  /** After each turn a line with agent, model, cost and context. */
  readonly hasStatus?: boolean;
}

/** A line of facts, however long: nothing has to fit beside it. */
const STATUS_COLUMNS = 400;

/**
 * Without a cursor: each line is a prompt. Lines of a keyboard can also answer questions; a pipe only
 * prompts, and when it ends, the last turn is still shown to its end.
 */
export async function talkByLine(terminal: Terminal, client: Client, options: LineModeOptions): Promise<Ended["to"]> {
  const { after, json, verbose } = options;
  const { id, name, agent } = options.session;
  const isKeyboard = terminal.isKeyboard();
  const answers = isKeyboard ? { answers: "here" as const } : {};
  const shown = { prompts: () => !isKeyboard, ...answers, verbose, who: `${name} (${agent})` };
  const transcript = createTranscript(terminal, shown);
  const talk = createLineTalk(terminal, client, options);
  try {
    for await (const item of client.stream("session.stream", { id }, { after, signal: talk.signal })) {
      if (json) terminal.printJson(item);
      else transcript.show(item);
      talk.hear(item);
    }
  } finally {
    talk.close();
    transcript.close();
    process.stdin.unref?.();
  }
  return talk.to();
}

/** The lines, the signals, and what the stream says about both. */
function createLineTalk(terminal: Terminal, client: Client, { session, hasStatus }: LineModeOptions) {
  const { id } = session;
  const leave = new AbortController();
  const questions = createOpenQuestions();
  const underWay = new Set<string>();
  let isOver = false;
  const isKeyboard = terminal.isKeyboard();
  const say = (text: string): void => terminal.complain(text);
  const facts = hasStatus === true ? createChatFacts(client, session, () => undefined) : null;
  let to: Ended["to"] = null;
  let isBusy = session.busy;
  let interrupts = 0;
  const taker = createTextTaker({
    context: {
      ...lineContext(terminal, client, session),
      goTo: (next, isNew) => {
        to = { session: next, isNew };
        leave.abort();
      },
      detach: () => leave.abort(),
    },
    question: () => (isKeyboard ? questions.first() : null),
    agentCommands: () => [],
    notice: say,
    admitted: (turnId) => void underWay.add(turnId),
    giveBack: () => undefined,
    onLost: () => say("The connection to the daemon is lost; trying again."),
    signal: leave.signal,
  });
  const interrupt = (): void => {
    interrupts += 1;
    if (isKeyboard && (interrupts > 1 || !isBusy)) leave.abort();
    else interruptTurn(client, id, isKeyboard ? say : null);
  };
  const leaveWhenDone = (): void => {
    if (isOver && (underWay.size === 0 || isKeyboard)) leave.abort();
  };
  const lines = readLines(
    (line) => {
      interrupts = 0;
      if (isKeyboard) taker.begun();
      // The lines of a pipe are prompts one after the other.
      taker.take(line, isKeyboard ? "steer" : "queue");
    },
    () => {
      isOver = true;
      taker.settled().then(leaveWhenDone, leaveWhenDone);
    },
  );
  const stopListening = onSignals(interrupt, () => leave.abort());
  return {
    signal: leave.signal,
    to: () => to,
    hear: (item: StreamItem): void => {
      facts?.hear(item);
      if (item.event === "status") {
        if (isBusy && !item.data.busy && facts !== null) say(facts.line(STATUS_COLUMNS));
        isBusy = item.data.busy;
      }
      if (item.event !== "event") return;
      questions.hear(item.data);
      if (item.data.type !== "turn.ended@1") return;
      const turnId = String(memberOf(item.data.data, "turnId"));
      // The end of the turn may arrive before the answer to the prompt.
      void taker.settled().then(() => underWay.delete(turnId) && leaveWhenDone());
    },
    close: (): void => {
      stopListening();
      lines.close();
    },
  };
}

function interruptTurn(client: Client, id: string, say: ((text: string) => void) | null): void {
  say?.("Interrupting the turn; Ctrl-C again leaves.");
  client.call("session.interrupt", { id }).catch(() => undefined);
}

/** Commands without a cursor: a list is printed, and a person names what they want. */
function lineContext(terminal: Terminal, client: Client, session: Session) {
  const { id, name } = session;
  return {
    ...{ terminal, client, id, name, session },
    pick: async <T>({ title, choices, how }: Picked<T>): Promise<T | null> => {
      for (const line of [`${title}:`, ...choices.map(lineOf), how]) if (line !== "") terminal.complain(line);
      return null;
    },
    rereadCommands: async (): Promise<number> =>
      (await client.call("session.offer", { id })).offer?.commands.length ?? 0,
    print: (lines: readonly Text[]): void => {
      for (const line of lines) terminal.complain(line);
    },
  };
}

function lineOf({ text, hint = "" }: { readonly text: string; readonly hint?: string }): string {
  return `  ${text.trim()}${hint === "" ? "" : `: ${hint}`}`;
}

function readLines(hear: (line: string) => void, onEnd: () => void): { readonly close: () => void } {
  process.stdin.ref?.();
  const lines = createInterface({ input: process.stdin, terminal: false });
  lines.on("line", (line) => {
    if (line.trim() !== "") hear(line);
  });
  lines.on("close", onEnd);
  return { close: () => lines.close() };
}

function onSignals(interrupt: () => void, stop: () => void): () => void {
  process.on("SIGINT", interrupt);
  process.once("SIGTERM", stop);
  return () => {
    process.off("SIGINT", interrupt);
    process.off("SIGTERM", stop);
  };
}
