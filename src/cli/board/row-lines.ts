import { stateWords } from "../landing/open-landings.ts";
import { cutTo, padTo, widthOf } from "../print/screen-text.ts";
import { spellQuota } from "../print/spell.ts";
import { harmless, inOneLine } from "../screen/harmless.ts";
import { bold, cyan, dim, joined, reverse, type Text, yellow } from "../screen/styled.ts";
import { type BoardRow, type Group, groupOf, titleOf } from "./board-rows.ts";

interface Column {
  readonly title: string;
  readonly width: number;
  readonly cell: (row: BoardRow) => string;
}

const WIDE_COLUMNS = 110;
const NAME_COLUMNS = 17;
const AGENT_COLUMNS = 9;
const AGENT_COLUMNS_WIDE = 14;

/** The list: a heading, then one line per session; the one under the cursor is marked. */
export function rowLines(rows: readonly BoardRow[], selected: number, columns: number): readonly Text[] {
  const layout = columnsFor(columns);
  const line = (cells: readonly string[]): string =>
    cells.map((cell, at) => padTo(cutTo(clean(cell), layout[at]?.width ?? 0), layout[at]?.width ?? 0)).join(" ");
  return rows.map((row, at) => {
    const group = groupOf(row);
    const text = cutTo(line(layout.map(({ cell }) => cell(row))), columns - 3);
    const body = `${at === selected ? "▸" : " "}${MARKS[group].mark}${text}`;
    return at === selected ? reverse(padTo(body, columns)) : MARKS[group].paint(body);
  });
}

export function headingLine(columns: number): Text {
  const layout = columnsFor(columns);
  return dim(cutTo(`   ${layout.map(({ title, width }) => padTo(title, width)).join(" ")}`.trimEnd(), columns));
}

const MARKS: { readonly [group in Group]: { readonly mark: string; readonly paint: (text: string) => Text } } = {
  "needs you": { mark: "! ", paint: (text) => bold(yellow(text)) },
  working: { mark: "● ", paint: cyan },
  idle: { mark: "○ ", paint: (text) => joined(text) },
  asleep: { mark: "· ", paint: dim },
  ended: { mark: "  ", paint: dim },
};

/** What does not fit is left out whole, the least needed first. */
function columnsFor(columns: number): readonly Column[] {
  const isWide = columns >= WIDE_COLUMNS;
  const fixed: readonly Column[] = [
    { title: "SESSION", width: NAME_COLUMNS, cell: ({ session }) => session.name },
    { title: "AGENT", width: isWide ? AGENT_COLUMNS_WIDE : AGENT_COLUMNS, cell: ({ session }) => session.agent },
  ];
  const last: readonly Column[] = [
    ...(isWide ? [{ title: "FOLDER", width: 20, cell: ({ session }: BoardRow) => fromTheEnd(session.cwd, 20) }] : []),
    ...(columns >= 70 ? [{ title: "SANDBOX", width: 7, cell: ({ session }: BoardRow) => session.sandbox }] : []),
    ...(columns >= 60
      ? [
          { title: "TOKENS", width: 6, cell: tokensOf },
          { title: "COST", width: 6, cell: costOf },
        ]
      : []),
    { title: "AGE", width: 4, cell: ageOf },
  ];
  const taken = [...fixed, ...last].reduce((sum, { width }) => sum + width + 1, 4);
  const room = Math.max(4, columns - taken);
  const half = Math.floor((room - 1) / 2);
  const middle: readonly Column[] = isWide
    ? [
        { title: "TITLE", width: half, cell: ({ session }) => titleOf(session) },
        { title: "NOW", width: room - half - 1, cell: (row) => row.questions[0]?.question ?? doingOf(row) },
      ]
    : [{ title: "TITLE, NOW", width: room, cell: shortNow }];
  return [...fixed, ...middle, ...last];
}

/** In a narrow window a working session shows what it does, the others what they are about. */
function shortNow(row: BoardRow): string {
  const title = titleOf(row.session);
  const [question] = row.questions;
  if (question !== undefined) return question.question;
  const doing = doingOf(row);
  const isAtWork =
    row.landing !== undefined ||
    row.need !== undefined ||
    row.session.waitingFor === "quota" ||
    (groupOf(row) === "working" && doing !== "");
  return isAtWork || title === "" ? doing : title;
}

/** A session that waits for a usage limit does nothing else; one that lands has done its work. */
function doingOf({ session: { waitingFor, waitingUntil, busy }, doing, landing, need }: BoardRow): string {
  if (waitingFor === "quota") return spellQuota(waitingUntil);
  if (need !== undefined) return need;
  return landing === undefined || busy ? doing : stateWords(landing);
}

function tokensOf({ session: { spent } }: BoardRow): string {
  return spent === undefined ? "-" : shortNumber(spent.input + spent.output + spent.cacheRead + spent.cacheWrite);
}

function costOf({ session: { spent } }: BoardRow): string {
  const cost = spent?.costUsd ?? null;
  return cost === null ? "-" : `$${cost.toFixed(cost < 10 ? 2 : 0)}`;
}

function shortNumber(value: number): string {
  if (value >= 1_000_000) return `${(value / 1_000_000).toFixed(1)}M`;
  return value >= 1_000 ? `${(value / 1_000).toFixed(value >= 100_000 ? 0 : 1)}k` : String(value);
}

const AGES = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "m"],
] as const;

/** Since it was last heard. */
function ageOf({ session }: BoardRow): string {
  const seconds = Math.max(0, Math.floor((Date.now() - Date.parse(session.lastOutputAt ?? session.startedAt)) / 1000));
  const [size, unit] = AGES.find(([least]) => seconds >= least) ?? [1, "s"];
  return `${Math.floor(seconds / size)}${unit}`;
}

/** The end of a path says more than its beginning. */
function fromTheEnd(path: string, columns: number): string {
  const text = clean(path);
  if (widthOf(text) <= columns) return text;
  const characters = [...text];
  while (characters.length > 0 && widthOf(characters.join("")) > columns - 1) characters.shift();
  return `…${characters.join("")}`;
}

function clean(text: string): string {
  return inOneLine(harmless(text)).trim();
}
