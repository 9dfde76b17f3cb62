import { loadEntries, SYSCALL_NAMES, type SyscallEntry } from "../../client/index.ts";
import { EVERYDAY, type Everyday, isEveryday } from "../everyday.ts";
import { families } from "../syscall/find-syscall.ts";
import { kebab } from "../syscall/usage.ts";

/** The words of the command line: a first word, sometimes a second, then options. */
export interface CommandWord {
  readonly word: string;
  readonly summary: string;
  readonly options: readonly string[];
  readonly next: readonly CommandWord[];
}

const SECOND_WORDS: { readonly [name: string]: readonly string[] } = {
  completion: ["bash", "zsh", "fish"],
  config: ["show", "explain", "get", "set"],
  daemon: ["logs"],
};

export async function commandTree(): Promise<readonly CommandWord[]> {
  const entries = await loadEntries(SYSCALL_NAMES);
  const everyday = Object.entries<Everyday>(EVERYDAY).map(([word, { summary, options = [] }]) => ({
    word,
    summary,
    options: ["--json", "--help", ...options.flatMap(([spelling]) => /--[\w-]+/.exec(spelling) ?? [])],
    next: (SECOND_WORDS[word] ?? []).map((second) => ({ word: second, summary: "", options: [], next: [] })),
  }));
  const short = entries.flatMap((entry) => {
    const word = entry.cli.short;
    return word === null || isEveryday(word) ? [] : [commandWord(word, entry)];
  });
  const table = families()
    .filter((family) => !isEveryday(family))
    .map((family) => ({
      word: family,
      summary: `${family} syscalls`,
      options: ["--help"],
      next: verbs(family, entries),
    }));
  return [...everyday, ...short, ...table];
}

function verbs(family: string, entries: readonly SyscallEntry[]): readonly CommandWord[] {
  return entries.flatMap((entry) => {
    const [own, verb = ""] = entry.name.split(".");
    return own === family ? [commandWord(verb, entry)] : [];
  });
}

function commandWord(word: string, entry: SyscallEntry): CommandWord {
  return { word, summary: entry.summary, options: optionsOf(entry), next: [] };
}

function optionsOf(entry: SyscallEntry): readonly string[] {
  const key = entry.kind === "write" ? ["--idempotency-key"] : [];
  return ["--json", "--help", ...entry.input.map(({ name }) => `--${kebab(name)}`), ...key];
}
