/** A unified diff, as git and this program write it. Nothing of the input is left out: what is not understood is a note. */
export interface ParsedDiff {
  readonly files: readonly DiffFile[];
  /** Lines that the diff says are missing, because it was cut. */
  readonly cutLines: number;
}

export interface DiffFile {
  /** Null: there was or is no such file. */
  readonly oldPath: string | null;
  readonly newPath: string | null;
  readonly oldMode: string | null;
  readonly newMode: string | null;
  readonly isBinary: boolean;
  readonly hunks: readonly Hunk[];
  /** Lines about the file that are none of the above, as they stand. */
  readonly notes: readonly string[];
}

export interface Hunk {
  /** What git writes behind the second @@: the function it is in. */
  readonly heading: string;
  readonly lines: readonly DiffLine[];
}

export interface DiffLine {
  readonly sign: "+" | "-" | " ";
  readonly text: string;
  /** Null on the side where the line is not. */
  readonly oldNumber: number | null;
  readonly newNumber: number | null;
  /** The file ends here without a line feed. */
  readonly endsBare?: boolean;
}

export function parseDiff(patch: string): ParsedDiff {
  const reading: Reading = { files: [], file: null, hunk: null, cutLines: 0 };
  const lines = patch.endsWith("\n") ? patch.slice(0, -1).split("\n") : patch.split("\n");
  for (const [at, line] of lines.entries()) {
    if (patch === "") break;
    readLine(reading, line, lines[at + 1] ?? "");
  }
  return { files: reading.files, cutLines: reading.cutLines };
}

interface OpenFile extends DiffFile {
  oldPath: string | null;
  newPath: string | null;
  oldMode: string | null;
  newMode: string | null;
  isBinary: boolean;
  readonly hunks: OpenHunk[];
  readonly notes: string[];
  /** Whether the lines with the names, --- and +++, were there. */
  hasOld: boolean;
  hasNew: boolean;
}

interface OpenHunk extends Hunk {
  readonly lines: DiffLine[];
  oldLeft: number;
  newLeft: number;
  oldNumber: number;
  newNumber: number;
}

interface Reading {
  readonly files: OpenFile[];
  file: OpenFile | null;
  hunk: OpenHunk | null;
  cutLines: number;
}

function readLine(reading: Reading, line: string, following: string): void {
  const cut = CUT.exec(line);
  if (cut !== null) {
    reading.cutLines += Number(cut[1]);
    return;
  }
  const { hunk } = reading;
  const isInside = hunk !== null && (hunk.oldLeft > 0 || hunk.newLeft > 0);
  if (isInside || !readHead(reading, line, following)) readBody(reading, line);
}

/** As src/turns/permission/shown-diff.ts writes it. */
const CUT = /^\\ (\d{1,9}) more lines are not shown$/;
const HUNK = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.*)$/;

/** Reads a line about a file or the start of a hunk. False: it is none. */
function readHead(reading: Reading, line: string, following: string): boolean {
  const hunk = HUNK.exec(line);
  if (hunk !== null) {
    // First, because a file that starts here closes the hunk before.
    const { hunks } = fileOf(reading);
    const [, oldStart, oldCount = "1", newStart, newCount = "1", heading = ""] = hunk;
    reading.hunk = {
      heading,
      lines: [],
      oldLeft: Number(oldCount),
      newLeft: Number(newCount),
      oldNumber: Number(oldStart),
      newNumber: Number(newStart),
    };
    hunks.push(reading.hunk);
    return true;
  }
  if (line.startsWith("diff --git ")) {
    startFile(reading, namesIn(line.slice("diff --git ".length)));
    return true;
  }
  // Behind a complete hunk a removed line `-- x` looks like a name; only with +++ below it is one.
  if (line.startsWith("--- ") && following.startsWith("+++ ")) {
    if (reading.file === null || reading.file.hasOld || reading.file.hunks.length > 0) startFile(reading, [null, null]);
    const file = fileOf(reading);
    [file.oldPath, file.hasOld] = [nameOf(line.slice(4), "a/"), true];
    return true;
  }
  if (line.startsWith("+++ ") && reading.file?.hasOld === true && !reading.file.hasNew) {
    [reading.file.newPath, reading.file.hasNew] = [nameOf(line.slice(4), "b/"), true];
    return true;
  }
  return reading.hunk === null && readNote(reading, line);
}

