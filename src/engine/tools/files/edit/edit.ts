import * as z from "zod";
import type { Tool, ToolContext, ToolResult } from "../../../tool.ts";
import { pathInput } from "../../shared/path-input.ts";
import { lockName } from "../../shared/path-locks.ts";
import { done, failed } from "../../shared/results.ts";
import { counted, oneLine, shownName } from "../../shared/shown.ts";
import { explainPath } from "../../shared/world-errors.ts";
import { carryOut, diffOf, type Planned, planUpdate } from "./change-file.ts";
import { editByPatch } from "./edit-by-patch.ts";
import { applyEdits, type ExactEdit } from "./exact-edits.ts";

const TEXT_CHARS_MAX = 2_000_000;

const Edit = z.strictObject({
  old: z.string().max(TEXT_CHARS_MAX).describe("Text to replace, exactly as in the file, without line numbers."),
  new: z.string().max(TEXT_CHARS_MAX).describe("Text to put there."),
  all: z.boolean().optional().describe("Replace every occurrence. Default: `old` must be there exactly once."),
});

const Input = z
  .strictObject({
    path: pathInput("File to edit; with `edits`.").optional(),
    edits: z.array(Edit).min(1).max(100).optional().describe("Replacements, in order: all of them are made or none."),
    patch: z
      .string()
      .max(TEXT_CHARS_MAX)
      .optional()
      .describe(
        "Instead of path and edits, for several files: `*** Begin Patch` with `*** Update File: PATH`, `*** Add File: PATH`, `*** Delete File: PATH` sections and `*** End Patch`; or a unified diff.",
      ),
  })
  .superRefine(({ path, edits, patch }, context) => {
    const isExact = path !== undefined && edits !== undefined && patch === undefined;
    const isPatch = patch !== undefined && edits === undefined;
    if (!isExact && !isPatch)
      context.addIssue({ code: "custom", message: "send either path and edits, or patch alone" });
  });

type Input = z.infer<typeof Input>;

export const edit: Tool<Input> = {
  name: "edit",
  description:
    "Changes parts of text files. Either `path` and `edits`: each `old` is replaced by `new` and must match the file " +
    "exactly, blanks and indentation included, and be there once (or set `all`). Or `patch`: a patch over one or more " +
    "files, whose hunks are found by their context. All changes are made or, when one does not fit, none; the answer then " +
    "says which and shows similar lines. Line ends (LF or CRLF) are kept.",
  input: Input,
  permission: "edit",
  // A second run could make the same change twice; the model looks at the file instead.
  redo: "failed",
  effects: "many",
  mode: "parallel",
  title: ({ path, patch = "" }) => oneLine(`Edit ${path === undefined ? patchedNames(patch) : shownName(path)}`),
  run: async (input, context) => {
    if (input.patch !== undefined) return editByPatch(input.patch, context);
    const { path = "", edits = [] } = input;
    return context.locks.hold([lockName(context.cwd, path)], async () => {
      try {
        return await editExactly(path, edits, context);
      } catch (error) {
        return explainPath(error, path, context);
      }
    });
  },
};

async function editExactly(path: string, edits: readonly ExactEdit[], context: ToolContext): Promise<ToolResult> {
  const plan = (): Promise<Planned> => planUpdate(path, (text) => applyEdits(text, edits), context);
  const first = await plan();
  const outcome = "problem" in first ? first : await carryOut(first, plan, context);
  if ("problem" in outcome) return failed(outcome.problem);
  const { lines } = outcome.plan;
  const where = lines.length > LINES_SHOWN_MAX ? `${lines.slice(0, LINES_SHOWN_MAX).join(", ")}, …` : lines.join(", ");
  return done(`Edited ${shownName(path)}: ${counted(lines.length, "replacement")} (line ${where}).`, {
    places: [{ path, line: lines[0] ?? null }],
    diffs: [diffOf(outcome.plan)],
  });
}

const LINES_SHOWN_MAX = 20;

function patchedNames(patch: string): string {
  const names = patch.matchAll(/^(?:\*\*\* (?:Update|Add|Delete) File: *|\+\+\+ (?:b\/)?)(.+?)\s*$/gm);
  return [...names].map(([, name = ""]) => shownName(name)).join(", ");
}
