import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expectWords, parseArguments, usageError } from "../../arguments.ts";
import { EVERYDAY } from "../../everyday.ts";
import { pause } from "../../pause.ts";
import { spell } from "../../print/spell.ts";
import { stopByHand } from "../../stop-by-hand.ts";
import { EXIT, type RunCommand, type Terminal } from "../../terminal.ts";

const LINES = 100;
const LOOK_EVERY_MS = 200;

/** Reads the file directly, because the log is needed most when the daemon is down. */
export const run: RunCommand = async (terminal, { args, json }) => {
  const { values, positionals } = parseArguments(args, {
    follow: { type: "boolean", short: "f" },
    lines: { type: "string", short: "n" },
  });
  const usage = EVERYDAY.daemon.usage;
  const [verb, ...rest] = positionals;
  if (verb !== "logs") throw usageError("daemon needs a verb: logs.", usage);
  expectWords(rest, [], usage);
  const count = Number(values.lines ?? LINES);
  if (!Number.isInteger(count) || count < 0) throw usageError(`--lines is not a number: ${values.lines}.`, usage);
  const stop = values.follow === true ? stopByHand() : null;
  const path = join(terminal.home, "logs", "daemon.log");
  const text = await readFile(path, "utf8").catch(() => "");
  const lines = text.split("\n").filter((line) => line !== "");
  for (const line of count === 0 ? [] : lines.slice(-count)) printLine(terminal, line, json);
  if (stop !== null) await follow(terminal, path, Buffer.byteLength(text), json, stop);
  else if (lines.length === 0) terminal.complain(`there is no log at ${path} yet`);
  return EXIT.ok;
};

/** A file that became shorter was rotated. */
async function follow(terminal: Terminal, path: string, from: number, json: boolean, stop: AbortSignal): Promise<void> {
  let position = from;
  let rest = "";
  while (!stop.aborted) {
    const size = (await stat(path).catch(() => null))?.size ?? 0;
    if (size < position) position = 0;
    if (size > position) {
      const lines = (rest + (await readPart(path, position, size))).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) printLine(terminal, line, json);
      position = size;
    }
    await pause(LOOK_EVERY_MS, stop);
  }
}

async function readPart(path: string, from: number, to: number): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of createReadStream(path, { start: from, end: to - 1 })) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString("utf8");
}

function printLine(terminal: Terminal, line: string, json: boolean): void {
  const entry = parsed(line);
  if (entry === null) terminal.print(line);
  else if (json) terminal.printJson(entry);
  else terminal.print(readable(entry) ?? line);
}

/** Null when the line is not a log entry. */
function readable(entry: unknown): string | null {
  if (typeof entry !== "object" || entry === null || !("at" in entry) || !("message" in entry)) return null;
  const { at, message, ...details } = entry;
  const rest = Object.entries(details).map(([name, value]) => `${name}=${spell(value)}`);
  return [String(at), String(message), ...rest].join(" ");
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
