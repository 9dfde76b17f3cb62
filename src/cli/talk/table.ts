import type { Client, Session, StreamItem } from "../../client/index.ts";
import { memberOf } from "../../kernel/index.ts";
import { connect } from "../daemon/connect.ts";
import { createPicker, type Picker } from "../screen/picker.ts";
import { fitLines } from "../slash/fit-lines.ts";
import type { Picked } from "../slash/slash-context.ts";
import type { Terminal } from "../terminal.ts";
import { type AwaitedTurns, createAwaitedTurns } from "./awaited-turns.ts";
import { type ChatFacts, createChatFacts } from "./chat-facts.ts";
import type { Completion } from "./complete.ts";
import { createEditor, type Editor } from "./editor.ts";
import { createInputArea, type InputArea } from "./input-area.ts";
import { createOpenQuestions } from "./open-questions.ts";
import { createTextTaker, type TextTaker } from "./take-text.ts";
import type { Ended, TalkOptions } from "./talk-options.ts";

/** What the keys and the stream share. */
export interface Table {
  readonly editor: Editor;
  readonly area: InputArea;
  readonly taker: TextTaker;
  readonly turns: AwaitedTurns;
  readonly leave: AbortController;
  readonly ended: { why: Ended["why"]; to: Ended["to"] };
  readonly end: (why: Ended["why"]) => void;
  readonly commands: () => readonly Completion[];
  readonly picker: () => Picker | null;
  readonly isBusy: () => boolean;
  readonly hear: (item: StreamItem) => void;
}

export const CONNECTION_LOST = "Connection lost; trying again. Your text is kept and is sent only once.";

const BELL_WITHIN_MS = 5_000;

export function createTable(terminal: Terminal, client: Client, { session, until, hasStatus }: TalkOptions): Table {
  const { id, name } = session;
  const leave = new AbortController();
  const ended: { why: Ended["why"]; to: Ended["to"] } = { why: "session", to: null };
  const turns = createAwaitedTurns(until);
  const questions = createOpenQuestions();
  const editor = createEditor();
  const area = createInputArea(terminal, editor);
  const facts: ChatFacts | null = hasStatus === true ? createChatFacts(client, session, area.draw) : null;
  if (facts !== null) area.status(facts.line);
  let commands: readonly Completion[] = [];
  let picker: Picker | null = null;
  let isBusy = session.busy;
  const end = (why: Ended["why"]): void => {
    ended.why = why;
    leave.abort();
  };
  const pick = <T>({ title, choices }: Picked<T>): Promise<T | null> =>
    new Promise((resolve) => {
      const done = (value: T | null): void => {
        picker = null;
        area.panel(null);
        resolve(value);
      };
      picker = createPicker(title, choices, done);
      area.panel(picker);
    });
  const goTo = (to: Session, isNew: boolean): void => {
    if (until !== null) area.print([`Next: nomos chat -s ${to.name}`]);
    else {
      ended.to = { session: to, isNew };
      end("elsewhere");
    }
  };
  const rereadCommands = async (): Promise<number> => {
    const { offer } = await client.call("session.offer", { id });
    commands = commandsIn(offer);
    return commands.length;
  };
  const taker = createTextTaker({
    context: {
      ...{ terminal, client, id, name, session, pick, goTo, rereadCommands },
      print: (lines) => area.print(fitLines(lines, terminal.columns)),
      detach: () => end("detached"),
    },
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
    facts?.hear(item);
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
  return {
    ...{ editor, area, taker, turns, leave, ended, end, hear },
    commands: () => commands,
    picker: () => picker,
    isBusy: () => isBusy,
  };
}

function commandsIn(offer: unknown): readonly Completion[] {
  const commands = memberOf(offer, "commands");
  if (!Array.isArray(commands)) return [];
  return commands.map((command) => ({
    text: `/${String(memberOf(command, "name"))}`,
    hint: String(memberOf(command, "description") ?? ""),
  }));
}
