import { usageError } from "../arguments.ts";

/** Options that say where a value comes from. They stay here; all others go to the syscall. */
export interface TakenOptions {
  readonly given: ReadonlyMap<string, string | true>;
  readonly rest: readonly string[];
}

/** `names`: each option, and whether it takes a value. */
export function takeOptions(
  args: readonly string[],
  names: { readonly [option: string]: boolean },
  usage: string,
): TakenOptions {
  const given = new Map<string, string | true>();
  const rest: string[] = [];
  const words = args.values();
  for (const word of words) {
    const [, option = "", inline] = /^--([a-z-]+)(?:=(.*))?$/s.exec(word) ?? [];
    const takesValue = Object.hasOwn(names, option) ? names[option] : undefined;
    if (takesValue === undefined) {
      rest.push(word);
      continue;
    }
    if (given.has(option)) throw usageError(`--${option} is given twice.`, usage);
    if (!takesValue && inline !== undefined) throw usageError(`--${option} takes no value.`, usage);
    const value = takesValue ? (inline ?? words.next().value ?? "") : true;
    if (value === "") throw usageError(`--${option} needs a value.`, usage);
    given.set(option, value);
  }
  return { given, rest };
}

/** Refuses two options that say the same thing in two ways. */
export function onlyOne(given: TakenOptions["given"], options: readonly string[], usage: string): string | null {
  const [first, second] = options.filter((option) => given.has(option));
  if (first !== undefined && second !== undefined)
    throw usageError(`--${first} and --${second} exclude each other: the value comes from one place.`, usage);
  return first ?? null;
}
