import { startDaemon } from "./daemon.ts";
import { type Benchmark, type Figure, median, percentile } from "./harness.ts";
import { inTerminal, shown, untilPrinted } from "./terminal-program.ts";

const SESSIONS = 1_000;
const DOWN = "\u001b[B";

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

function openBoard(home: string, cli: string) {
  const startMs = performance.now();
  const program = inTerminal(home, [cli, "board"]);
  const ended = new Promise<void>((resolve) => program.onExit(() => resolve()));
  return {
    shown: (what: RegExp) => shown(program, what, startMs),
    press: (key: string) => {
      const pressedMs = performance.now();
      program.write(key);
      return shown(program, /▸/, pressedMs);
    },
    close: async () => {
      program.write("\u0003");
      await ended;
    },
  };
}
