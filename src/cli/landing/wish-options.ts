import { usageError } from "../arguments.ts";
import { splitWords } from "./split-words.ts";

type How = "merge" | "rebase" | "squash";

/** How commits get onto a branch, as flags or as `--how`; null: as the configuration says. */
export const HOW_OPTIONS = {
  merge: { type: "boolean" },
  rebase: { type: "boolean" },
  squash: { type: "boolean" },
  how: { type: "string" },
} as const;

export function howOf(
  { how, ...flags }: { readonly [flag in How]?: boolean | undefined } & { readonly how?: string | undefined },
  usage: string,
): How | null {
  const ways = (["merge", "rebase", "squash"] as const).filter((way) => flags[way] === true || how === way);
  const [way, another] = ways;
  if (another !== undefined) throw usageError(`Choose one of --${ways.join(", --")}.`, usage);
  if (how !== undefined && way === undefined) throw usageError("--how is one of merge, rebase, squash.", usage);
  return way ?? null;
}

/** `["npm", "test"]`, or words as a shell splits them. */
export function checkOf(given: string, usage: string): string[] {
  const text = given.trim();
  const argv = text.startsWith("[") ? parsed(text, usage) : splitWords(text);
  const isArgv = Array.isArray(argv) && argv.length > 0 && argv.every((word) => typeof word === "string");
  if (isArgv) return argv.map(String);
  throw usageError(
    `--check is a program with its arguments, as words or as JSON, not ${JSON.stringify(given)}.`,
    usage,
  );
}

function parsed(text: string, usage: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw usageError(`--check is not JSON: ${cause instanceof Error ? cause.message : String(cause)}.`, usage);
  }
}
