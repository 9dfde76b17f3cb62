import { posix } from "node:path";
import * as z from "zod";
import type { Looked, Tool, ToolContext, ToolResult } from "../../tool.ts";
import { argumentPath, printedPath } from "../shared/argument-path.ts";
import { mustExist } from "../shared/must-exist.ts";
import { pathInput } from "../shared/path-input.ts";
import { done, failed } from "../shared/results.ts";
import { counted, oneLine, RESULT_CHARS_MAX, shownName } from "../shared/shown.ts";
import { explainPath } from "../shared/world-errors.ts";
import { type GlobPattern, globPattern } from "./glob-pattern.ts";
import { GIT, hasRipgrep, RG, rgNames } from "./search-program.ts";

const Input = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(1000)
    .describe("Such as `*.ts` (a name, at any depth) or `src/**/*.{ts,tsx}` (a path below `path`)."),
  path: pathInput("Directory to search. Default: the session's directory.").optional(),
  limit: z.number().int().min(1).max(1000).optional().describe("How many paths at most. Default 200."),
});

type Input = z.infer<typeof Input>;

export const glob: Tool<Input> = {
  name: "glob",
  description:
    "Finds files by their names. One path on each line, sorted, relative to the session's directory. Hidden files are " +
    "included; files that .gitignore excludes, and .git, are not.",
  input: Input,
  permission: "read",
  redo: "safe",
  mode: "parallel",
  title: ({ pattern, path }) =>
    oneLine(`Find ${shownName(pattern)}${path === undefined ? "" : ` in ${shownName(path)}`}`),
  run: async (input, context) => {
    const { pattern: wanted, path = "." } = below(input, context.cwd);
    const pattern = globPattern(wanted);
    if ("problem" in pattern) return failed(`Invalid pattern ${shownName(wanted)}: ${pattern.problem}.`);
    try {
      return show(await findFiles(path, pattern, context), input.limit ?? LIMIT);
    } catch (error) {
      return explainPath(error, posix.join(path, pattern.folder), context);
    }
  },
};

const LIMIT = 200;
const LOOK = { bytesMax: 16_777_216, timeoutMs: 30_000 };

/** Models write the session's directory in front of the pattern. */
function below(input: Input, cwd: string): Input {
  const prefix = `${cwd}/`;
  return input.path === undefined && input.pattern.startsWith(prefix)
    ? { ...input, pattern: input.pattern.slice(prefix.length) }
    : input;
}

interface Found {
  readonly paths: readonly string[];
  readonly isCut: boolean;
}

async function findFiles(path: string, pattern: GlobPattern, context: ToolContext): Promise<Found> {
  const folder = posix.join(path, pattern.folder);
  const { stdout, isCut } = await listFiles(folder, pattern.names, context);
  if (stdout === "") await mustExist(folder, context);
  const base = posix.normalize(path).replace(/\/$/, "");
  const paths = stdout
    .split("\0")
    .slice(0, -1)
    .map(printedPath)
    .filter((file) => pattern.matches(relativeTo(base, file)))
    .sort((a, b) => (a < b ? -1 : 1));
  return { paths, isCut };
}

/** Paths end with a NUL, because a name may have a line end. */
async function listFiles(folder: string, names: GlobPattern["names"], context: ToolContext): Promise<Looked> {
  const { world } = context;
  const limits = { ...LOOK, paths: [folder] };
  const at = argumentPath(folder);
  if (await hasRipgrep(context))
    return world.look([...RG, "--files", "--null", "--no-messages", ...rgNames(names), "--", at], limits);
  const listed = await world.look(
    [...GIT, "--literal-pathspecs", "ls-files", "-co", "--exclude-standard", "-z", "--", at],
    limits,
  );
  if (listed.exitCode === 0 || listed.isCut) return listed;
  return world.look(["find", at, "-name", ".git", "-prune", "-o", "-type", "f", "-print0"], limits);
}

export function relativeTo(base: string, file: string): string {
  return base === "." || base === "" ? file : file.startsWith(`${base}/`) ? file.slice(base.length + 1) : file;
}

function show({ paths, isCut }: Found, limit: number): ToolResult {
  const shown: string[] = [];
  let chars = 0;
  for (const path of paths.slice(0, limit)) {
    const name = shownName(path);
    chars += name.length + 1;
    if (chars > RESULT_CHARS_MAX - 500) break;
    shown.push(name);
  }
  const more = paths.length - shown.length;
  const note = isCut
    ? ["[the list was too long to be searched whole; set a narrower path]"]
    : more > 0
      ? [`[${counted(more, "more file")}; narrow the pattern or raise limit]`]
      : [];
  if (shown.length === 0)
    return done([`No file matches. Files that .gitignore excludes are not listed.`, ...note].join("\n"));
  return done([...shown, ...note].join("\n"));
}
