import { type FileHandle, open } from "node:fs/promises";
import { daemonLogPath, FILES_KEPT } from "./daemon-log.ts";

/** A line of the daemon's own log. */
export interface LogLine {
  readonly at: string | null;
  readonly message: string;
  readonly isProblem: boolean;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface LogPage {
  /** Newest first. */
  readonly lines: readonly LogLine[];
  /** Where older lines begin; null at the end. */
  readonly next: string | null;
}

export interface LogAsked {
  readonly limit: number;
  readonly before: string | null;
  readonly onlyProblems: boolean;
}

export type ReadDaemonLog = (asked: LogAsked) => Promise<LogPage>;

const PIECE_BYTES = 65_536;
/** One call looks through no more than this; `next` goes on from there. */
const LOOKED_BYTES_MAX = 4_194_304;
const PROBLEM_MEMBERS = ["code", "reason", "problem", "error", "cut"];

/** Reads the log from its end, through files that were rotated. A cursor names a file by its inode, so rotation moves nothing. */
export function createLogReader(home: string): ReadDaemonLog {
  const path = daemonLogPath(home);
  const paths = [path, ...Array.from({ length: FILES_KEPT }, (_, at) => `${path}.${at + 1}`)];
  return async (asked) => {
    const lines: LogLine[] = [];
    const [inode = "", offset = ""] = asked.before?.split(":") ?? [];
    let isReached = asked.before === null;
    let leftBytes = LOOKED_BYTES_MAX;
    for (const one of paths) {
      const file = await open(one).catch(() => null);
      if (file === null) continue;
      try {
        const { ino, size } = await file.stat();
        const isHere = String(ino) === inode;
        if (!isReached && !isHere) continue;
        isReached = true;
        let end = isHere ? Math.min(size, Number(offset)) : size;
        while (end > 0) {
          if (lines.length >= asked.limit || leftBytes <= 0) return { lines, next: `${ino}:${end}` };
          const { start, found } = await lastLines(file, end);
          leftBytes -= end - start;
          for (const { text, from } of found) {
            const line = lineOf(text);
            if (asked.onlyProblems && !line.isProblem) continue;
            lines.push(line);
            // At the beginning of a file the page goes on in the file before it, if there is one.
            if (lines.length >= asked.limit && from > 0) return { lines, next: `${ino}:${from}` };
          }
          end = start;
        }
      } finally {
        await file.close();
      }
    }
    return { lines, next: null };
  };
}

/** The lines that end before `end`, newest first, from one piece of the file. */
async function lastLines(file: FileHandle, end: number) {
  const from = Math.max(0, end - PIECE_BYTES);
  const bytes = Buffer.alloc(end - from);
  await file.read(bytes, 0, bytes.length, from);
  // The first line may have begun before the piece.
  const whole = from === 0 ? 0 : bytes.indexOf("\n") + 1;
  const start = whole === 0 && from > 0 ? from : from + whole;
  const found: { readonly text: string; readonly from: number }[] = [];
  for (let at = start - from; at < bytes.length; ) {
    const next = bytes.indexOf("\n", at);
    const to = next < 0 ? bytes.length : next;
    if (to > at) found.unshift({ text: bytes.toString("utf8", at, to), from: from + at });
    at = to + 1;
  }
  return { start, found };
}

function lineOf(text: string): LogLine {
  const entry = parsed(text);
  if (entry === null) return { at: null, message: text, isProblem: false, details: {} };
  const { at, message, ...details } = entry;
  return {
    at: typeof at === "string" ? at : null,
    message: typeof message === "string" ? message : "(cut)",
    isProblem: PROBLEM_MEMBERS.some((name) => name in details),
    details,
  };
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}
