import { createInterface } from "node:readline";
import type { Client, Session, StreamItem } from "../../client/index.ts";
import { memberOf } from "../../kernel/index.ts";
import type { Terminal } from "../terminal.ts";
import { createTranscript } from "../transcript/transcript.ts";
import { createOpenQuestions } from "./open-questions.ts";
import { createTextTaker } from "./take-text.ts";

export interface LineModeOptions {
  readonly session: Session;
  readonly after: number;
  readonly json: boolean;
  readonly verbose: boolean;
}

/**
 * Without a cursor: each line is a prompt. Lines of a keyboard can also answer questions; a pipe only
 * prompts, and when it ends, the last turn is still shown to its end.
 */
export async function talkByLine(terminal: Terminal, client: Client, options: LineModeOptions): Promise<void> {
  const { after, json, verbose } = options;
  const { id, name, agent } = options.session;
  const leave = new AbortController();
  const questions = createOpenQuestions();
  const underWay = new Set<string>();
  let isOver = false;
  const isKeyboard = terminal.isKeyboard();
  const say = (text: string): void => terminal.complain(text);
  const taker = createTextTaker({
    context: {
      ...{ terminal, client, id, name },
      print: (lines) => {
        for (const line of lines) terminal.complain(line);
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
  const leaveWhenDone = (): void => {
    if (isOver && (underWay.size === 0 || isKeyboard)) leave.abort();
  };
  const lines = readLines(
    (line) => {
      if (isKeyboard) taker.begun();
      taker.take(line);
    },
    () => {
      isOver = true;
      taker.settled().then(leaveWhenDone, leaveWhenDone);
    },
  );
  const stopListening = onSignals(
    () => void client.call("session.interrupt", { id }).catch(() => undefined),
    () => leave.abort(),
  );
  const transcript = createTranscript(terminal, {
    prompts: () => !isKeyboard,
    ...(isKeyboard ? { answers: "here" as const } : {}),
    verbose,
    who: `${name} (${agent})`,
  });
  const hear = (item: StreamItem): void => {
    if (item.event !== "event") return;
    questions.hear(item.data);
    if (item.data.type !== "turn.ended@1") return;
    const turnId = String(memberOf(item.data.data, "turnId"));
    // The end of the turn may arrive before the answer to the prompt.
    void taker.settled().then(() => underWay.delete(turnId) && leaveWhenDone());
  };
  try {
    for await (const item of client.stream("session.stream", { id }, { after, signal: leave.signal })) {
      if (json) terminal.printJson(item);
      else transcript.show(item);
      hear(item);
    }
  } finally {
    stopListening();
    transcript.close();
    lines.close();
    process.stdin.unref?.();
  }
}

function readLines(hear: (line: string) => void, onEnd: () => void): { readonly close: () => void } {
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
