import type { Client, Session, StreamItem } from "../../client/index.ts";
import { memberOf } from "../../kernel/index.ts";
import { connect } from "../daemon/connect.ts";
import { dim } from "../screen/styled.ts";
import type { Terminal } from "../terminal.ts";
import { createTranscript } from "../transcript/transcript.ts";
import { type AwaitedTurns, createAwaitedTurns } from "./awaited-turns.ts";
import type { Completion } from "./complete.ts";
import { createEditor, type Editor } from "./editor.ts";
import { createInputArea, type InputArea } from "./input-area.ts";
import { createOpenQuestions } from "./open-questions.ts";
import { createTextTaker, type TextTaker } from "./take-text.ts";
import { openTyping } from "./typing.ts";

export interface TalkOptions {
  readonly session: Session;
  /** Where in the log to begin to show. */
  readonly after: number;
  /** Ends with this turn, or with the first one admitted, and the ones typed meanwhile. Null: a person leaves. */
  readonly until: { readonly turnId: string | null } | null;
  readonly verbose: boolean;
}

/** How it ended: a person left, the awaited turns ended, or the session did. */
export interface Ended {
  readonly why: "detached" | "interrupted" | "turn" | "session";
  readonly outcome: string | null;
}

const CONNECTION_LOST = "Connection lost; trying again. Your text is kept and is sent only once.";

const BELL_WITHIN_MS = 5_000;

/** A person and one session, on one screen: the transcript above, the text being typed below. */
export async function talk(terminal: Terminal, client: Client, options: TalkOptions): Promise<Ended> {
  const { id, name, agent } = options.session;
  const table = layTable(terminal, client, options);
  const { area, leave, ended, turns, taker } = table;
  const stop = (): void => table.end("detached");
  process.once("SIGTERM", stop);
  process.once("SIGHUP", stop);
  const typing = openTyping({
    ...{ terminal, client, area, taker, editor: table.editor },
    session: options.session,
    offered: table.commands,
    isBusy: table.isBusy,
    isRun: options.until !== null,
    leave: table.end,
  });
  const who = `${name} (${agent})`;
  const shown = { prompts: () => true, answers: "here" as const, verbose: options.verbose, who };
  const transcript = createTranscript(terminal, shown, area);
  const follow = {
    after: options.after,
    signal: leave.signal,
    reconnectsMax: Number.POSITIVE_INFINITY,
    onBroken: () => area.notice(CONNECTION_LOST),
    onConnected: () => area.notice(null),
  };
  area.draw();
  try {
    for await (const item of client.stream("session.stream", { id }, follow)) {
      if (turns.isShown(item)) transcript.show(item);
      table.hear(item);
      area.draw();
      if (turns.isOver()) await taker.settled();
      if (turns.isOver()) break;
    }
  } finally {
    process.off("SIGTERM", stop);
    process.off("SIGHUP", stop);
    typing.close();
    transcript.close();
  }
  if (ended.why === "detached") terminal.print(dim(`${name} goes on. Come back with: nomos attach ${name}`));
  return { why: turns.isOver() ? "turn" : ended.why, outcome: turns.outcome() };
}

/** What the keys and the stream share. */
interface Table {
  readonly editor: Editor;
  readonly area: InputArea;
  readonly taker: TextTaker;
  readonly turns: AwaitedTurns;
  readonly leave: AbortController;
  readonly ended: { why: Ended["why"] };
  readonly end: (why: Ended["why"]) => void;
  readonly commands: () => readonly Completion[];
  readonly isBusy: () => boolean;
  readonly hear: (item: StreamItem) => void;
}

function layTable(terminal: Terminal, client: Client, { session, until }: TalkOptions): Table {
  const { id, name } = session;
  const leave = new AbortController();
  const ended: { why: Ended["why"] } = { why: "session" };
  const turns = createAwaitedTurns(until);
  const questions = createOpenQuestions();
  const editor = createEditor();
  const area = createInputArea(terminal, editor);
  let commands: readonly Completion[] = [];
  let isBusy = session.busy;
  const end = (why: Ended["why"]): void => {
    ended.why = why;
    leave.abort();
  };
  const taker = createTextTaker({
    context: { terminal, client, id, name, print: area.print, detach: () => end("detached") },
    question: questions.first,
    agentCommands: () => commands,
    notice: area.notice,
    admitted: turns.typed,
    giveBack: (text) => {
      if (editor.isEmpty()) editor.set(text);
      area.draw();
    },
    onLost: async () => {
      area.notice(CONNECTION_LOST);
      // A person has sent something, so the daemon is wanted: start it where none runs, as any command does.
      await connect(terminal).catch(() => undefined);
    },
    signal: leave.signal,
  });
  const hear = (item: StreamItem): void => {
    if (item.event === "status") isBusy = item.data.busy;
    if (item.event !== "event") return;
    const { type, data } = item.data;
    questions.hear(item.data);
    turns.hear(type, data);
    if (type === "driver.offered@1") commands = commandsIn(data);
    // Not for the questions of a history that is being shown.
    if (type === "approval.requested@1" && Date.now() - Date.parse(item.data.at) < BELL_WITHIN_MS) area.bell();
    area.sign(questions.first() === null ? "> " : "? ");
  };
  return { editor, area, taker, turns, leave, ended, end, commands: () => commands, isBusy: () => isBusy, hear };
}

function commandsIn(offer: unknown): readonly Completion[] {
  const commands = memberOf(offer, "commands");
  if (!Array.isArray(commands)) return [];
  return commands.map((command) => ({
    text: `/${String(memberOf(command, "name"))}`,
    hint: String(memberOf(command, "description") ?? ""),
  }));
}
