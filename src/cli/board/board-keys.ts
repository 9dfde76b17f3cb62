import { randomUUID } from "node:crypto";
import { connect } from "../daemon/connect.ts";
import { giveAnswer } from "../questions/give-answer.ts";
import { type Answer, type AskedQuestion, readAnswer } from "../questions/question-facts.ts";
import { chord, type Key } from "../screen/keys.ts";
import { editByKey } from "../talk/editor-keys.ts";
import { startSession } from "./board-actions.ts";
import type { Board } from "./board-context.ts";
import { askForkOf, askKillOf, chooseNew, chooseRewind, showDiff } from "./board-dialogs.ts";
import { helpLines } from "./board-screen.ts";
import { LIST, selectedAt, selectedRow } from "./board-state.ts";

/** A question that appeared this short a time ago was not read: the key was meant for something else. */
const UNREAD_MS = 400;
const WHEEL_LINES = 3;

export function handleKey(board: Board, key: Key): void {
  const { mode } = board.state;
  const pressed = chord(key);
  if (pressed === "ctrl-c" && mode.is === "list") board.leave();
  else if (pressed === "escape" || pressed === "ctrl-c") back(board);
  else if (pressed === "ctrl-z") board.suspend();
  else if (mode.is === "list") onList(board, key, pressed);
  else if (mode.is === "typing" || mode.is === "filter" || mode.is === "ask") onText(board, key, pressed);
  else onDialog(board, key, pressed);
}

function back({ state, editor }: Board): void {
  if (state.mode.is === "filter") state.filter = "";
  state.mode = LIST;
  state.scrolled = 0;
  editor.set("");
}

function beginText({ state }: Board): void {
  state.mode = { is: "typing" };
}

/** Goes on as a text: what was typed so far becomes a task for a new session. */
function write({ state, editor }: Board, begun: string, key: Key): void {
  state.mode = { is: "typing" };
  editor.set(begun);
  editByKey(editor, key);
}

function onList(board: Board, key: Key, pressed: string): void {
  const row = selectedRow(board.state);
  const page = Math.max(1, Math.floor(board.terminal.rows / 3));
  const isAsked = row !== undefined && row.questions.length > 0;
  const scroll = (by: number): void => {
    board.state.scrolled = Math.max(0, board.state.scrolled + (isAsked ? by : -by));
  };
  const moves: { readonly [chord: string]: () => void } = {
    up: () => select(board, selectedAt(board.state) - 1),
    down: () => select(board, selectedAt(board.state) + 1),
    home: () => select(board, 0),
    end: () => select(board, board.state.rows.length - 1),
    pageup: () => scroll(-page),
    pagedown: () => scroll(page),
    wheelup: () => wheel(board, key, -1),
    wheeldown: () => wheel(board, key, 1),
    click: () => click(board, key),
    enter: () => {
      if (row !== undefined) board.attach(row.session.id);
    },
    tab: () => beginText(board),
    "ctrl-d": board.leave,
  };
  const move = moves[pressed];
  if (move !== undefined) move();
  else if (key.name === "paste") write(board, "", key);
  else if (pressed === "text" && !answerByKey(board, key.text) && !command(board, key.text)) write(board, "", key);
}

function select({ state }: Board, at: number): void {
  const row = state.rows[Math.max(0, Math.min(at, state.rows.length - 1))];
  if (row === undefined) return;
  state.selected = row.session.id;
  state.scrolled = 0;
}

function wheel(board: Board, { at }: Key, by: number): void {
  const { visible, listTop } = board.drawn();
  const isInList = at !== undefined && at.row < listTop + visible.length;
  if (isInList) select(board, selectedAt(board.state) + by);
  else {
    const isAsked = (selectedRow(board.state)?.questions.length ?? 0) > 0;
    board.state.scrolled = Math.max(0, board.state.scrolled + (isAsked ? by : -by) * WHEEL_LINES);
  }
}

/** A click selects; on the selected session it attaches. */
function click(board: Board, { at }: Key): void {
  const { visible, listTop } = board.drawn();
  const row = at === undefined ? undefined : visible[at.row - listTop];
  if (row === undefined) return;
  const isSelected = selectedRow(board.state)?.session.id === row.session.id;
  if (isSelected) board.attach(row.session.id);
  else {
    board.state.selected = row.session.id;
    board.state.scrolled = 0;
  }
}

