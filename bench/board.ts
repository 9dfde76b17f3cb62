import { spawn } from "@lydell/node-pty";
import { environment, startDaemon } from "./daemon.ts";
import { type Benchmark, type Figure, median, percentile } from "./harness.ts";

const SESSIONS = 1_000;
const COLUMNS = 120;
const ROWS = 40;
const DOWN = "\u001b[B";
const WAIT_MAX_MS = 20_000;

/** The board with a thousand sessions in a real terminal: from start to the first picture, and from a key to its picture. */
export const boardBenchmark: Benchmark = {
  name: "board",
  run: async ({ product, homes, quick }) => {
    const made = await product();
    const { cli } = made;
    if (cli === null) return { skipped: "there is no command line to bundle yet (src/cli/main.ts)" };
    const { home } = await homes.sessions(SESSIONS);
    await using _daemon = await startDaemon(made, home);
    const rounds = quick ? 5 : 15;
    const [starts, commands, keys]: number[][] = [[], [], []];
    for (let round = 0; round < rounds; round += 1) {
      commands?.push(await untilPrinted(home, [cli, "ps", "--limit", "200"], /SESSION|NAME/));
      const board = openBoard(home, cli);
      starts?.push(await board.shown(/sessions [─-]/));
      for (let key = 0; key < rounds; key += 1) keys?.push(await board.press(DOWN));
      await board.close();
    }
    return figures(starts ?? [], commands ?? [], keys ?? []);
  },
};

function figures(starts: readonly number[], commands: readonly number[], keys: readonly number[]): readonly Figure[] {
  const command = { what: "`nomos ps` there, to its first line", value: median(commands) };
  return [
    {
      name: "board.start",
      what: `the board from start to its list, with ${SESSIONS} sessions`,
      unit: "ms",
      value: median(starts),
      baseline: command,
      aim: { valueAtMost: command.value + 150 },
      details: { slowest: percentile(starts, 100), over: median(starts) - command.value },
    },
    {
      name: "board.key",
      what: "from a key to the first byte of its picture",
      unit: "ms",
      value: median(keys),
      baseline: command,
      aim: { valueAtMost: 16 },
      details: { p95: percentile(keys, 95), slowest: percentile(keys, 100) },
    },
  ];
}

function terminal(home: string, args: readonly string[]) {
  return spawn(process.execPath, [...args], {
    name: "xterm-256color",
    cols: COLUMNS,
    rows: ROWS,
    env: { ...environment(home), TERM: "xterm-256color" },
  });
}

async function untilPrinted(home: string, args: readonly string[], what: RegExp): Promise<number> {
  const startMs = performance.now();
  const program = terminal(home, args);
  const ended = new Promise<void>((resolve) => program.onExit(() => resolve()));
  const tookMs = await until(program, what, startMs);
  await ended;
  return tookMs;
}

function openBoard(home: string, cli: string) {
  const startMs = performance.now();
  const program = terminal(home, [cli, "board"]);
  const ended = new Promise<void>((resolve) => program.onExit(() => resolve()));
  return {
    shown: (what: RegExp) => until(program, what, startMs),
    press: (key: string) => {
      const pressedMs = performance.now();
      program.write(key);
      return until(program, /▸/, pressedMs);
    },
    close: async () => {
      program.write("\u0003");
      await ended;
    },
  };
}

function until(program: ReturnType<typeof terminal>, what: RegExp, sinceMs: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let said = "";
    const timer = setTimeout(() => reject(new Error(`${what} did not come within ${WAIT_MAX_MS} ms`)), WAIT_MAX_MS);
    const heard = program.onData((data) => {
      said += data;
      if (!what.test(said)) return;
      clearTimeout(timer);
      heard.dispose();
      resolve(performance.now() - sinceMs);
    });
  });
}
