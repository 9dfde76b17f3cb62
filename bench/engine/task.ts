import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** What the scripted model does with a prompt: it reads so many files, one a step, then answers in pieces. */
const Task = z.object({
  /** The prompts of a session share it: the model compares each request with the one before. */
  conversation: z.string(),
  reads: z.number().int(),
  folder: z.string(),
  /** Of the answer. */
  pieces: z.number().int(),
  /** From the head of the answer until its first piece. */
  firstMs: z.number(),
  pieceMs: z.number(),
});
export type Task = z.infer<typeof Task>;

const MARK = "@bench ";
const FILE_LINES = 40;

/** The task stands in the prompt, so that the model needs no state to follow it. */
export function promptOf(task: Pick<Task, "conversation"> & Partial<Task>): string {
  const whole: Task = { reads: 0, folder: "", pieces: 1, firstMs: 0, pieceMs: 0, ...task };
  return `Look at the files.\n${MARK}${JSON.stringify(whole)}\n`;
}

/** Of the answer. */
export function pieceOf(number: number): string {
  return `piece ${number} `;
}

/** Null: this text has no task, or only quotes one. */
export function taskIn(text: string): Task | null {
  const found = text.slice(text.lastIndexOf(MARK)).match(/^@bench (\{[^{}\\]*\})/)?.[1];
  return found === undefined ? null : Task.parse(JSON.parse(found));
}

export function fileOf(folder: string, number: number): string {
  return join(folder, `file-${number}.txt`);
}

/** Proves that a tool really read the file. */
export function firstLineOf(number: number): string {
  return `This is the first line of file ${number}.`;
}

/** Some 2 KB each, and no two alike: some agents ask a person when calls repeat. */
export function layFiles(folder: string, count: number): void {
  mkdirSync(folder, { recursive: true });
  for (let number = 0; number < count; number += 1) {
    const lines = Array.from({ length: FILE_LINES }, (_, at) => `Line ${at} of file ${number}, which has no secrets.`);
    writeFileSync(fileOf(folder, number), `${[firstLineOf(number), ...lines].join("\n")}\n`);
  }
}
