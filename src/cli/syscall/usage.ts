import type { Member, SyscallEntry } from "../../client/index.ts";

/** `nomos session prompt ID PROMPT... [--queue] [--interrupt]` */
export function usageOf(spelling: string, entry: SyscallEntry): string {
  const positional = entry.cli.positional.flatMap((name, at) => {
    const member = entry.input.find((one) => one.name === name);
    if (member === undefined) return [];
    const isLast = at === entry.cli.positional.length - 1;
    const word = `${shout(name)}${isLast && takesRest(member) ? "..." : ""}`;
    return [member.required && entry.cli.otherwise?.member !== name ? word : `[${word}]`];
  });
  const options = optionsOf(entry).map((member) => {
    const spelled = optionSpelling(member);
    return member.required ? spelled : `[${spelled}]`;
  });
  return ["nomos", spelling, ...positional, ...options].join(" ");
}

/** Members that are options. Positional ones may be given as options too. */
export function optionsOf(entry: SyscallEntry): readonly Member[] {
  return entry.input.filter(({ name }) => !entry.cli.positional.includes(name));
}

export function optionSpelling({ name, type, values }: Member): string {
  const option = `--${kebab(name)}`;
  if (type === "boolean") return option;
  if (values !== null) return `${option} ${values.join("|")}`;
  const value = { text: shout(name), number: "N", list: `${shout(name)},...`, json: "JSON" }[type];
  return `${option} ${value}`;
}

export function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Text and lists take the rest of the line; an id is one word. */
export function takesRest({ name, type, values }: Member): boolean {
  const isText =
    type === "text" && values === null && !/^(id|to|at|path|sha256|slug|name|driver|agent|model|.*Id)$/.test(name);
  return isText || type === "list";
}

function shout(name: string): string {
  return kebab(name).replaceAll("-", "_").toUpperCase();
}
