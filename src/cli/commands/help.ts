import { loadEntries, SHORT_NAMES, SYSCALL_NAMES, type SyscallEntry } from "../../client/index.ts";
import { EVERYDAY, isEveryday } from "../everyday.ts";
import type { Everyday } from "../everyday-command.ts";
import { aligned, paragraph, usageLines } from "../help/layout.ts";
import { type Commands, commandsBySubject, overview, subjectLines } from "../help/overview.ts";
import type { Text } from "../screen/styled.ts";
import { entryOf, findSyscall } from "../syscall/find-syscall.ts";
import { kebab, optionSpelling, optionsOf, usageOf } from "../syscall/usage.ts";
import { EXIT, type RunCommand } from "../terminal.ts";

const COMMANDS: Commands = {
  everyday: new Map(Object.entries<Everyday>(EVERYDAY).map(([name, { subject }]) => [name, subject])),
  shorts: SHORT_NAMES,
  syscalls: SYSCALL_NAMES,
};

/** Help for everything, for a subject or for a command, depending on the number of words. */
export const run: RunCommand = async (terminal, { args }) => {
  for (const line of await helpLines(args)) terminal.print(line);
  return EXIT.ok;
};

async function helpLines(words: readonly string[]): Promise<readonly Text[]> {
  const [first, second] = words;
  if (first === undefined) return overview(COMMANDS);
  if (first === "subjects" && second === undefined) return subjectLines(COMMANDS);
  const found = findSyscall(words);
  const subject = second === undefined ? await ofSubject(first) : [];
  if (isEveryday(first) && found?.spelling !== `${first} ${second}`)
    return [...ofEveryday(first), ...subject, ...EVERYWHERE];
  if (found !== null) return ofSyscall(found.spelling, await entryOf(found.name));
  if (subject.length === 0) throw (await import("../syscall/unknown-command.ts")).unknownCommand(words);
  return [`Commands of the subject ${first}`, ...subject, "", "More: nomos COMMAND --help"];
}

function ofEveryday(name: keyof typeof EVERYDAY): readonly Text[] {
  const { usage, summary, options = [] }: Everyday = EVERYDAY[name];
  return [...usageLines(usage), "", ...paragraph(`${summary}.`), ...aligned(options, "Options")];
}

/** Everyday commands, short forms and all verbs of one subject. */
async function ofSubject(subject: string): Promise<readonly Text[]> {
  const entries = await loadEntries(SYSCALL_NAMES.filter((name) => name.startsWith(`${subject}.`)));
  const everyday = (commandsBySubject(COMMANDS).get(subject) ?? []).map((word) => {
    const short = entries.find(({ cli }) => cli.short === word);
    return [`nomos ${word}`, isEveryday(word) ? EVERYDAY[word].summary : (short?.summary ?? "")] as const;
  });
  const verbs = entries.map(({ name, summary }) => [`nomos ${name.replace(".", " ")}`, summary] as const);
  return [...aligned(everyday, "Everyday"), ...aligned(verbs, "Verbs")];
}

const EVERYWHERE = [
  "",
  ...paragraph('With --json the answer is for a program: the value, or {"error": ...}, on stdout.'),
];

/** Options that the command line adds to a verb, such as `--key-stdin`. */
function ofTerminal(spelling: string): NonNullable<Everyday["options"]> {
  const own = Object.values<Everyday>(EVERYDAY).find(({ usage }) => usage.startsWith(`nomos ${spelling} `));
  return own?.options ?? [];
}

function ofSyscall(spelling: string, entry: SyscallEntry): readonly Text[] {
  const describe = ({ description, values }: SyscallEntry["input"][number]) =>
    [description, values === null ? "" : `one of ${values.join(", ")}`].filter((part) => part !== "").join("; ");
  const positional = entry.cli.positional.flatMap((one) => entry.input.find((member) => member.name === one) ?? []);
  const key =
    entry.kind === "write" ? [["--idempotency-key KEY", "asking again with it changes nothing twice"] as const] : [];
  const options = optionsOf(entry).map((member) => [optionSpelling(member), describe(member)] as const);
  return [
    ...usageLines(usageOf(spelling, entry)),
    "",
    ...paragraph(`${entry.summary}.`),
    ...aligned(
      positional.map((member) => [kebab(member.name), describe(member)] as const),
      "Arguments",
    ),
    ...aligned([...options, ...ofTerminal(spelling), ...key], "Options"),
    "",
    ...paragraph(`Syscall ${entry.name}: ${entry.http.method} ${entry.http.path}, needs ${entry.permission}.`),
    ...(entry.errors.length === 0 ? [] : paragraph(`May be refused with ${entry.errors.join(", ")}.`)),
    ...EVERYWHERE,
  ];
}
