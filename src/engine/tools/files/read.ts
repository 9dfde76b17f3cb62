import * as z from "zod";
import type { FileRange, Tool, ToolContext, ToolResult, World } from "../../tool.ts";
import { pathInput } from "../shared/path-input.ts";
import { done, failed } from "../shared/results.ts";
import { counted, cutBetweenWords, oneLine, RESULT_CHARS_MAX, shownBytes, shownName } from "../shared/shown.ts";
import { explainPath } from "../shared/world-errors.ts";
import { type BinaryKind, binaryKind, HEAD_BYTES } from "./binary-kind.ts";
import { type Line, type Page, readLines } from "./read-lines.ts";

const Input = z.strictObject({
  path: pathInput("File to read, relative to the session's directory."),
  offset: z.number().int().min(1).max(1e9).optional().describe("First line to show, counted from 1. Default 1."),
  limit: z.number().int().min(1).max(2000).optional().describe("How many lines. Default 2000."),
});

type Input = z.infer<typeof Input>;

export const read: Tool<Input> = {
  name: "read",
  description:
    "Reads a file. Text comes back with line numbers (`12<TAB>text`; the number and the tab are not part of the file), " +
    "at most 2000 lines or 50 KB at a time; the end of the answer says with which offset to go on. " +
    "Images (PNG, JPEG, GIF, WebP up to 5 MB) are shown as images. Use ls for directories.",
  input: Input,
  permission: "read",
  redo: "safe",
  mode: "parallel",
  title: ({ path, offset }) => oneLine(`Read ${shownName(path)}${offset === undefined ? "" : ` from line ${offset}`}`),
  run: async (input, context) => {
    try {
      return await readFile(input, context);
    } catch (error) {
      return explainPath(error, input.path, context);
    }
  },
};

const FIRST_BYTES = 65_536;
const LINES_MAX = 2000;
const LINE_CHARS_MAX = 2000;
/** Of the lines; the rest is room for the note at the end. */
const PAGE_CHARS_MAX = RESULT_CHARS_MAX - 1000;
const IMAGE_BYTES_MAX = 5_242_880;

async function readFile(input: Input, context: ToolContext): Promise<ToolResult> {
  const { path, offset = 1, limit = LINES_MAX } = input;
  const head = await context.world.read(path, { from: 0, bytes: FIRST_BYTES });
  if (head.size === 0) return done(`${shownName(path)} is empty.`);
  const kind = binaryKind(head.bytes.subarray(0, HEAD_BYTES));
  if (kind !== null) return readBinary(path, kind, head.size, context);
  const world = headFirst(context.world, head);
  const range = { first: offset, linesMax: limit, bytesMax: PAGE_CHARS_MAX };
  const page = await readLines(path, range, { ...context, world });
  return showPage(page, { path, offset });
}

/** Most files are read by the first question; only what lies behind it is asked for again. */
function headFirst(world: World, { bytes, size, hash }: FileRange): World {
  return {
    ...world,
    read: async (path, range) => {
      const end = range.from + range.bytes;
      if (end > bytes.length && bytes.length < size) return world.read(path, range);
      return { bytes: bytes.subarray(range.from, end), size, hash: range.from === 0 && end >= size ? hash : null };
    },
  };
}

async function readBinary(path: string, kind: BinaryKind, size: number, context: ToolContext): Promise<ToolResult> {
  const shown = shownName(path);
  if (kind.mediaType === undefined)
    return failed(`${shown} is ${kind.what} (${shownBytes(size)}) and cannot be read as text. ${kind.instead}`);
  if (size > IMAGE_BYTES_MAX)
    return failed(
      `${shown} is ${kind.what} of ${shownBytes(size)}; at most ${shownBytes(IMAGE_BYTES_MAX)} can be shown. Make a smaller copy in the terminal and read that.`,
    );
  const { bytes } = await context.world.read(path, { from: 0, bytes: size });
  const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  return {
    content: [
      { kind: "text", text: `${shown} is ${kind.what} (${shownBytes(size)}).` },
      { kind: "image", mediaType: kind.mediaType, base64 },
    ],
    isError: false,
    places: [{ path, line: null }],
  };
}

function showPage({ lines, total, isTooFar }: Page, { path, offset }: { path: string; offset: number }): ToolResult {
  const name = shownName(path);
  if (lines.length === 0) {
    return failed(
      isTooFar || total === null
        ? `Line ${offset} of ${name} is too far into the file. Use sed in the terminal: sed -n '${offset},${offset + 99}p;${offset + 99}q'.`
        : `${name} has ${counted(total, "line")}; offset ${offset} is behind the end.`,
    );
  }
  const text = spellLines(lines, offset);
  const next = offset + text.count;
  const rest = total === null ? "" : ` of ${total}`;
  const isMore = total === null || next <= total;
  const notes = [
    ...(isMore ? [`[lines ${offset}-${next - 1}${rest}; go on with offset: ${next}]`] : []),
    ...(text.isCrlf ? ["[line ends are CRLF; edit keeps them, so write plain line ends in edits]"] : []),
    ...(text.isBroken
      ? ["[not valid UTF-8: \uFFFD stands for bytes that cannot be shown; edit refuses this file]"]
      : []),
  ];
  return done([...text.lines, ...notes].join("\n"), { places: [{ path, line: offset }] });
}

function spellLines(lines: readonly Line[], offset: number) {
  const shown: string[] = [];
  let [chars, isCrlf, isBroken] = [0, false, false];
  for (const [index, line] of lines.entries()) {
    const { text, hasCr } = spellLine(line, index === 0 && offset === 1);
    const numbered = `${offset + index}\t${text}`;
    if (shown.length > 0 && chars + numbered.length + 1 > PAGE_CHARS_MAX) break;
    shown.push(numbered);
    chars += numbered.length + 1;
    isCrlf ||= hasCr;
    isBroken ||= text.includes("\uFFFD");
  }
  return { lines: shown, count: shown.length, isCrlf, isBroken };
}

function spellLine({ bytes, leftOut }: Line, isFirst: boolean): { text: string; hasCr: boolean } {
  // A cut may have halved a character.
  const whole = bytes.toString("utf8");
  const decoded = leftOut > 0 ? whole.replace(/\uFFFD+$/, "") : whole;
  const hasCr = leftOut === 0 && decoded.endsWith("\r");
  const line = hasCr ? decoded.slice(0, -1) : decoded;
  const plain = isFirst ? line.replace(/^\uFEFF/, "") : line;
  if (leftOut === 0 && plain.length <= LINE_CHARS_MAX) return { text: plain, hasCr };
  const shown = cutBetweenWords(plain, LINE_CHARS_MAX);
  const missing =
    leftOut === 0
      ? `${plain.length - shown.length + 1} more characters`
      : `about ${shownBytes(leftOut + plain.length - shown.length)} more`;
  return { text: `${shown} [line cut: ${missing}]`, hasCr };
}
