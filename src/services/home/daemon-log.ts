import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createRotatedFile } from "./rotated-file.ts";
import { withoutSecrets } from "./without-secrets.ts";

export interface DaemonLog {
  readonly write: (message: string, details?: object) => void;
  readonly close: () => Promise<void>;
}

export interface DaemonLogOptions {
  readonly echo: (line: string) => void;
  /** Replaces the secrets that this home knows. */
  readonly redact: (text: string) => string;
  readonly bytesMax?: number;
}

const FILE_BYTES_MAX = 10_485_760;
export const FILES_KEPT = 3;
const LINE_CHARS_MAX = 16_384;
const CUT_CHARS = 8192;
/** Bytes that wait while the disk is slow; further lines are dropped and counted. */
const UNWRITTEN_BYTES_MAX = 4_194_304;

export function daemonLogPath(home: string): string {
  return join(home, "logs", "daemon.log");
}

/** The daemon's own log: one JSON line per message, rotated when the file is full. It never holds a secret. */
export function openDaemonLog(home: string, { echo, redact, bytesMax = FILE_BYTES_MAX }: DaemonLogOptions): DaemonLog {
  const path = daemonLogPath(home);
  mkdirSync(join(home, "logs"), { recursive: true, mode: 0o700 });
  const file = createRotatedFile(path, { bytesMax, filesKept: FILES_KEPT });
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let writing: Promise<void> | null = null;
  let dropped = 0;

  // One batch at a time: lines keep their order, and a file is renamed only when all its lines are in it.
  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const lines = waiting;
      waiting = [];
      // A log that cannot be written must not end the daemon.
      await file.writeLines(lines).catch(() => undefined);
      for (const { length } of lines) waitingBytes -= length;
    }
    writing = null;
  };
  const formatted = (message: string, details: object): string => lineOf(message, details, redact);
  const append = (line: string): void => {
    const bytes = Buffer.from(`${line}\n`);
    waiting.push(bytes);
    waitingBytes += bytes.length;
    writing ??= writeAll();
  };
  return {
    write: (message, details = {}) => {
      const line = formatted(message, details);
      echo(line);
      if (waitingBytes > UNWRITTEN_BYTES_MAX) {
        dropped += 1;
        return;
      }
      if (dropped > 0) append(formatted("lines were dropped: the log could not be written fast enough", { dropped }));
      dropped = 0;
      append(line);
    },
    close: async () => {
      await writing;
      await file.close();
    },
  };
}

/** Formats one line: bounded length, valid JSON, no control characters for terminals. */
function lineOf(message: string, details: object, redact: (text: string) => string): string {
  const at = new Date().toISOString();
  const whole = visible(redact(JSON.stringify({ at, message, ...details })));
  const line = whole.length <= LINE_CHARS_MAX ? withoutSecrets(whole) : null;
  // Cut twice: a secret that the first cut splits is not recognised; the second cut drops that part.
  return line ?? JSON.stringify({ at, cut: withoutSecrets(whole.slice(0, LINE_CHARS_MAX)).slice(0, CUT_CHARS) });
}

/** Escapes characters that JSON allows but that a terminal interprets or hides. The JSON value stays the same. */
function visible(json: string): string {
  return json.replace(HIDDEN, (found) =>
    Array.from({ length: found.length }, (_, at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, "0")}`).join(
      "",
    ),
  );
}

const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
