import { loadEntries, SHORT_NAMES, SYSCALL_NAMES, type SyscallEntry } from "../../client/index.ts";

export interface FoundSyscall {
  readonly name: string;
  /** The words that named it: `session fork`, or `fork`. */
  readonly spelling: string;
  /** The arguments after those words. */
  readonly rest: readonly string[];
}

/** Finds a syscall by family and verb, or by its short form; null when there is none. */
export function findSyscall(words: readonly string[]): FoundSyscall | null {
  const [first = "", second = ""] = words;
  if (SYSCALL_NAMES.includes(`${first}.${second}`))
    return { name: `${first}.${second}`, spelling: `${first} ${second}`, rest: words.slice(2) };
  const name = SHORT_NAMES.get(first);
  return name === undefined ? null : { name, spelling: first, rest: words.slice(1) };
}

/** The details of one syscall. Decodes no others. */
export async function entryOf(name: string): Promise<SyscallEntry> {
  const [entry] = await loadEntries([name]);
  if (entry === undefined) throw new Error(`${name} is in the index and has no details: run \`npm run docs\``);
  return entry;
}

export function families(): readonly string[] {
  return [...new Set(SYSCALL_NAMES.map((name) => name.split(".")[0] ?? ""))].sort();
}

/** The verbs of a family, in the table's order. */
export function verbsOf(family: string): readonly string[] {
  return SYSCALL_NAMES.flatMap((name) => (name.startsWith(`${family}.`) ? [name.slice(family.length + 1)] : []));
}
