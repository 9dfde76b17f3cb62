import { loadEntries, SHORT_NAMES, SYSCALL_NAMES, type SyscallEntry } from "../../client/index.ts";

export interface FoundSyscall {
  readonly name: string;
  /** How it was written: `session fork`, or `fork`. */
  readonly spelling: string;
  /** What came after that. */
  readonly rest: readonly string[];
}

/** By family and verb, or by its short form. Null when neither names one. */
export function findSyscall(words: readonly string[]): FoundSyscall | null {
  const [first = "", second = ""] = words;
  if (SYSCALL_NAMES.includes(`${first}.${second}`))
    return { name: `${first}.${second}`, spelling: `${first} ${second}`, rest: words.slice(2) };
  const name = SHORT_NAMES.get(first);
  return name === undefined ? null : { name, spelling: first, rest: words.slice(1) };
}

/** What its definition says. Only this one is decoded. */
export async function entryOf(name: string): Promise<SyscallEntry> {
  const [entry] = await loadEntries([name]);
  if (entry === undefined) throw new Error(`${name} is in the index and has no details: run \`npm run docs\``);
  return entry;
}

export function families(): readonly string[] {
  return [...new Set(SYSCALL_NAMES.map((name) => name.split(".")[0] ?? ""))].sort();
}

/** In the table's order. */
export function verbsOf(family: string): readonly string[] {
  return SYSCALL_NAMES.flatMap((name) => (name.startsWith(`${family}.`) ? [name.slice(family.length + 1)] : []));
}
