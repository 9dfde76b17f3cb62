import { fstatSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { usageError } from "../arguments.ts";
import type { Terminal } from "../terminal.ts";

/** A program that leaves its end of the pipe open and writes nothing must not hold up the command. */
const FIRST_BYTE_MS = 100;

/** The prompt: the words, `--prompt-file`, and what is piped in; all of it, in this order. */
export async function readPrompt(
  terminal: Terminal,
  words: readonly string[],
  file: string | undefined,
  usage: string,
): Promise<string> {
  const asksForInput = words.at(-1) === "-";
  const typed = (asksForInput ? words.slice(0, -1) : words).join(" ");
  const parts = [
    typed,
    file === undefined ? "" : await readNamed(resolve(terminal.cwd, file), usage),
    await piped(terminal, asksForInput || (typed === "" && file === undefined)),
  ];
  const prompt = parts.filter((part) => part !== "").join("\n\n");
  if (prompt.trim() === "") throw usageError("The prompt is missing.", usage);
  return prompt;
}

async function readNamed(path: string, usage: string): Promise<string> {
  try {
    return withoutLastNewline(await readFile(path, "utf8"));
  } catch (cause) {
    throw usageError(`--prompt-file cannot be read: ${cause instanceof Error ? cause.message : String(cause)}.`, usage);
  }
}

/** Waits for the end of the input when nothing else was given; otherwise only if something comes at once. */
async function piped(terminal: Terminal, isOnlySource: boolean): Promise<string> {
  if (terminal.isKeyboard()) return "";
  if (isOnlySource || (isPipeOrFile() && (await comesAtOnce()))) return withoutLastNewline(await terminal.readInput());
  return "";
}

function isPipeOrFile(): boolean {
  try {
    const input = fstatSync(0);
    return input.isFIFO() || input.isFile() || input.isSocket();
  } catch {
    // Closed.
    return false;
  }
}

function comesAtOnce(): Promise<boolean> {
  const { stdin } = process;
  return new Promise((resolve) => {
    const finish = (comes: boolean): void => {
      clearTimeout(timer);
      stdin.off("readable", onReadable);
      stdin.off("end", onEnd);
      if (!comes) stdin.unref?.();
      resolve(comes);
    };
    // `readable` is also said at the end, when there is nothing to read.
    const onReadable = (): void => finish(stdin.readableLength > 0);
    const onEnd = (): void => finish(false);
    const timer = setTimeout(() => finish(false), FIRST_BYTE_MS);
    stdin.on("readable", onReadable);
    stdin.on("end", onEnd);
  });
}

function withoutLastNewline(text: string): string {
  return text.endsWith("\n") ? text.slice(0, -1) : text;
}
