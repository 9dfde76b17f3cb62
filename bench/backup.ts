import { closeSync, cpSync, fsyncSync, openSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { startDaemon } from "./daemon.ts";
import { type Benchmark, type Figure, interleave, median, timedMs } from "./harness.ts";

const EVENTS = 1_000_000;
const QUICK_EVENTS = 100_000;
const ROUNDS = 7;
const QUICK_ROUNDS = 3;

/** A backup of a running daemon over HTTP, against a plain copy of the same bytes with a flush per file. */
export const backupBenchmark: Benchmark = {
  name: "backup",
  run: async ({ homes, product, quick, scratch }) => {
    const { home, events, sessionId } = await homes.history(quick ? QUICK_EVENTS : EVENTS);
    await using daemon = await startDaemon(await product(), home);
    const { api } = daemon;
    const model = join(scratch, "backup-model");
    await api.call("POST", "/api/backup", { to: model });
    let labels = 0;
    const write = (): Promise<number> => {
      labels += 1;
      return timedMs(() => api.call("POST", `/sessions/${sessionId}/label`, { label: `label ${labels}` }));
    };
    const to = join(scratch, "backup-copy");
    const cleaned = async (work: () => Promise<unknown>): Promise<number> => {
      const ms = await timedMs(work);
      rmSync(to, { recursive: true });
      return ms;
    };
    const writes: number[] = [];
    const samples = await interleave(quick ? QUICK_ROUNDS : ROUNDS, {
      backup: () => cleaned(() => api.call("POST", "/api/backup", { to })),
      copy: () => cleaned(async () => copyFlushed(model, to)),
      /** How long a writer waits during a backup. */
      meanwhile: async () => {
        let isOver = false;
        const backup = api.call("POST", "/api/backup", { to }).finally(() => {
          isOver = true;
        });
        while (!isOver) writes.push(await write());
        await backup;
        rmSync(to, { recursive: true });
        return 0;
      },
      alone: write,
    });
    const bytes = sizeOf(model);
    rmSync(model, { recursive: true });
    const figures: readonly Figure[] = [
      {
        name: "backup.time",
        what: `a backup of a running daemon with ${events} events, over HTTP`,
        unit: "ms",
        value: median(samples.backup),
        baseline: { what: "a plain copy of the same files, each flushed", value: median(samples.copy) },
        aim: { ratioAtMost: 3 },
        details: { megabytes: Math.round(bytes / 1e6), rounds: samples.backup.length },
      },
      {
        name: "backup.writes",
        what: "a write over HTTP while a backup is made",
        unit: "ms",
        value: median(writes),
        baseline: { what: "the same write with none under way", value: median(samples.alone) },
        aim: null,
        details: { slowest: Math.max(...writes), writes: writes.length },
      },
    ];
    return figures;
  },
};

function copyFlushed(from: string, to: string): void {
  cpSync(from, to, { recursive: true });
  for (const path of everyPath(to)) {
    const file = openSync(path, "r");
    fsyncSync(file);
    closeSync(file);
  }
}

function sizeOf(folder: string): number {
  return everyPath(folder).reduce((sum, path) => sum + statSync(path).size, 0);
}

function everyPath(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return [...entries.map((entry) => join(entry.parentPath, entry.name)), folder];
}
