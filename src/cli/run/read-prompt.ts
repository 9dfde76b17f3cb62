import { fstatSync } from "node:fs";
import { basename, resolve } from "node:path";
import { LIMITS } from "../../kernel/index.ts";
import { usageError } from "../arguments.ts";
import type { Terminal } from "../terminal.ts";
import { readFileLimited } from "./read-limited.ts";

/** A program that leaves its end of the pipe open and writes nothing must not hold up the command. */
const FIRST_BYTE_MS = 100;

export interface PromptSources {
  readonly words: readonly string[];
  /** `--prompt-file` */
  readonly file: string | undefined;
  /** `--context-file`: files, or `-` for standard input. */
  readonly contexts: readonly string[];
  /** Something else stands for a missing prompt. */
  readonly mayBeEmpty?: boolean;
}

/** The contexts, each between two marks; then the words, `--prompt-file`, and what is piped in. */
export async function readPrompt(terminal: Terminal, sources: PromptSources, usage: string): Promise<string> {
  const { words, file, contexts, mayBeEmpty = false } = sources;
  const isInputTaken = contexts.includes("-");
  const asksForInput = words.at(-1) === "-";
  if ((asksForInput && isInputTaken) || contexts.filter((one) => one === "-").length > 1)
    throw usageError("Standard input can only be read once.", usage);
  const typed = (asksForInput ? words.slice(0, -1) : words).join(" ");
  const isOnlySource = asksForInput || (typed === "" && file === undefined && !mayBeEmpty);
  const parts = [
    typed,
    file === undefined ? "" : await readNamed(terminal, file, "--prompt-file"),
    isInputTaken ? "" : await piped(terminal, isOnlySource),
  ];
  const prompt = parts.filter((part) => part !== "").join("\n\n");
  if (prompt.trim() === "" && contexts.length === 0 && mayBeEmpty) return "";
  if (prompt.trim() === "") throw usageError("The prompt is missing.", usage);
  const given: string[] = [];
  for (const context of contexts) given.push(await contextOf(terminal, context, usage));
  return [...given, prompt].join("\n\n");
}

async function contextOf(terminal: Terminal, source: string, usage: string): Promise<string> {
  const isInput = source === "-";
  if (isInput && terminal.isKeyboard()) throw usageError("--context-file - reads a pipe, and there is none.", usage);
  const text = isInput
    ? withoutLastNewline(await terminal.readInput(LIMITS.promptBytes))
    : await readNamed(terminal, source, "--context-file");
  if (text.trim() === "")
    throw usageError(`--context-file is empty: ${isInput ? "nothing came from standard input" : source}.`, usage);
  const label = isInput ? "stdin" : basename(source);
  return `--- Context (${label}) ---\n${text}\n--- End Context ---`;
}

async function readNamed(terminal: Terminal, file: string, option: string): Promise<string> {
  return withoutLastNewline(await readFileLimited(resolve(terminal.cwd, file), LIMITS.promptBytes, option));
}

/** Waits for the end of the input when nothing else was given; otherwise only if something comes at once. */
async function piped(terminal: Terminal, isOnlySource: boolean): Promise<string> {
  if (terminal.isKeyboard()) return "";
  if (isOnlySource || (isPipeOrFile() && (await comesAtOnce())))
    return withoutLastNewline(await terminal.readInput(LIMITS.promptBytes));
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
