import { valuesOf } from "../completion/ask-daemon.ts";
import { commandWords, wantedAfter } from "../completion/wanted.ts";
import { cutTo } from "../print/screen-text.ts";
import { oneLine } from "../print/table.ts";
import { EXIT, type RunCommand } from "../terminal.ts";

/** The shell completes files itself. */
const FILES = ":files";
const MEANING_COLUMNS_MAX = 60;

/**
 * `nomos __complete -- WORDS...`, for the scripts of `nomos completion`: what may stand for the last word, one line each
 * with a tab and its meaning. Not in the help: people do not type it.
 */
export const run: RunCommand = async (terminal, { args }) => {
  const words = args.slice(args.indexOf("--") + 1);
  const current = words.at(-1) ?? "";
  const { words: fixed, kinds, session } = await wantedAfter(words);
  const asked = kinds.filter((kind) => kind !== "file" && kind !== "command");
  const values = await Promise.all(asked.map((kind) => valuesOf(terminal, kind, session)));
  const candidates = [...fixed, ...values.flat(), ...(kinds.includes("command") ? await commandWords() : [])];
  const seen = new Set<string>();
  for (const { value, meaning } of candidates) {
    if (seen.has(value) || !value.startsWith(current)) continue;
    seen.add(value);
    terminal.print(`${value}\t${cutTo(oneLine(meaning).replaceAll("\t", " "), MEANING_COLUMNS_MAX)}`);
  }
  if (kinds.includes("file")) terminal.print(FILES);
  return EXIT.ok;
};
