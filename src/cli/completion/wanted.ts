import { loadEntries, SHORT_NAMES, SYSCALL_NAMES, type SyscallEntry } from "../../client/index.ts";
import { EVERYDAY, isEveryday } from "../everyday.ts";
import type { Everyday } from "../everyday-command.ts";
import { entryOf, families, findSyscall } from "../syscall/find-syscall.ts";
import { kebab } from "../syscall/usage.ts";
import { type Kind, kindOfMember, kindOfPlaceholder } from "./kinds.ts";

export interface Candidate {
  readonly value: string;
  readonly meaning: string;
}

/** What may stand at the cursor. */
export interface Wanted {
  readonly words: readonly Candidate[];
  readonly kinds: readonly Kind[];
  /** The session that was named before: its turns are asked for. */
  readonly session: string | null;
}

const NOTHING: Wanted = { words: [], kinds: [], session: null };

/** What may follow these words after `nomos`; the last one is the word at the cursor and may be empty. */
export async function wantedAfter(words: readonly string[]): Promise<Wanted> {
  const before = words.slice(0, -1);
  const current = words.at(-1) ?? "";
  const [first] = before;
  if (first === undefined) return { ...NOTHING, words: await commandWords() };
  if (before.includes("--")) return { ...NOTHING, kinds: ["file"] };
  const found = findSyscall(before);
  if (isEveryday(first) && (found?.spelling !== `${first} ${before[1]}` || isNamed(first, before[1] ?? "")))
    return ofEveryday(first, before.slice(1), current);
  if (found !== null) return ofSyscall(await entryOf(found.name), found.rest, current);
  return before.length === 1 ? { ...NOTHING, words: await verbsIn(first) } : NOTHING;
}

/** Whether the usage of an everyday command names this second word: `nomos config set`. */
function isNamed(name: keyof typeof EVERYDAY, second: string): boolean {
  return afterWords(usageAfter(name), []).words.includes(second);
}

function usageAfter(name: keyof typeof EVERYDAY): string {
  return EVERYDAY[name].usage.replace(`nomos ${name}`, "");
}

/** Every first word. */
export async function commandWords(): Promise<readonly Candidate[]> {
  const entries = await loadEntries([...SHORT_NAMES.values()]);
  const everyday = Object.entries<Everyday>(EVERYDAY).map(([value, { summary }]) => ({ value, meaning: summary }));
  const shorts = entries.flatMap(({ cli, summary }) =>
    cli.short === null || isEveryday(cli.short) ? [] : [{ value: cli.short, meaning: summary }],
  );
  const others = families().filter((family) => !isEveryday(family));
  return [...everyday, ...shorts, ...others.map((value) => ({ value, meaning: `commands about ${value}` }))];
}

async function verbsIn(family: string): Promise<readonly Candidate[]> {
  const entries = await loadEntries(SYSCALL_NAMES.filter((name) => name.startsWith(`${family}.`)));
  return entries.map(({ name, summary }) => ({ value: name.slice(family.length + 1), meaning: summary }));
}

interface Option {
  readonly names: readonly string[];
  readonly meaning: string;
  /** Null: it takes no value. */
  readonly value: { readonly kind: Kind | null; readonly words: readonly string[] } | null;
}

const EVERYWHERE: readonly Option[] = [
  { names: ["--json"], meaning: "print the answer as JSON", value: null },
  { names: ["--help"], meaning: "show the usage", value: null },
];

function ofSyscall(entry: SyscallEntry, rest: readonly string[], current: string): Wanted {
  const options = entry.input.map((member): Option => {
    const value = { kind: kindOfMember(entry, member), words: member.values ?? [] };
    const names = member.name === "cwd" ? ["--cwd", "-C"] : [`--${kebab(member.name)}`];
    return { names, meaning: member.description, value: member.type === "boolean" ? null : value };
  });
  const given = positions(rest, options);
  const name = entry.cli.positional[given.length];
  const member = entry.input.find((one) => one.name === name);
  const kind = member === undefined ? null : kindOfMember(entry, member);
  const at = { words: plain(member?.values ?? []), kinds: kind === null ? [] : [kind] };
  const session = entry.cli.positional[0] === "id" ? (given[0] ?? null) : null;
  return { ...(optionAt(options, rest, current) ?? at), session };
}

