import { homedir } from "node:os";
import { DEMO } from "../follow-turn.ts";
import { cutTo, padTo, widthOf, wrap } from "../print/screen-text.ts";
import { questionFacts } from "../questions/question-facts.ts";
import { harmless, inOneLine } from "../screen/harmless.ts";
import type { Cursor } from "../screen/live-region.ts";
import { bold, dim, joined, red, reverse, type Text, yellow } from "../screen/styled.ts";
import type { Editor } from "../talk/editor.ts";
import type { BoardRow } from "./board-rows.ts";
import { type BoardState, selectedAt, selectedRow } from "./board-state.ts";
import { collisionLine, landingLine, workLine } from "./landing-line.ts";
import { headingLine, rowLines } from "./row-lines.ts";

export interface Drawn {
  readonly lines: readonly Text[];
  readonly cursor: Cursor | null;
  /** The sessions on the screen, and the row that the first of them is in. */
  readonly visible: readonly BoardRow[];
  readonly listTop: number;
  /** Lines of the lower part that do not fit. */
  readonly hidden: number;
}

const FOOT_ROWS = 2;
const LIST_ROWS_MIN = 3;

/** The whole window: counts, the list, what the selected session is about, and the input line. */
export function drawBoard(state: BoardState, editor: Editor, columns: number, rows: number): Drawn {
  const landing = landingLine(state.landings, columns);
  const collision = collisionLine(state.collisions, (id) => nameIn(state, id), columns);
  const work = workLine(state.works, (id) => nameIn(state, id), columns);
  const head = [titleLine(state, columns), landing, collision, work].filter((line) => line !== null);
  const room = Math.max(2, rows - head.length - FOOT_ROWS - 1);
  const { mode } = state;
  const foot = footLines(state, editor, columns);
  const whole = (body: readonly Text[], hidden: number, visible: readonly BoardRow[]): Drawn => ({
    lines: [...head, ...body, ...foot.lines].slice(0, rows),
    cursor: foot.column === null ? null : { row: rows - 1, column: foot.column },
    visible,
    listTop: head.length + 1,
    hidden,
  });
  if (mode.is === "page" || mode.is === "choose") {
    const lines = mode.is === "page" ? mode.lines : choiceLines(mode, columns);
    const from = mode.is === "page" ? state.scrolled : Math.max(0, mode.at - room + 2);
    const shown = lines.slice(from, from + room);
    return whole([bold(cutTo(mode.title, columns)), ...padded(shown, room)], lines.length - from - shown.length, []);
  }
  const listRows = Math.min(
    Math.max(LIST_ROWS_MIN, Math.ceil(room * LIST_SHARE)),
    Math.max(1, state.rows.length),
    room,
  );
  const top = Math.max(0, Math.min(selectedAt(state) - Math.floor(listRows / 2), state.rows.length - listRows));
  const visible = state.rows.slice(top, top + listRows);
  const list = visible.length === 0 ? [dim(nothingHere(state))] : rowLines(visible, selectedAt(state) - top, columns);
  const below = Math.max(0, room - list.length - 1);
  const { shown, rest } = detailLines(state, columns, below);
  const rule = dim(cutTo(ruleText(state, top, rest, columns), columns));
  return whole([headingLine(columns), ...list, rule, ...padded(shown, below)], rest, visible);
}

const LIST_SHARE = 0.45;
const ID_CHARS = 8;

/** A session that a filter hides has no row. */
function nameIn({ rows }: BoardState, id: string): string {
  return rows.find(({ session }) => session.id === id)?.session.name ?? id.slice(0, ID_CHARS);
}

function nothingHere({ filter, isConnected }: BoardState): string {
  if (!isConnected) return "  The daemon does not answer.";
  return filter === "" ? "  No session yet. Type a task and press Enter." : `  No session matches "${filter}".`;
}

function titleLine({ counts, isConnected, filter, showsEnded }: BoardState, columns: number): Text {
  const parts = [...counts].flatMap(([group, count]) =>
    count > 0 ? [`${count} ${group === "needs you" && count > 1 ? "need you" : group}`] : [],
  );
  const left = joined(bold("nomos"), `  ${parts.join(" · ") || "no sessions"}`);
  const notes = [filter === "" ? "" : `filter: ${filter}`, showsEnded ? "with ended" : ""].filter(
    (note) => note !== "",
  );
  if (!isConnected) return joined(bold("nomos"), "  ", red("The daemon is gone; waiting for it. u starts it."));
  return notes.length === 0 ? left : joined(left, "  ", yellow(cutTo(notes.join(", "), Math.max(8, columns - 50))));
}

function ruleText(state: BoardState, top: number, rest: number, columns: number): string {
  const notes = [
    top > 0 ? `${top} more above` : "",
    rest > 0 ? `${rest} more lines: ${selectedRow(state)?.questions[0] === undefined ? "PgUp" : "PgDn"}` : "",
    state.rows.length > 1 ? `${state.rows.length} sessions` : "",
  ].filter((note) => note !== "");
  const text = notes.length === 0 ? "" : `── ${notes.join(" · ")} `;
  return text + "─".repeat(Math.max(0, columns - widthOf(text)));
}

interface Details {
  readonly shown: readonly Text[];
  /** Lines that do not fit. */
  readonly rest: number;
}

