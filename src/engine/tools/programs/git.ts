import * as z from "zod";
import type { Tool, ToolContext, ToolResult } from "../../tool.ts";
import { pathInput } from "../shared/path-input.ts";
import { codeOf, done, failed, messageOf } from "../shared/results.ts";
import { cutChars, oneLine, RESULT_CHARS_MAX, shownText } from "../shared/shown.ts";
import { commit } from "./git-commit.ts";
import { checkInside, lookGit } from "./look-git.ts";

const Ref = z
  .string()
  .min(1)
  .max(500)
  .regex(/^[^-\p{Cc}][^\p{Cc}]*$/u, "a revision does not begin with - and has no control characters");

const Input = z
  .strictObject({
    action: z.enum(["status", "diff", "log", "show", "commit"]),
    ref: Ref.optional().describe("For diff, log, show: a commit, branch or range, such as HEAD~1 or main..HEAD."),
    paths: z.array(pathInput("File or directory.")).max(500).optional().describe("Only these files or directories."),
    staged: z.boolean().optional().describe("For diff: what is staged."),
    limit: z.number().int().min(1).max(200).optional().describe("For log: how many commits. Default 20."),
    message: z.string().min(1).max(20_000).optional().describe("For commit."),
    all: z.boolean().optional().describe("For commit: stage all changes first, new files included."),
  })
  .superRefine(({ action, message, all, paths = [] }, context) => {
    if (action !== "commit") return;
    if (message === undefined)
      context.addIssue({ code: "custom", path: ["message"], message: "action commit needs it" });
    if (all === true && paths.length > 0)
      context.addIssue({ code: "custom", path: ["all"], message: "send either all or paths" });
  });

type Input = z.infer<typeof Input>;

export const git: Tool<Input> = {
  name: "git",
  description:
    "Looks at the git repository, and commits. status, diff (`ref`, `staged`, `paths`), log (`ref`, `limit`, `paths`), show " +
    "(`ref`, `paths`). commit: with `message` and `paths` it commits exactly these files, with `all` every change, with " +
    "neither what is staged; it refuses an empty commit. For everything else use git in the terminal.",
  input: Input,
  permission: "git",
  redo: "ask",
  effects: "many",
  mode: "sequential",
  title: ({ action, ref, message }) => oneLine(`git ${action} ${ref ?? message ?? ""}`),
  run: async (input, context) => {
    try {
      await checkInside(input.paths ?? [], context);
      return input.action === "commit"
        ? await commit({ message: input.message ?? "", paths: input.paths ?? [], all: input.all ?? false }, context)
        : await look(input, context);
    } catch (error) {
      if (codeOf(error) === null) throw error;
      return failed(`git ${input.action}: ${messageOf(error)}`);
    }
  },
};

const LOG_LIMIT = 20;
/** The repository's configuration must not choose a program that shows or converts. */
const SHOW = ["--no-color", "--no-ext-diff", "--no-textconv"];

async function look(input: Input, context: ToolContext): Promise<ToolResult> {
  const { action, ref, paths = [] } = input;
  const { exitCode, stdout, stderr, isCut } = await lookGit([...argvOf(input), "--", ...paths], context);
  if (exitCode !== 0 && !isCut)
    return failed(`git ${action} failed: ${shownText(cutChars(stderr.trim() || `exit code ${exitCode}`, 2000))}`);
  const text = shownText(stdout.replace(/\n+$/, ""));
  if (text === "") return done(EMPTY[action] ?? "(nothing)");
  if (!isCut && text.length <= TEXT_CHARS_MAX) return done(text);
  const at = ref === undefined ? "" : ` of ${oneLine(ref)}`;
  return done(`${cutChars(text, TEXT_CHARS_MAX)}\n[cut; ask for fewer paths${at} or a smaller limit]`);
}

const TEXT_CHARS_MAX = RESULT_CHARS_MAX - 700;
const EMPTY: Readonly<Record<string, string>> = { diff: "No differences.", log: "No commits." };

function argvOf({ action, ref, staged, limit = LOG_LIMIT }: Input): readonly string[] {
  const refs = ref === undefined ? [] : [ref];
  switch (action) {
    case "diff":
      return ["diff", ...SHOW, ...(staged === true ? ["--cached"] : []), ...refs];
    case "log": {
      const format = "--format=%h %ad %an: %s";
      return ["log", ...SHOW, "--no-show-signature", "--date=short", format, `--max-count=${limit}`, ...refs];
    }
    case "show":
      return ["show", ...SHOW, "--no-show-signature", "--date=iso", "--stat", "--patch", ...refs];
    default:
      return ["status", "--short", "--branch", "--ignore-submodules=dirty"];
  }
}
