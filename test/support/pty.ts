import { spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { eventually } from "../e2e/support/talk.ts";
import { BIN } from "./product.ts";
import { whenTestEnds } from "./test-end.ts";

/** A real terminal: a pseudo-terminal, and an emulator whose screen can be read. */
export interface Pty {
  readonly type: (text: string) => void;
  readonly press: (...keys: readonly KeyName[]) => void;
  readonly paste: (text: string) => void;
  readonly resize: (columns: number, rows: number) => void;
  /** The rows on the screen, without trailing blanks. */
  readonly text: () => string;
  /** Rows that have scrolled away too. */
  readonly history: () => string;
  /** Foreground colours on the screen. */
  readonly colours: () => number;
  readonly until: (what: RegExp, where?: "screen" | "history") => Promise<string>;
  readonly title: () => string;
  readonly bells: () => number;
  /** Every byte that the program wrote. */
  readonly raw: () => string;
  /** What was shown, as an asciicast. */
  readonly cast: () => string;
  /** Ends the program by a signal. */
  readonly kill: (signal: "SIGTERM" | "SIGHUP") => void;
  readonly exited: Promise<number>;
}

const KEYS = {
  enter: "\r",
  escape: "\u001b",
  tab: "\t",
  up: "\u001b[A",
  down: "\u001b[B",
  right: "\u001b[C",
  left: "\u001b[D",
  pagedown: "\u001b[6~",
  backspace: "\u007f",
  altEnter: "\u001b\r",
  ctrlC: "\u0003",
  ctrlD: "\u0004",
  ctrlG: "\u0007",
  ctrlO: "\u000f",
  ctrlX: "\u0018",
  ctrlU: "\u0015",
} as const;
type KeyName = keyof typeof KEYS;

export interface PtyOptions {
  readonly home: string;
  readonly cwd: string;
  readonly args: readonly string[];
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
}

const UNTIL_MS = 30_000;

export function openPty({ home, cwd, args, columns = 80, rows = 24, env = {} }: PtyOptions): Pty {
  const screen = new xterm.Terminal({ cols: columns, rows, scrollback: 5_000, allowProposedApi: true });
  const chunks: { readonly atMs: number; readonly data: string }[] = [];
  const began = performance.now();
  let [title, bells] = ["", 0];
  screen.onTitleChange((next) => {
    title = next;
  });
  screen.onBell(() => {
    bells += 1;
  });
  const { NO_COLOR: _none, ...outside } = process.env;
  const program = spawn(process.execPath, [BIN, ...args], {
    name: env["TERM"] ?? "xterm-256color",
    cols: columns,
    rows,
    cwd,
    env: { ...outside, NOMOS_HOME: home, NOMOS_PORT: "0", TERM: "xterm-256color", ...env },
  });
  const exited = Promise.withResolvers<number>();
  program.onData((data) => {
    chunks.push({ atMs: performance.now() - began, data });
    screen.write(data);
  });
  program.onExit(({ exitCode }) => exited.resolve(exitCode));
  whenTestEnds(async () => {
    program.kill("SIGKILL");
    await exited.promise;
    screen.dispose();
  });
  const lines = (from: number): string => {
    const buffer = screen.buffer.active;
    const all = Array.from({ length: buffer.length - from }, (_, at) => buffer.getLine(from + at));
    return all
      .map((line) => line?.translateToString(true) ?? "")
      .join("\n")
      .trimEnd();
  };
  const text = (): string => lines(screen.buffer.active.baseY);
  const history = (): string => lines(0);
  const colours = (): number => {
    const { active } = screen.buffer;
    const cells = Array.from({ length: screen.rows * screen.cols }, (_, at) =>
      active.getLine(active.baseY + Math.floor(at / screen.cols))?.getCell(at % screen.cols),
    );
    return new Set(cells.filter((cell) => cell !== undefined && !cell.isFgDefault()).map((cell) => cell?.getFgColor()))
      .size;
  };
  return {
    type: (typed) => program.write(typed),
    press: (...keys) => {
      for (const key of keys) program.write(KEYS[key]);
    },
    paste: (pasted) => program.write(`\u001b[200~${pasted}\u001b[201~`),
    resize: (nextColumns, nextRows) => {
      screen.resize(nextColumns, nextRows);
      program.resize(nextColumns, nextRows);
    },
    text,
    history,
    colours,
    until: async (what, where = "screen") => {
      const read = where === "screen" ? text : history;
      await eventually(`${what} on the screen`, async () => what.test(read()), UNTIL_MS).catch((thrown: unknown) => {
        throw new Error(`${String(thrown)}\n${read()}`);
      });
      return read();
    },
    title: () => title,
    bells: () => bells,
    raw: () => chunks.map(({ data }) => data).join(""),
    cast: () => {
      const head = JSON.stringify({ version: 2, width: columns, height: rows });
      const frames = chunks.map(({ atMs, data }) => JSON.stringify([Number((atMs / 1000).toFixed(3)), "o", data]));
      return `${[head, ...frames].join("\n")}\n`;
    },
    kill: (signal) => program.kill(signal),
    exited: exited.promise,
  };
}
