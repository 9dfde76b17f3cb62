import * as z from "zod";
import type { Tool, ToolContext, ToolResult } from "../../tool.ts";
import { argumentPath } from "../shared/argument-path.ts";
import { mustExist } from "../shared/must-exist.ts";
import { pathInput } from "../shared/path-input.ts";
import { done, failed } from "../shared/results.ts";
import { counted, cutChars, oneLine, RESULT_CHARS_MAX, shownBytes, shownName, shownText } from "../shared/shown.ts";
import { explainPath } from "../shared/world-errors.ts";
import { type Entry, parseFound, parseListed } from "./parse-entries.ts";

const Input = z.strictObject({
  path: pathInput("Directory to list. Default: the session's directory.").optional(),
  depth: z.number().int().min(1).max(8).optional().describe("How many levels. Default 1."),
});

type Input = z.infer<typeof Input>;

export const ls: Tool<Input> = {
  name: "ls",
  description:
    "Lists a directory, hidden files included: directories end with `/`, links show where they lead, files have their " +
    "size. At most 1000 entries. With `depth` also what is below, except inside .git and node_modules.",
  input: Input,
  permission: "read",
  redo: "safe",
  mode: "parallel",
  title: ({ path = "." }) => oneLine(`List ${shownName(path)}`),
  run: async ({ path = ".", depth = 1 }, context) => {
    try {
      return await list(path, depth, context);
    } catch (error) {
      return explainPath(error, path, context);
    }
  },
};

const ENTRIES_MAX = 1000;
const LOOK = { bytesMax: 4_194_304, timeoutMs: 15_000 };
const UNFOLLOWED = ["(", "-name", ".git", "-o", "-name", "node_modules", ")", "-prune"];

async function list(path: string, depth: number, context: ToolContext): Promise<ToolResult> {
  const { world } = context;
  const at = argumentPath(path);
  const limits = { ...LOOK, paths: [path] };
  const format = ["-printf", String.raw`%y\t%s\t%P\0%l\0`];
  const find = (how: readonly string[]): readonly string[] => [
    ...["find", "-H", at, "-maxdepth", String(depth)],
    // The directory itself may have one of these names.
    ...["-mindepth", "1", ...UNFOLLOWED, ...how, "-o", ...how],
  ];
  const gnu = await world.look(find(format), limits);
  // Only GNU's find can print sizes; elsewhere ls does, which hides control characters in names.
  const isOther = gnu.exitCode !== 0 && gnu.stdout === "" && /printf/.test(gnu.stderr);
  const looked = isOther ? await world.look(find(["-exec", "ls", "-ldnq", "{}", "+"]), limits) : gnu;
  const entries = isOther ? parseListed(looked.stdout, at) : parseFound(looked.stdout);
  if (entries.length > 0) return show(entries, looked.isCut);
  const kind = await mustExist(path, context);
  if (kind === "file") return failed(`${shownName(path)} is not a directory. Read it with read.`);
  if (looked.exitCode === 0) return done(`${shownName(path)} is empty.`);
  return failed(`Cannot list ${shownName(path)}: ${shownText(cutChars(looked.stderr.trim(), 500))}`);
}

function show(entries: readonly Entry[], isCut: boolean): ToolResult {
  const sorted = [...entries].sort((a, b) => (a.name < b.name ? -1 : 1));
  const shown: string[] = [];
  let chars = 0;
  for (const entry of sorted.slice(0, ENTRIES_MAX)) {
    const line = spell(entry);
    chars += line.length + 1;
    if (chars > RESULT_CHARS_MAX - 500) break;
    shown.push(line);
  }
  const more = entries.length - shown.length;
  if (isCut)
    return done(
      [...shown, `[more than ${counted(more, "more entry", "more entries")}; find files with glob]`].join("\n"),
    );
  return done(
    [...shown, ...(more > 0 ? [`[${counted(more, "more entry", "more entries")}; find files with glob]`] : [])].join(
      "\n",
    ),
  );
}

function spell({ kind, name, size, target }: Entry): string {
  const shown = shownName(name);
  switch (kind) {
    case "directory":
      return `${shown}/`;
    case "link":
      return `${shown} -> ${shownName(target)}`;
    case "file":
      return `${shown}  ${shownBytes(size)}`;
    case "other":
      return `${shown}  (device, pipe or socket)`;
  }
}
