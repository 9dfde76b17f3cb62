import type { SyscallEntry } from "../../client/index.ts";
import { EVERYDAY, type Everyday, isEveryday } from "../everyday.ts";
import { families, shortForms, verbsOf } from "../syscall/find-syscall.ts";
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
  config: ["show", "get", "set"],
  daemon: ["logs"],
};

export function commandTree(): readonly CommandWord[] {
  const everyday = Object.entries<Everyday>(EVERYDAY).map(([word, { summary, options = [] }]) => ({
    word,
    summary,
    options: ["--json", "--help", ...options.flatMap(([spelling]) => /--[\w-]+/.exec(spelling) ?? [])],
    next: (SECOND_WORDS[word] ?? []).map((second) => ({ word: second, summary: "", options: [], next: [] })),
  }));
  const short = shortForms()
    .filter(([word]) => !isEveryday(word))
    .map(([word, entry]) => ({ word, summary: entry.summary, options: optionsOf(entry), next: [] }));
  const table = families()
    .filter((family) => !isEveryday(family))
    .map((family) => ({ word: family, summary: `${family} syscalls`, options: ["--help"], next: verbs(family) }));
  return [...everyday, ...short, ...table];
}

function verbs(family: string): readonly CommandWord[] {
  return verbsOf(family).map(([word, entry]) => ({
    word,
    summary: entry.summary,
    options: optionsOf(entry),
    next: [],
  }));
}

function optionsOf(entry: SyscallEntry): readonly string[] {
  const key = entry.kind === "write" ? ["--idempotency-key"] : [];
  return ["--json", "--help", ...entry.input.map(({ name }) => `--${kebab(name)}`), ...key];
}
