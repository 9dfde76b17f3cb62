import type { Screen } from "../terminal.ts";
import { harmless, harmlessJson, inOneLine, keepingTabs } from "./harmless.ts";
import { openPage } from "./page.ts";
import { rendered, type Text } from "./styled.ts";

const COLUMNS_UNKNOWN = 120;
const ROWS_UNKNOWN = 24;
const CLEAR_SCREEN = "\u001b[H\u001b[2J\u001b[3J";
const ERASE_LINE = "\r\u001b[K";
const EXIT_BUG = 1;

/**
 * The only code that writes to the terminal; the architecture test enforces it. All text is made harmless
 * here, so only styles and cursor movements of this folder reach the screen.
 */
export function openScreen(environment: Readonly<Record<string, string | undefined>>): Screen {
  const { stdout, stderr } = process;
  // The reader closed the pipe, as in `nomos ps | head -1`.
  for (const stream of [stdout, stderr]) stream.on("error", endQuietly);
  // For screen readers: no cursor movement, no spinner, lines only.
  const isDumb = environment["TERM"] === "dumb" || Boolean(environment["NOMOS_PLAIN"]);
  const lineTo = (stream: NodeJS.WriteStream) => {
    const isScreen = stream.isTTY === true;
    const hasColour = isScreen && !environment["NO_COLOR"] && !isDumb;
    const clean = (text: string): string => inOneLine(isScreen ? harmless(text) : keepingTabs(text));
    return (line: Text): string => rendered(line, clean, hasColour);
  };
  const [outLine, errorLine] = [lineTo(stdout), lineTo(stderr)];
  const print = (line: Text): void => void stdout.write(`${outLine(line)}\n`);
  const complain = (line: Text): void => void stderr.write(`${errorLine(line)}\n`);
  process.on("uncaughtException", (bug) => {
    reportBug(bug, complain);
    process.exit(EXIT_BUG);
  });
  return {
    isScreen: stdout.isTTY === true,
    isKeyboard: () => process.stdin.isTTY === true,
    hasCursor: stdout.isTTY === true && !isDumb,
    // Read each time, because the window can be resized.
    get columns() {
      return stdout.columns || COLUMNS_UNKNOWN;
    },
    get rows() {
      return stdout.rows || ROWS_UNKNOWN;
    },
    painted: outLine,
    plain: (line) => rendered(line, (text) => inOneLine(harmless(text)), false),
    print,
    complain,
    printJson: (value) => void stdout.write(`${harmlessJson(JSON.stringify(value))}\n`),
    printContent: (content) => {
      if (stdout.isTTY === true) for (const line of linesOf(content)) print(line);
      else stdout.write(content);
    },
    drawLine: (text) => void stdout.write(`${ERASE_LINE}${outLine(text)}`),
    clearScreen: () => void stdout.write(CLEAR_SCREEN),
    openPage: () => openPage(stdout, outLine),
    outliveReader: () => {
      for (const stream of [stdout, stderr]) {
        stream.removeAllListeners("error");
        stream.on("error", () => undefined);
      }
    },
    rawOutput: stdout,
  };
}

/** Prints a bug with its stack. Node would print the message raw, and it may quote a file name or an agent. */
function reportBug(bug: unknown, complain: (line: Text) => void): void {
  const said = bug instanceof Error ? (bug.stack ?? bug.message) : String(bug);
  for (const line of said.split("\n")) complain(line);
  if (bug instanceof Error && bug.cause !== undefined) reportBug(bug.cause, (line) => complain(`  ${plain(line)}`));
}

function plain(line: Text): string {
  return rendered(line, (text) => text, false);
}

function linesOf(content: Uint8Array | string): readonly string[] {
  const text = typeof content === "string" ? content : Buffer.from(content).toString("utf8");
  return text.replace(/\r?\n$/, "").split(/\r?\n/);
}

function endQuietly(error: Error): void {
  if ("code" in error && error.code === "EPIPE") process.exit(process.exitCode ?? 0);
  throw error;
}
