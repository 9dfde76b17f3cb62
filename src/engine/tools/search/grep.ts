import { posix } from "node:path";
import * as z from "zod";
import type { Looked, Tool, ToolContext, ToolResult } from "../../tool.ts";
import { printedPath } from "../shared/argument-path.ts";
import { mustExist } from "../shared/must-exist.ts";
import { pathInput } from "../shared/path-input.ts";
import { done, failed } from "../shared/results.ts";
import { cutChars, oneLine, RESULT_CHARS_MAX, shownName, shownText } from "../shared/shown.ts";
import { explainPath } from "../shared/world-errors.ts";
import { relativeTo } from "./glob.ts";
import { type GlobPattern, globPattern } from "./glob-pattern.ts";
import { gitGrepCommand, plainGrepCommand, rgCommand, type Sought } from "./grep-commands.ts";
import { type MatchLine, parseHeadings, parseNulLines } from "./parse-matches.ts";
import { hasRipgrep } from "./search-program.ts";

const Input = z.strictObject({
  pattern: z.string().min(1).max(10_000).describe("Regular expression, or plain text with `literal`."),
  path: pathInput("File or directory to search. Default: the session's directory.").optional(),
  glob: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe("Only files whose path fits, such as `*.ts` or `src/**/*.test.ts`."),
  ignoreCase: z.boolean().optional().describe("Upper and lower case count as equal."),
  literal: z.boolean().optional().describe("The pattern is plain text."),
  context: z.number().int().min(0).max(20).optional().describe("Lines to show before and after each match. Default 0."),
  limit: z.number().int().min(1).max(1000).optional().describe("How many matching lines at most. Default 100."),
});

type Input = z.infer<typeof Input>;

export const grep: Tool<Input> = {
  name: "grep",
  description:
    "Searches the content of files for a regular expression, line by line. Each match is a line `file:line: text` (lines " +
    "around it: `file-line- text`), sorted by file. Binary files, .git and files that .gitignore excludes are left out.",
  input: Input,
  permission: "read",
  redo: "safe",
  mode: "parallel",
  title: ({ pattern, path }) =>
    oneLine(`Search ${shownName(pattern)}${path === undefined ? "" : ` in ${shownName(path)}`}`),
  run: async (input, context) => {
    const { path = "." } = input;
    const glob = input.glob === undefined ? null : globPattern(input.glob);
    if (glob !== null && "problem" in glob)
      return failed(`Invalid glob ${shownName(input.glob ?? "")}: ${glob.problem}.`);
    if (/[\n\r\0]/.test(input.pattern)) return failed("The pattern has a line end. Search for one line at a time.");
    try {
      return await search(input, { path, glob }, context);
    } catch (error) {
      return explainPath(error, posix.join(path, glob?.folder ?? ""), context);
    }
  },
};

const LIMIT = 100;
const LINE_CHARS_MAX = 500;
const LOOK = { bytesMax: 4_194_304, timeoutMs: 30_000 };

interface Place {
  readonly path: string;
  readonly glob: GlobPattern | null;
}

async function search(input: Input, { path, glob }: Place, context: ToolContext): Promise<ToolResult> {
  const folder = glob === null ? path : posix.join(path, glob.folder);
  const limit = input.limit ?? LIMIT;
  const sought: Sought = {
    pattern: input.pattern,
    path: folder,
    names: glob?.names ?? null,
    ignoreCase: input.ignoreCase ?? false,
    literal: input.literal ?? false,
    context: input.context ?? 0,
    limit,
  };
  const { looked, lines } = await lookFor(sought, context);
  if (lines.length === 0) await mustExist(folder, context);
  if (lines.length === 0 && isFailure(looked)) return failed(explainFailure(looked));
  const base = posix.normalize(path).replace(/\/$/, "");
  const named = lines.map((line) => ({ ...line, path: printedPath(line.path) }));
  const wanted = glob === null ? named : named.filter((line) => glob.matches(relativeTo(base, line.path)));
  return show(wanted, { limit, isCut: looked.isCut, hasContext: sought.context > 0 });
}

interface Answer {
  readonly looked: Looked;
  readonly lines: readonly MatchLine[];
}

async function lookFor(sought: Sought, context: ToolContext): Promise<Answer> {
  const { world } = context;
  const limits = { ...LOOK, paths: [sought.path] };
  if (await hasRipgrep(context)) {
    const looked = await world.look(rgCommand(sought), limits);
    return { looked, lines: parseNulLines(looked.stdout) };
  }
  const byGit = await world.look(gitGrepCommand(sought), limits);
  const isNoRepository = byGit.exitCode === 127 || /not a git repository|outside repository/.test(byGit.stderr);
  if (!isNoRepository) return { looked: byGit, lines: parseHeadings(byGit.stdout) };
  const looked = await world.look(plainGrepCommand(sought), limits);
  return { looked, lines: parseNulLines(looked.stdout) };
}

/** 0: found, 1: nothing found. A file that cannot be read also ends a search with 2, without a message. */
function isFailure({ exitCode, stderr, isCut }: Looked): boolean {
  return !isCut && exitCode !== 0 && exitCode !== 1 && stderr.trim() !== "";
}

function explainFailure({ stderr }: Looked): string {
  const reason = shownText(cutChars(stderr.trim(), 1000));
  return `The search failed: ${reason}\nIf the pattern is plain text, set literal: true. Lookaround and back-references are not supported.`;
}

interface Shown {
  readonly limit: number;
  readonly isCut: boolean;
  readonly hasContext: boolean;
}

function show(lines: readonly MatchLine[], { limit, isCut, hasContext }: Shown): ToolResult {
  const shown: string[] = [];
  let [chars, matches, isFull] = [0, 0, false];
  let before: MatchLine | null = null;
  for (const line of lines) {
    if (line.isMatch && matches >= limit) isFull = true;
    const gap = hasContext && before !== null && (before.path !== line.path || before.line + 1 < line.line);
    const text = `${gap ? "--\n" : ""}${spell(line)}`;
    chars += text.length + 1;
    isFull ||= chars > RESULT_CHARS_MAX - 500;
    if (isFull) break;
    shown.push(text);
    matches += line.isMatch ? 1 : 0;
    before = line;
  }
  if (shown.length === 0) {
    const note = isCut ? " The search was stopped early; set a narrower path." : "";
    return done(`No matches. Files that .gitignore excludes are not searched.${note}`);
  }
  const note = isFull
    ? [`[stopped after ${matches} matches; narrow the search with path or glob, or raise limit]`]
    : isCut
      ? ["[the search was stopped early; narrow it with path or glob]"]
      : [];
  return done([...shown, ...note].join("\n"));
}

function spell({ path, line, text, isMatch }: MatchLine): string {
  const mark = isMatch ? ":" : "-";
  return `${shownName(path)}${mark}${line}${mark} ${shownText(cutChars(text, LINE_CHARS_MAX))}`;
}