/** True when the key was an answer to the selected session's question. */
function answerByKey(board: Board, text: string): boolean {
  const question = selectedRow(board.state)?.questions[0];
  if (question === undefined || !/^[yax1-9]$/.test(text)) return false;
  const answer = text === "x" ? null : readAnswer(question, text);
  if (text !== "x" && answer === null) return false;
  if (Date.now() - board.questionSinceMs() < UNREAD_MS) {
    board.state.message = { text: "A new question came up: read it first, then press the key again.", isWrong: true };
    return true;
  }
  if (answer !== null) say(board, question, answer);
  else
    board.state.mode = {
      is: "ask",
      label: "No, because (Enter alone: no reason):",
      run: (reason) => say(board, question, { verdict: "reject", reason: reason.trim() || null }),
    };
  return true;
}

function say({ run, client }: Board, { id }: AskedQuestion, answer: Answer): void {
  run(async () => {
    await giveAnswer(client, id, answer, randomUUID());
    if (answer.verdict === "approve") return `Answered: ${answer.option ?? "yes"}.`;
    return answer.reason === null ? "Answered: no." : `Answered: no, ${answer.reason}`;
  });
}

/** True when the letter is a command here. */
function command(board: Board, letter: string): boolean {
  const { state, editor } = board;
  const session = selectedRow(state)?.session;
  const general: { readonly [letter: string]: () => void } = {
    n: () => chooseNew(board),
    "/": () => {
      state.mode = { is: "filter" };
      editor.set(state.filter);
    },
    "?": () => {
      state.scrolled = 0;
      state.mode = { is: "page", title: "Keys of the board", lines: helpLines(board.terminal.columns), opener: "?" };
    },
    ".": () => board.showEnded(!state.showsEnded),
    q: () => {
      const text = "Leave the board? Sessions go on. Enter leaves; keep typing to write a task.";
      state.mode = { is: "confirm", text, opener: "q", run: board.leave };
    },
    i: () => beginText(board),
    " ": () => beginText(board),
  };
  const own = general[letter];
  if (own !== undefined) own();
  else if (letter === "u" && !state.isConnected)
    board.run(() => connect(board.terminal).then(() => "The daemon is up."));
  else if (session !== undefined && letter === "d") showDiff(board, session, null);
  else if (session !== undefined && letter === "r") chooseRewind(board, session);
  else if (session !== undefined && letter === "f") askForkOf(board, session);
  else if (session !== undefined && letter === "k") askKillOf(board, session);
  else return false;
  return true;
}

function onText(board: Board, key: Key, pressed: string): void {
  const { state, editor } = board;
  const { mode } = state;
  if (pressed === "enter") {
    const text = editor.text();
    state.mode = LIST;
    editor.set("");
    if (mode.is === "ask") mode.run(text);
    if (mode.is === "typing" && text.trim() !== "") begin(board, text);
  } else if (pressed === "tab" && mode.is === "typing") chooseNew(board);
  else if (pressed === "backspace" && editor.isEmpty()) back(board);
  else editByKey(editor, key);
  if (mode.is === "filter" && state.mode.is === "filter") state.filter = editor.text();
}

function begin(board: Board, prompt: string): void {
  const { state, client } = board;
  const { agent, folder } = state;
  board.run(async () => {
    const { id, name } = await startSession(client, { agent, folder, prompt }).catch((thrown: unknown) => {
      // The text is not lost: it stands in the input line again.
      state.mode = { is: "typing" };
      board.editor.set(prompt);
      throw thrown;
    });
    state.selected = id;
    return `${name} started.`;
  });
}

function onDialog(board: Board, key: Key, pressed: string): void {
  const { state } = board;
  const { mode } = state;
  if (mode.is !== "confirm" && mode.is !== "page" && mode.is !== "choose") return;
  const page = Math.max(1, board.terminal.rows - 5);
  const scroll = (by: number): void => {
    if (mode.is === "choose") state.mode = { ...mode, at: Math.max(0, Math.min(mode.at + by, mode.items.length - 1)) };
    else state.scrolled = Math.max(0, Math.min(state.scrolled + by, state.scrolled + board.drawn().hidden));
  };
  const keys: { readonly [chord: string]: () => void } = {
    up: () => scroll(-1),
    down: () => scroll(1),
    pageup: () => scroll(-page),
    pagedown: () => scroll(page),
    wheelup: () => scroll(-WHEEL_LINES),
    wheeldown: () => scroll(WHEEL_LINES),
    left: () => mode.is === "page" && mode.turn?.(-1),
    right: () => mode.is === "page" && mode.turn?.(1),
    enter: () => {
      if (mode.is === "page" && mode.isWaiting === true) return;
      state.mode = LIST;
      state.scrolled = 0;
      if (mode.is === "confirm") mode.run();
      if (mode.is === "choose") mode.items[mode.at]?.run();
    },
  };
  const known = keys[pressed];
  if (known !== undefined) known();
  else if (pressed === "text" && key.text === "q" && mode.is === "page") back(board);
  else if (pressed === "text") write(board, mode.opener === "?" ? "" : mode.opener, key);
}
