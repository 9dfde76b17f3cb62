import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDaemon } from "./daemon.ts";
import { type Benchmark, type Figure, median, percentile } from "./harness.ts";
import { inTerminal, shown, untilPrinted } from "./terminal-program.ts";

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const CTRL_D = "\u0004";
const CTRL_U = "\u0015";

/** The chat in a real terminal: from start to a prompt one can type at, and from a key to its picture. */
export const chatBenchmark: Benchmark = {
  name: "chat",
  run: async ({ product, quick }) => {
    const made = await product();
    const { cli } = made;
    if (cli === null) return { skipped: "there is no command line to bundle yet (src/cli/main.ts)" };
    const place = await mkdtemp(join(tmpdir(), "nomos-chat-"));
    try {
      const home = join(place, "home");
      await using _daemon = await startDaemon(made, home);
      const rounds = quick ? 5 : 15;
      const starts: number[] = [];
      const commands: number[] = [];
      const keys: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        commands.push(await untilPrinted(home, [cli, "version"], /\d+\.\d+/));
        await oneChat(home, cli, starts, keys);
      }
      return figures(starts, commands, keys);
    } finally {
      await rm(place, { recursive: true, force: true });
    }
  },
};

async function oneChat(home: string, cli: string, starts: number[], keys: number[]): Promise<void> {
  const startMs = performance.now();
  const program = inTerminal(home, [cli, "chat", "-a", "demo"]);
  const ended = new Promise<void>((resolve) => program.onExit(() => resolve()));
  starts.push(await shown(program, /> [\s\S]*(?:idle|starting)/, startMs));
  let typed = "";
  for (const letter of LETTERS) {
    typed += letter;
    const pressedMs = performance.now();
    const painted = shown(program, new RegExp(`> ${typed}`), pressedMs);
    program.write(letter);
    keys.push(await painted);
  }
  program.write(CTRL_U + CTRL_D);
  await ended;
}

function figures(starts: readonly number[], commands: readonly number[], keys: readonly number[]): readonly Figure[] {
  const command = { what: "`nomos version` there, to its line", value: median(commands) };
  return [
    {
      name: "chat.start",
      what: "`nomos chat` from start to a prompt, with a new session",
      unit: "ms",
      value: median(starts),
      baseline: command,
      aim: { valueAtMost: 200 },
      details: { slowest: percentile(starts, 100), over: median(starts) - command.value },
    },
    {
      name: "chat.key",
      what: "from a key to its picture in the chat",
      unit: "ms",
      value: median(keys),
      baseline: command,
      aim: { valueAtMost: 16 },
      details: { p95: percentile(keys, 95), slowest: percentile(keys, 100) },
    },
  ];
}
