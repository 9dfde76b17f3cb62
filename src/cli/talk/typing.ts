import { type Client, ClientError } from "../../client/index.ts";
import { isForeground, openKeyInput, suspendProcess } from "../screen/key-input.ts";
import { chord, type Key } from "../screen/keys.ts";
import type { Picker } from "../screen/picker.ts";
import { red } from "../screen/styled.ts";
import { ownCommands } from "../slash/slash-commands.ts";
import type { Terminal } from "../terminal.ts";
import { type Completion, commonStart, completionsOf } from "./complete.ts";
import type { Editor } from "./editor.ts";
import { editByKey } from "./editor-keys.ts";
import { editOutside } from "./external-editor.ts";
import { pastedImage } from "./images.ts";
import type { InputArea } from "./input-area.ts";
import { openPromptHistory } from "./prompt-history.ts";
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
  /** A list that is open takes the keys. */
  readonly picker: () => Picker | null;
  /** Shows a folded output in full; false when there is none. */
  readonly unfold: () => boolean;
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

  const { offer, complete } = createOffers(parts);
  const enter = (): void => {
    const text = editor.text();
    if (editor.before().endsWith("\\")) editor.replaceBefore(1, "\n");
    else if (text.trim() !== "") send(text, "steer");
  };
  const send = (text: string, how: "steer" | "queue"): void => {
    interrupts = 0;
    if (!taker.take(text, how)) return;
    history.add(text);
    editor.set("");
    area.offer([]);
  };
  /** Once interrupts the turn, twice leaves; what is typed is cleared first. */
  const interrupt = (): void => {
    if (!editor.isEmpty()) {
      editor.cut("all");
      return;
    }
    interrupts += 1;
    if (interrupts > 1) parts.leave(parts.isRun ? "interrupted" : "detached");
    else if (parts.isBusy()) interruptTurn();
    else area.notice("Nothing runs. Ctrl-C again or Ctrl-D leaves; the session stays.");
  };
  /** Leaves what is typed as it is. */
  const stopTurn = (): void => {
    area.offer([]);
    if (parts.isBusy()) interruptTurn();
  };
  const interruptTurn = (): void => {
    area.notice("Interrupting the turn; Ctrl-C again leaves.");
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
    escape: stopTurn,
    "ctrl-x": () => {
      if (editor.text().trim() !== "") send(editor.text(), "queue");
    },
    "ctrl-o": () => {
      if (!parts.unfold()) area.notice("There is no other folded output.");
    },
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
    const picker = parts.picker();
    if (picker !== null) {
      picker.hear(key);
      area.draw();
      return;
    }
    area.notice(null);
    const wasEmpty = editor.isEmpty();
    if (chord(key) !== "ctrl-c") interrupts = 0;
    const action = actions[chord(key)];
    if (action !== undefined) action();
    else if (attachPasted(key) || editByKey(editor, key)) {
      if (wasEmpty) taker.begun();
      offer();
    }
    area.draw();
  };
  /** The path of a picture that is pasted, or dropped on the terminal, becomes an attachment. */
  const attachPasted = (key: Key): boolean => {
    const image = key.name === "paste" ? pastedImage(key.text, session.cwd) : null;
    if (image !== null) editor.stand(image.mention, `[picture ${image.name}]`);
    return image !== null;
  };
  const keys = openKeyInput(terminal, hear, () => parts.leave("detached"));
  return { close: keys.close };
}

/** What Tab completes, and the list of it below the text. */
function createOffers({ editor, area, session, offered }: TypingParts): {
  readonly offer: () => void;
  readonly complete: () => void;
} {
  const commands = (): readonly Completion[] => [...ownCommands(), ...offered()];
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
  return { offer, complete };
}

/** Whether a person can type here: a terminal that can redraw, in the foreground. */
export function canTalk(terminal: Terminal): boolean {
  return terminal.isKeyboard() && terminal.hasCursor && isForeground();
}

function textColumns({ columns }: Terminal): number {
  return Math.max(8, columns - 1) - 2;
}
