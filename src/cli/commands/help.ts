import { SYSCALLS, type SyscallEntry } from "../../client/index.ts";
import { EVERYDAY, type Everyday, isEveryday } from "../everyday.ts";
import { bold, type Text } from "../screen/styled.ts";
import { families, findSyscall, shortForms, verbsOf } from "../syscall/find-syscall.ts";
import { unknownCommand } from "../syscall/unknown-command.ts";
import { kebab, optionSpelling, optionsOf, usageOf } from "../syscall/usage.ts";
import { EXIT, type RunCommand } from "../terminal.ts";

/** Of everything, of a family, of a command: by as many words as are given. */
export const run: RunCommand = async (terminal, { args }) => {
  for (const line of helpLines(args)) terminal.print(line);
  return EXIT.ok;
};

function helpLines(words: readonly string[]): readonly Text[] {
  const [first, second] = words;
  if (first === undefined) return overview();
  const everyday: Everyday | null = isEveryday(first) ? EVERYDAY[first] : null;
  if (everyday !== null && findSyscall([first, second ?? ""])?.spelling !== `${first} ${second}`)
    return [everyday.usage, "", `${everyday.summary}.`, ...aligned(everyday.options ?? [], "Options"), ...EVERYWHERE];
  const found = findSyscall(words);
  if (found !== null) return ofSyscall(found.name, found.spelling, found.entry);
  const verbs = verbsOf(first);
  if (verbs.length === 0 || second !== undefined) throw unknownCommand(words);
  const rows = verbs.map(([verb, { summary }]) => [`nomos ${first} ${verb}`, summary] as const);
  return [`nomos ${first} VERB`, ...aligned(rows, "Verbs"), "", `More: nomos ${first} VERB --help`];
}

function overview(): readonly Text[] {
  const own = Object.entries(EVERYDAY).map(([name, { summary }]) => [name, summary] as const);
  const short = shortForms().flatMap(([name, { summary }]) => (isEveryday(name) ? [] : [[name, summary] as const]));
  const rest = families().map(
    (family) =>
      [
        family,
        verbsOf(family)
          .map(([verb]) => verb)
          .join(", "),
      ] as const,
  );
  return [
    "nomos: an operating system for AI agent sessions",
    "",
    "nomos COMMAND [--json] [--help]",
    ...aligned([...own, ...short], "Everyday"),
    ...aligned(rest, `Every syscall (${Object.keys(SYSCALLS).length}): nomos FAMILY VERB`),
    "",
    "State is in $NOMOS_HOME (default ~/.nomos). A session is named by its id, the beginning of one, or its name.",
    "Exit codes: 0 ok, 1 failed or a negative verdict, 2 usage, 3 denied, 4 not found, 5 conflict, 6 unavailable.",
  ];
}

const EVERYWHERE = ["", 'With --json the answer is for a program: the value, or {"error": ...}, on stdout.'];

function ofSyscall(name: string, spelling: string, entry: SyscallEntry): readonly Text[] {
  const describe = ({ description, values }: SyscallEntry["input"][number]) =>
    [description, values === null ? "" : `one of ${values.join(", ")}`].filter((part) => part !== "").join("; ");
  const positional = entry.cli.positional.flatMap((one) => entry.input.find((member) => member.name === one) ?? []);
  const key =
    entry.kind === "write" ? [["--idempotency-key KEY", "asking again with it changes nothing twice"] as const] : [];
  const options = optionsOf(entry).map((member) => [optionSpelling(member), describe(member)] as const);
  return [
    usageOf(spelling, entry),
    "",
    `${entry.summary}.`,
    ...aligned(
      positional.map((member) => [kebab(member.name), describe(member)] as const),
      "Arguments",
    ),
    ...aligned([...options, ...key], "Options"),
    "",
    `Syscall ${name}: ${entry.http.method} ${entry.http.path}, needs ${entry.permission}.`,
    ...(entry.errors.length === 0 ? [] : [`May be refused with ${entry.errors.join(", ")}.`]),
    ...EVERYWHERE,
  ];
}

function aligned(rows: readonly (readonly [string, string])[], title: string): readonly Text[] {
  if (rows.length === 0) return [];
  const width = Math.max(...rows.map(([name]) => name.length));
  return ["", bold(title), ...rows.map(([name, meaning]) => `  ${name.padEnd(width)}  ${meaning}`.trimEnd())];
}
