import { type Client, ClientError } from "../../client/index.ts";
import { isForeground, openKeyInput, suspendProcess } from "../screen/key-input.ts";
import { chord, type Key } from "../screen/keys.ts";
import { red } from "../screen/styled.ts";
import type { Terminal } from "../terminal.ts";
import { type Completion, commonStart, completionsOf } from "./complete.ts";
import type { Editor } from "./editor.ts";
import { editByKey } from "./editor-keys.ts";
import { editOutside } from "./external-editor.ts";
import type { InputArea } from "./input-area.ts";
import { openPromptHistory } from "./prompt-history.ts";
import { ownCommands } from "./slash-commands.ts";
import type { TextTaker } from "./take-text.ts";

export interface TypingParts {
  readonly terminal: Terminal;
  readonly client: Client;
  readonly session: { readonly id: string; readonly cwd: string };
  readonly editor: Editor;
  readonly area: InputArea;
  readonly taker: TextTaker;
  readonly offered: () => readonly Completion[];
  readonly isBusy: () => boolean;
  /** `run`: a second Ctrl-C leaves. */
  readonly isRun: boolean;
  readonly leave: (why: "detached" | "interrupted") => void;
}

const OFFERED_MAX = 8;

/** The keys while a person talks to a session. */
export function openTyping(parts: TypingParts): { readonly close: () => void } {
  const { terminal, client, session, editor, area, taker } = parts;
  const history = openPromptHistory(client, session.id);
  let interrupts = 0;

  const commands = (): readonly Completion[] => [...ownCommands(), ...parts.offered()];
  const offer = (): void => {
    const found = completionsOf(editor.before(), commands(), session.cwd).found.slice(0, OFFERED_MAX);
    const widest = Math.max(0, ...found.map(({ text }) => text.length));
    area.offer(found.map(({ text, hint }) => `${text.padEnd(widest)}  ${hint}`.trimEnd()));
  };
  const complete = (): void => {
    const { replaces, found } = completionsOf(editor.before(), commands(), session.cwd);
    const [only] = found;
    if (only === undefined) return;
    const isCommand = only.text.startsWith("/") && found.length === 1;
    editor.replaceBefore(replaces, isCommand ? `${only.text} ` : commonStart(found));
    offer();
  };
  const enter = (): void => {
    const text = editor.text();
    if (editor.before().endsWith("\\")) editor.replaceBefore(1, "\n");
    else if (text.trim() !== "") send(text);
  };
  const send = (text: string): void => {
    interrupts = 0;
    if (!taker.take(text)) return;
    history.add(text);
    editor.set("");
    area.offer([]);
  };
  const interrupt = (): void => {
    if (!editor.isEmpty()) {
      editor.cut("all");
      return;
    }
    interrupts += 1;
    if (!parts.isBusy()) area.notice("Nothing runs. Ctrl-D leaves; the session stays.");
    else if (parts.isRun && interrupts > 1) parts.leave("interrupted");
    else interruptTurn();
  };
  const interruptTurn = (): void => {
    area.notice(parts.isRun ? "Interrupting the turn; Ctrl-C again leaves." : "Interrupting the turn.");
    client.call("session.interrupt", { id: session.id }).catch((thrown: unknown) => {
      if (!(thrown instanceof ClientError)) throw thrown;
      area.print([red(`✗ ${thrown.message} ${thrown.remedy}`)]);
    });
  };
  /** Gives the terminal to something else, and draws again when it is back. */
  const aside = async (work: () => Promise<void>): Promise<void> => {
    area.hide();
    keys.pause();
    await work().catch((thrown: unknown) => area.notice(thrown instanceof Error ? thrown.message : String(thrown)));
    keys.resume();
    area.draw();
  };
  const actions: { readonly [chord: string]: () => void } = {
    enter,
    tab: complete,
    up: () => {
      if (!editor.move("up", textColumns(terminal))) recallEarlier();
    },
    down: () => {
      if (!editor.move("down", textColumns(terminal))) recall(history.later());
    },
    "ctrl-p": () => recallEarlier(),
    "ctrl-n": () => recall(history.later()),
    "ctrl-c": interrupt,
    "ctrl-d": () => (editor.isEmpty() ? parts.leave("detached") : editor.cut("right")),
    "ctrl-g": () => void aside(async () => editor.set(await editOutside(terminal, editor.text()))),
    "ctrl-z": () => void aside(suspendProcess),
    "ctrl-l": () => terminal.clearScreen(),
  };
  const recallEarlier = (): void => {
    const earlier = history.earlier(editor.text());
    if (earlier !== null) recall(earlier);
    // Right after the start they may still be on their way.
    else if (editor.isEmpty()) void history.ready.then(() => editor.isEmpty() && recall(history.earlier("")));
  };
  const recall = (text: string | null): void => {
    if (text === null) return;
    editor.set(text);
    area.draw();
  };
  const hear = (key: Key): void => {
    area.notice(null);
    const wasEmpty = editor.isEmpty();
    const action = actions[chord(key)];
    if (action !== undefined) action();
    else if (editByKey(editor, key)) {
      if (wasEmpty) taker.begun();
      offer();
    }
    area.draw();
  };
  const keys = openKeyInput(terminal, hear, () => parts.leave("detached"));
  return { close: keys.close };
}

/** Whether a person can type here: a terminal that can redraw, in the foreground. */
export function canTalk(terminal: Terminal): boolean {
  return terminal.isKeyboard() && terminal.hasCursor && isForeground();
}

function textColumns({ columns }: Terminal): number {
  return Math.max(8, columns - 1) - 2;
}
