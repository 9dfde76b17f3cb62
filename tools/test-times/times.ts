import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

/** Of the last run of everything on this machine. */
const LAST_RUN = join(ROOT, "node_modules/.cache/nomos-test-times.json");
/** Of a whole run, kept in the repository: what the page shows, and the order in which tests start. */
const RECORD = join(ROOT, "test/times.json");

export interface RunTimes {
  readonly date: string;
  readonly cores: number;
  readonly wallS: number;
  readonly projects: Readonly<Record<string, ProjectTimes>>;
}

export interface ProjectTimes {
  readonly tests: number;
  /** File, relative to the repository -> seconds from its import to the end of its last test. */
  readonly files: Readonly<Record<string, number>>;
}

export function readRecord(): RunTimes | null {
  return readTimes(RECORD);
}

export function readLastRun(): RunTimes | null {
  return readTimes(LAST_RUN);
}

export function writeRecord(times: RunTimes): void {
  writeTimes(RECORD, times);
}

export function writeLastRun(times: RunTimes): void {
  writeTimes(LAST_RUN, times);
}

export function secondsOf({ files }: ProjectTimes): number {
  return Object.values(files).reduce((sum, seconds) => sum + seconds, 0);
}

function readTimes(path: string): RunTimes | null {
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : null;
}

function writeTimes(path: string, times: RunTimes): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(times, null, 2)}\n`);
}