/** Reads a line of git about the file: modes, names, binary content. */
function readNote(reading: Reading, line: string): boolean {
  const { file } = reading;
  if (file === null) return false;
  const [, words = "", value = ""] = /^((?:[a-z]+ )+)(.*)$/.exec(line) ?? [];
  switch (words) {
    case "old mode ":
      file.oldMode = value;
      return true;
    case "new mode ":
      file.newMode = value;
      return true;
    case "new file mode ":
      [file.oldPath, file.newMode] = [null, value];
      return true;
    case "deleted file mode ":
      [file.newPath, file.oldMode] = [null, value];
      return true;
    case "rename from ":
    case "copy from ":
      file.oldPath = nameOf(value, "");
      return true;
    case "rename to ":
    case "copy to ":
      file.newPath = nameOf(value, "");
      return true;
    default:
      break;
  }
  if (line.startsWith("index ") || line.startsWith("similarity index ")) return true;
  file.isBinary ||= /^(?:Binary files .* differ|GIT binary patch)$/.test(line);
  return false;
}

function readBody(reading: Reading, line: string): void {
  const { hunk } = reading;
  const sign = line[0] ?? " ";
  if (hunk === null || (sign !== "+" && sign !== "-" && sign !== " " && sign !== "\\")) {
    // A tool that trims blanks at line ends writes an empty line for an empty line of context.
    if (hunk !== null && line === "" && hunk.oldLeft > 0) readBody(reading, " ");
    else addNote(reading, line);
    return;
  }
  if (sign === "\\") {
    const last = hunk.lines.at(-1);
    if (last === undefined || !/^\\ No newline/.test(line)) addNote(reading, line);
    else hunk.lines[hunk.lines.length - 1] = { ...last, endsBare: true };
    return;
  }
  const [isOld, isNew] = [sign !== "+", sign !== "-"];
  hunk.lines.push({
    sign,
    text: line.slice(1),
    oldNumber: isOld ? hunk.oldNumber : null,
    newNumber: isNew ? hunk.newNumber : null,
  });
  hunk.oldNumber += isOld ? 1 : 0;
  hunk.newNumber += isNew ? 1 : 0;
  hunk.oldLeft -= isOld ? 1 : 0;
  hunk.newLeft -= isNew ? 1 : 0;
}

function addNote(reading: Reading, line: string): void {
  reading.hunk = null;
  if (line !== "" || reading.file?.isBinary === true) fileOf(reading).notes.push(line);
}

function fileOf(reading: Reading): OpenFile {
  return reading.file ?? startFile(reading, [null, null]);
}

function startFile(reading: Reading, [oldPath, newPath]: readonly [string | null, string | null]): OpenFile {
  const modes = { oldMode: null, newMode: null };
  const file = { oldPath, newPath, ...modes, isBinary: false, hunks: [], notes: [], hasOld: false, hasNew: false };
  reading.files.push(file);
  reading.file = file;
  reading.hunk = null;
  return file;
}

/** The names behind `diff --git`. Unquoted names with blanks are ambiguous unless both are the same. */
function namesIn(text: string): readonly [string | null, string | null] {
  const quoted = /^("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*"|\S+)$/.exec(text);
  if (quoted !== null) return [nameOf(quoted[1] ?? "", "a/"), nameOf(quoted[2] ?? "", "b/")];
  const half = text.slice(0, (text.length - 1) / 2);
  return [nameOf(half, "a/"), nameOf(text.slice(half.length + 1), "b/")];
}

/** A name without the prefix of its side, the date or tab behind it, and git's quotes. Null: /dev/null. */
function nameOf(text: string, prefix: string): string | null {
  const [bare = ""] = text.split("\t", 1);
  const name = /^".*"$/.test(bare) ? unquoted(bare.slice(1, -1)) : bare;
  if (name === "/dev/null") return null;
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

function unquoted(name: string): string {
  const bytes: number[] = [];
  for (const [part] of name.matchAll(/\\[0-7]{3}|\\.|[^\\]+/gsu)) {
    const text = part.startsWith("\\") ? (ESCAPES[part[1] ?? ""] ?? part.slice(1)) : part;
    if (/^\\[0-7]{3}$/.test(part)) bytes.push(Number.parseInt(part.slice(1), 8) & 0xff);
    else for (const byte of new TextEncoder().encode(text)) bytes.push(byte);
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v" };
