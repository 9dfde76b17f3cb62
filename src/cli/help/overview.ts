import { HELP_COLUMNS } from "./layout.ts";

/** All commands, read from the index alone, so that the help loads no details of syscalls. */
export interface Commands {
  /** Everyday command -> its subject, in the order of the help. */
  readonly everyday: ReadonlyMap<string, string>;
  /** Short form -> syscall. */
  readonly shorts: ReadonlyMap<string, string>;
  readonly syscalls: readonly string[];
}

const COMMAND_LINES_MAX = 7;
const SUBJECT_LINES_MAX = 4;
/** A subject with fewer commands gets no line of its own. */
const FEW_WORDS = 2;
const MORE = "...";

/** Fits on a screen of 24 lines with the shell prompt below, however many syscalls there are. */
export function overview(commands: Commands): readonly string[] {
  const all = [...commandsBySubject(commands)];
  const few = all.filter(([, words]) => words.length <= FEW_WORDS).flatMap(([, words]) => words);
  const subjects = [...all.filter(([, words]) => words.length > FEW_WORDS), ["others", few] as const];
  const width = Math.max(...subjects.map(([subject]) => subject.length));
  const rows = subjects.flatMap(([subject, words]) =>
    wrapped(words, HELP_COLUMNS - width - 4).map((line, at) => `  ${(at === 0 ? subject : "").padEnd(width)}  ${line}`),
  );
  const families = wrapped(familiesOf(commands.syscalls), HELP_COLUMNS - 2).map((line) => `  ${line}`);
  return [
    "nomos: an operating system for AI agent sessions",
    "",
    "  nomos                   the board: every session, live",
    '  nomos run "task"        start a session and follow it',
    "  nomos chat              talk to an agent; -s SESSION joins one that runs",
    "  nomos COMMAND --help    explain a command; --json answers for a program",
    "",
    ...cut(rows, COMMAND_LINES_MAX),
    "",
    `Every syscall (${commands.syscalls.length}): nomos SUBJECT VERB; nomos help SUBJECT lists the verbs`,
    ...cut(families, SUBJECT_LINES_MAX),
    "",
    "State is in $NOMOS_HOME (default ~/.nomos). Exit codes: 0 ok, 1 failed or a",
    "negative verdict, 2 usage, 3 denied, 4 not found, 5 conflict, 6 unavailable.",
  ];
}

/** Subject -> its everyday commands, then its short forms. */
export function commandsBySubject({ everyday, shorts }: Commands): ReadonlyMap<string, readonly string[]> {
  const bySubject = new Map<string, string[]>();
  const add = (subject: string, word: string) => bySubject.set(subject, [...(bySubject.get(subject) ?? []), word]);
  for (const [word, subject] of everyday) add(subject, word);
  for (const [short, name] of shorts) if (!everyday.has(short)) add(familyOf(name), short);
  return bySubject;
}

/** `nomos help subjects`: every family with all of its verbs. */
export function subjectLines({ syscalls }: Commands): readonly string[] {
  const families = familiesOf(syscalls);
  const width = Math.max(...families.map((family) => family.length));
  return families.flatMap((family) => {
    const verbs = syscalls.flatMap((name) => (familyOf(name) === family ? [name.slice(family.length + 1)] : []));
    return wrapped(verbs, HELP_COLUMNS - width - 2).map(
      (line, at) => `${(at === 0 ? family : "").padEnd(width)}  ${line}`,
    );
  });
}

function familiesOf(syscalls: readonly string[]): readonly string[] {
  return [...new Set(syscalls.map(familyOf))].sort();
}

function familyOf(name: string): string {
  return name.split(".")[0] ?? "";
}

function wrapped(words: readonly string[], columns: number): readonly string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > columns) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

function cut(lines: readonly string[], linesMax: number): readonly string[] {
  if (lines.length <= linesMax) return lines;
  return [...lines.slice(0, linesMax - 1), `  ${MORE} nomos help subjects lists them all`];
}