async function ofEveryday(name: keyof typeof EVERYDAY, rest: readonly string[], current: string): Promise<Wanted> {
  const { options: described = [] }: Everyday = EVERYDAY[name];
  const options = described.map(([spelling, meaning]): Option => {
    const [, placeholder] = / ([A-Z][A-Z_]*)[^a-z]*$/.exec(spelling) ?? [];
    const [, alternatives] = / ([a-z]+(?:\|[a-z]+)+)$/.exec(spelling) ?? [];
    const kind = placeholder === "ID" ? "session" : kindOfPlaceholder(placeholder ?? "");
    const takes = placeholder !== undefined || alternatives !== undefined;
    return {
      names: spelling.match(/--?[a-zA-Z][\w-]*/g) ?? [],
      meaning,
      value: takes ? { kind, words: alternatives?.split("|") ?? [] } : null,
    };
  });
  const option = optionAt(options, rest, current);
  if (option !== null) return { ...option, session: null };
  const given = positions(rest, options);
  const next = afterWords(usageAfter(name), given);
  const verbs = given.length === 0 ? await verbsIn(name) : [];
  return {
    words: [...plain(next.words), ...verbs.filter(({ value }) => !next.words.includes(value))],
    kinds: next.kinds,
    session: null,
  };
}

/** Reads what may stand after these words out of a usage: `[show | get KEY | set KEY VALUE]`. */
function afterWords(
  usage: string,
  given: readonly string[],
): { readonly words: readonly string[]; readonly kinds: readonly Kind[] } {
  const plainUsage = usage.replace(/\[-[^\]]*\](\.\.\.)?/g, "").replace(/[[\]]/g, "");
  const tokens = plainUsage
    .split(" | ")
    .map((alternative) => alternative.trim().split(/\s+/).filter(Boolean))
    .filter((alternative) => given.every((word, at) => fits(alternative[at], word)))
    .flatMap((alternative) => alternative[given.length]?.split("|") ?? []);
  const kinds = [...new Set(tokens.flatMap((token) => kindOfPlaceholder(token) ?? []))];
  return {
    words: tokens.filter((token) => /^[a-z]\w*$/.test(token)),
    // A question is named by its session: the others have none.
    kinds: kinds.filter((kind) => kind !== "session" || !kinds.includes("question")),
  };
}

function fits(token: string | undefined, word: string): boolean {
  return token !== undefined && (/^[A-Z]/.test(token) || token.split("|").includes(word));
}

/** Options and their values, when one of them is at the cursor; null otherwise. */
function optionAt(
  options: readonly Option[],
  rest: readonly string[],
  current: string,
): Omit<Wanted, "session"> | null {
  const last = rest.at(-1) ?? "";
  const open = options.find(({ names, value }) => value !== null && names.includes(last));
  if (open?.value != null)
    return { words: plain(open.value.words), kinds: open.value.kind === null ? [] : [open.value.kind] };
  if (!current.startsWith("-")) return null;
  const words = [...options, ...EVERYWHERE].flatMap(({ names, meaning }) =>
    names.filter((name) => name.startsWith("--")).map((value) => ({ value, meaning })),
  );
  return { words, kinds: [] };
}

/** The words that are neither options nor their values. */
function positions(rest: readonly string[], options: readonly Option[]): readonly string[] {
  const takesValue = (word: string) => options.some(({ names, value }) => value !== null && names.includes(word));
  return rest.filter((word, at) => !word.startsWith("-") && !takesValue(rest[at - 1] ?? ""));
}

function plain(words: readonly string[]): readonly Candidate[] {
  return words.map((value) => ({ value, meaning: "" }));
}
