import { SYSCALLS, type SyscallEntry } from "../../client/index.ts";

export interface FoundSyscall {
  readonly name: string;
  readonly entry: SyscallEntry;
  /** How it was written: `session fork`, or `fork`. */
  readonly spelling: string;
  /** What came after that. */
  readonly rest: readonly string[];
}

const ENTRIES: { readonly [name: string]: SyscallEntry } = SYSCALLS;

/** By family and verb, or by its short form. Null when neither names one. */
export function findSyscall(words: readonly string[]): FoundSyscall | null {
  const [first = "", second = ""] = words;
  const entry = Object.hasOwn(ENTRIES, `${first}.${second}`) ? ENTRIES[`${first}.${second}`] : undefined;
  if (entry !== undefined)
    return { name: `${first}.${second}`, entry, spelling: `${first} ${second}`, rest: words.slice(2) };
  const short = Object.entries(ENTRIES).find(([, { cli }]) => cli.short === first);
  if (short === undefined) return null;
  const [name, found] = short;
  return { name, entry: found, spelling: first, rest: words.slice(1) };
}

export function families(): readonly string[] {
  return [...new Set(Object.keys(ENTRIES).map((name) => name.split(".")[0] ?? ""))].sort();
}

/** `verb -> entry`, in the table's order. */
export function verbsOf(family: string): readonly (readonly [string, SyscallEntry])[] {
  return Object.entries(ENTRIES).flatMap(([name, entry]) =>
    name.startsWith(`${family}.`) ? [[name.slice(family.length + 1), entry] as const] : [],
  );
}

export function shortForms(): readonly (readonly [string, SyscallEntry, string])[] {
  return Object.entries(ENTRIES).flatMap(([name, entry]) =>
    entry.cli.short === null ? [] : [[entry.cli.short, entry, name] as const],
  );
}
