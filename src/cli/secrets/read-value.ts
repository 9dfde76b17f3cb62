import { resolve } from "node:path";
import { usageError } from "../arguments.ts";
import { readFileLimited } from "../run/read-limited.ts";
import { askHidden } from "../screen/ask-hidden.ts";
import type { Terminal } from "../terminal.ts";
import { onlyOne, type TakenOptions } from "./take-options.ts";

/** A little more than a value may have: the daemon says what is too long. */
const VALUE_BYTES_MAX = 1_048_576;

/** Reads a value from where the options say, or asks for it. */
export async function readValue(
  terminal: Terminal,
  given: TakenOptions["given"],
  { question, usage }: { readonly question: string; readonly usage: string },
): Promise<string> {
  const source = onlyOne(given, ["stdin", "file", "env"], usage);
  const named = source === null ? "" : String(given.get(source));
  switch (source) {
    case "stdin":
      return withoutLastNewline(await terminal.readInput(VALUE_BYTES_MAX));
    case "file":
      return withoutLastNewline(await readFileLimited(resolve(terminal.cwd, named), VALUE_BYTES_MAX, "--file"));
    case "env": {
      const value = terminal.environment[named];
      if (value === undefined) throw usageError(`The environment has no variable ${named}.`, usage);
      return value;
    }
    default:
      if (!terminal.isKeyboard())
        throw usageError("There is no terminal to ask on. Give --stdin, --file FILE or --env VARIABLE.", usage);
      return withoutLastNewline(await askHidden(terminal, question));
  }
}

/** Editors and `echo` end a text with a newline that is no part of the value. */
function withoutLastNewline(text: string): string {
  return text.replace(/\r?\n$/, "");
}