/** A question from its first line on; a transcript from its last line back. */
function detailLines(state: BoardState, columns: number, rows: number): Details {
  const row = selectedRow(state);
  if (row === undefined || rows < 1) return { shown: [], rest: 0 };
  const { session, questions } = row;
  const about = [session.name, session.agent, session.state, `sandbox ${session.sandbox}`, shortPath(session.cwd)];
  const head = bold(cutTo(clean(about.join(" · ")), columns));
  const [question] = questions;
  const room = rows - 1;
  if (question === undefined) {
    const end = Math.max(Math.min(room, state.preview.length), state.preview.length - state.scrolled);
    const from = Math.max(0, end - room);
    return { shown: [head, ...state.preview.slice(from, end)], rest: from };
  }
  const more = questions.length > 1 ? [yellow(`${questions.length} questions are open; this is the first`)] : [];
  const facts = [
    ...more,
    ...questionFacts(columns, question, { who: `${session.name} (${session.agent})`, keys: "board" }),
  ];
  const from = Math.min(state.scrolled, Math.max(0, facts.length - room));
  return { shown: [head, ...facts.slice(from, from + room)], rest: Math.max(0, facts.length - from - room) };
}

function choiceLines(mode: Extract<BoardState["mode"], { is: "choose" }>, columns: number): readonly Text[] {
  return mode.items.map(({ label }, at) => {
    const text = cutTo(` ${at === mode.at ? "▸" : " "} ${clean(label)}`, columns);
    return at === mode.at ? reverse(padTo(text, columns)) : text;
  });
}

interface Foot {
  readonly lines: readonly Text[];
  /** The cursor's column in the last line; null when nothing is typed. */
  readonly column: number | null;
}

function footLines(state: BoardState, editor: Editor, columns: number): Foot {
  const { message, mode } = state;
  const said = message === null ? null : cutTo(clean(message.text), columns);
  const first = said === null ? dim(cutTo(hintFor(state, columns), columns)) : (message?.isWrong ? red : yellow)(said);
  if (mode.is === "confirm") return { lines: [first, bold(yellow(cutTo(clean(mode.text), columns)))], column: null };
  if (mode.is === "page" || mode.is === "choose") return { lines: [first, ""], column: null };
  if (mode.is === "list") {
    const where =
      state.agent === DEMO
        ? "type a task for demo (it only follows a script; nomos driver install claude)"
        : `type a task for ${state.agent} in ${shortPath(state.folder)}`;
    return { lines: [first, joined("> ", dim(cutTo(clean(where), columns - 3)))], column: null };
  }
  const sign = mode.is === "ask" ? `${mode.label} ` : mode.is === "filter" ? "/" : "> ";
  const { rows, cursor } = editor.layout(Math.max(8, columns - sign.length - 1));
  const shown = rows[cursor.row] ?? "";
  const more = rows.length > 1 ? dim(` (line ${cursor.row + 1} of ${rows.length})`) : "";
  return { lines: [first, joined(sign, shown, more)], column: sign.length + cursor.column };
}

function hintFor(state: BoardState, columns: number): string {
  const { mode } = state;
  switch (mode.is) {
    case "typing":
      return `Enter starts ${state.agent} · Tab another agent or folder · Alt-Enter new line · Esc back`;
    case "filter":
      return "Enter keeps the filter · Esc removes it";
    case "ask":
      return "Enter sends · Esc back";
    case "confirm":
      return "Enter yes · Esc no";
    case "page":
      return `↑↓ PgUp PgDn scroll${mode.turn === undefined ? "" : " · ←→ other turns"} · Esc back`;
    case "choose":
      return "↑↓ choose · Enter takes it · Esc back";
    case "list":
      return listHint(state, columns);
  }
}

/** The keys that fit; `?` is always among them. */
function listHint(state: BoardState, columns: number): string {
  const question = selectedRow(state)?.questions[0];
  const always = question?.options.includes("always") === true ? ["a always"] : [];
  const answers = question === undefined ? [] : ["y yes", ...always, "x no"];
  const keys = ["Enter attach", "n new", "d diff", "f fork", "k kill", "r rewind", "/ filter"];
  const hint = (count: number): string => [...answers, ...keys.slice(0, count), "? help"].join(" · ");
  const fitting = keys.length - keys.findIndex((_, at) => widthOf(hint(keys.length - at)) <= columns);
  return hint(fitting > keys.length ? 0 : fitting);
}

function padded(lines: readonly Text[], rows: number): readonly Text[] {
  return [...lines, ...Array.from({ length: Math.max(0, rows - lines.length) }, () => "")];
}

export function shortPath(path: string): string {
  const home = homedir();
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

function clean(text: string): string {
  return inOneLine(harmless(text));
}

/** The keys, for `?`. */
export function helpLines(columns: number): readonly Text[] {
  return KEYS.flatMap(([key, what]) => {
    const [first = "", ...rest] = wrap(what, Math.max(20, columns - KEY_COLUMNS));
    return [joined(bold(padTo(key, KEY_COLUMNS)), first), ...rest.map((line) => " ".repeat(KEY_COLUMNS) + line)];
  });
}

const KEY_COLUMNS = 16;
const KEYS: readonly (readonly [string, string])[] = [
  ["↑ ↓", "move; PgUp and PgDn scroll the lower part; the mouse works too"],
  ["Enter", "attach: talk to the session; Ctrl-D there comes back"],
  ["text", "a task: Enter starts a session with it. A letter that is also a key becomes text when you type on"],
  ["i, Space, Tab", "begin a task that starts with any letter"],
  ["y  a  1-9  x", "answer the question: yes, always, an option, no with a reason"],
  ["n", "a new session: choose agent and folder"],
  ["d", "what the session changed, turn by turn"],
  ["r", "rewind to the end of a turn"],
  ["f", "fork: another session from here"],
  ["k", "kill; transcript and files are kept"],
  [".", "also show ended sessions"],
  ["/", "filter by name, agent, title, folder or state"],
  ["u", "start the daemon, if it is gone"],
  ["q, Ctrl-C", "leave; sessions go on"],
];
