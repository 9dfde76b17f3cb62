import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { RecordedEvent } from "../../src/store/index.ts";
import { openSqliteStore } from "../../src/store/index.ts";
import { appendTo, everyEvent, makeTestHome, note, openSession } from "./store-home.ts";
import { throwOnFatal } from "./store-sqlite.ts";

const SCRIPT = fileURLToPath(new URL("../crash/store/scripted-writer.ts", import.meta.url));
const ROUNDS = 5;

export type Syscall = "fsync" | "pwrite64" | "ftruncate";

export interface Outcome {
  /** What the program said, line by line. */
  readonly lines: readonly string[];
  readonly exitCode: number | null;
  readonly home: string;
}

/** Runs the scripted writer with a fault put under it by strace, only at the files of the log. */
export async function runWithFault(home: string, inject: string): Promise<Outcome> {
  return runTraced(home, ["-o", "/dev/null", "-e", `inject=${inject}`]);
}

/** How often each of the calls is made by a run in which nothing fails. */
export async function countCalls(): Promise<ReadonlyMap<Syscall, number>> {
  await using home = await makeTestHome();
  const trace = join(home.path, "trace");
  const outcome = await runTraced(join(home.path, "home"), ["-o", trace]);
  expect(outcome.lines.at(-1)).toBe("done");
  const text = await readFile(trace, "utf8");
  const calls: readonly Syscall[] = ["fsync", "pwrite64", "ftruncate"];
  return new Map(calls.map((call) => [call, text.split("\n").filter((line) => line.includes(` ${call}(`)).length]));
}

function runTraced(home: string, options: readonly string[]): Promise<Outcome> {
  const paths = ["log.db", "log.db-wal"].flatMap((name) => ["-P", join(home, name)]);
  // Faster, but a signal that is put in is then not delivered.
  const fast = options.some((option) => option.includes("signal=")) ? [] : ["--seccomp-bpf"];
  const traced = ["-f", ...fast, "-qq", "-e", "trace=fsync,pwrite64,ftruncate", ...paths, ...options];
  return run("strace", [...traced, process.execPath, SCRIPT, home, String(ROUNDS)], home);
}

function run(command: string, args: readonly string[], home: string): Promise<Outcome> {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  child.on("error", reject);
  child.on("close", (exitCode) => {
    if (exitCode !== null && exitCode !== 0 && exitCode < 70) reject(new Error(`exit ${exitCode}: ${err}${out}`));
    else resolve({ lines: out.split("\n").filter((line) => line !== ""), exitCode, home });
  });
  return promise;
}

/** Spread over a run: the first, the last and so many between. */
export function spread(of: number, samples: number): readonly number[] {
  if (process.env["NOMOS_SOAK"] === "1" || of <= samples) return Array.from({ length: of }, (_, n) => n + 1);
  return Array.from({ length: samples }, (_, n) => 1 + Math.round((n * (of - 1)) / (samples - 1)));
}

/** Two at a time: as many as there are cores on a small machine. */
export async function forEachFault(faults: readonly number[], prove: (n: number) => Promise<void>): Promise<void> {
  const left = [...faults];
  const work = async (): Promise<void> => {
    for (let n = left.shift(); n !== undefined; n = left.shift()) await prove(n);
  };
  await Promise.all([work(), work()]);
}

/** After a restart without faults: nothing that was acknowledged is lost, nothing is half there, and it goes on. */
export async function proveIntact({ lines, home }: Outcome): Promise<void> {
  const store = await openSqliteStore({ home, onFatal: throwOnFatal });
  try {
    const all = await everyEvent(store);
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, n) => n + 1));
    const ids = new Map(all.map(({ seq, id }) => [`${seq}:${id}`, true]));
    for (const acknowledged of lines.filter((line) => line.startsWith("ack ")))
      for (const place of acknowledged.split(" ").slice(1)) expect(ids.has(place), `lost: ${place}`).toBe(true);
    proveWhole(all);
    expect((await store.verify()).problems).toEqual([]);
    expect((await store.rebuild(null)).differences).toEqual([]);
    for (const found of all) await proveBlob(store.blob, found);
    await appendTo(store, await openSession(store), [note("it goes on")]);
  } finally {
    await store.close();
  }
}

/** An append over two streams wrote its end of the turn and its two notes together, or not at all. */
function proveWhole(all: readonly RecordedEvent[]): void {
  const ends = all.flatMap(({ type, data, seq }) =>
    type === "turn.ended@1" ? [{ turnId: member(data, "turnId"), seq }] : [],
  );
  const notes = all.filter(({ type }) => type === "x.note@1");
  expect(notes.length).toBe(2 * ends.length);
  for (const { turnId, seq } of ends)
    expect(member(all[seq]?.data, "payload"), "the note behind a turn's end").toBe(`both ${String(turnId)}`);
}

async function proveBlob(read: (sha256: string) => Promise<Uint8Array | null>, found: RecordedEvent): Promise<void> {
  const blob = member(found.data, "blob");
  if (typeof blob === "string") expect(await read(blob), `blob of ${found.seq}`).not.toBeNull();
}

function member(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
