import * as z from "zod";
import type { Tool, ToolContext, ToolResult } from "../../tool.ts";
import { pathInput } from "../shared/path-input.ts";
import { lockName } from "../shared/path-locks.ts";
import { codeOf, done, failed, notDone } from "../shared/results.ts";
import { markProblem } from "../shared/secret-marks.ts";
import { counted, oneLine, shownBytes, shownName } from "../shared/shown.ts";
import { explainPath } from "../shared/world-errors.ts";
import { readWhole } from "../shared/world-reads.ts";
import { decodeText, TEXT_BYTES_MAX } from "./file-text.ts";

const Input = z.strictObject({
  path: pathInput("File to write, relative to the session's directory."),
  content: z.string().max(TEXT_BYTES_MAX).describe("The whole new content of the file."),
});

type Input = z.infer<typeof Input>;

export const write: Tool<Input> = {
  name: "write",
  description:
    "Writes a whole file: creates it, with the directories above it, or replaces everything in it. " +
    "Use edit to change parts of a file that exists. The answer says whether the file was created or replaced.",
  input: Input,
  permission: "write",
  redo: "safe",
  mode: "parallel",
  title: ({ path }) => oneLine(`Write ${shownName(path)}`),
  run: (input, context) =>
    context.locks.hold([lockName(context.cwd, input.path)], async () => {
      try {
        return await writeFile(input, context);
      } catch (error) {
        return explainPath(error, input.path, context);
      }
    }),
};

async function writeFile({ path, content }: Input, { world }: ToolContext): Promise<ToolResult> {
  const before = await readBefore(path, world);
  const lost = markProblem(before.text, content);
  if (lost !== null) return failed(`${shownName(path)} was not written. ${lost}`);
  const effect = await world.write({ kind: "write", path, text: content });
  const off = notDone(`Writing ${shownName(path)}`, effect);
  if (off !== null) return failed(off);
  const lines = content === "" ? 0 : content.split("\n").length - (content.endsWith("\n") ? 1 : 0);
  const size = `${counted(lines, "line")}, ${shownBytes(Buffer.byteLength(content))}`;
  const what = before.isThere ? "Replaced" : "Created";
  return done(`${what} ${shownName(path)} (${size}).`, {
    places: [{ path, line: null }],
    // A diff against content that is not text would show a change that nobody made.
    ...(before.isThere && before.text === null ? {} : { diffs: [{ path, before: before.text, after: content }] }),
  });
}

async function readBefore(path: string, world: ToolContext["world"]): Promise<Before> {
  try {
    const file = await readWhole(world, path, TEXT_BYTES_MAX);
    return { isThere: true, text: file.isWhole ? decodeText(file.bytes) : null };
  } catch (error) {
    if (codeOf(error) === "file_missing") return { isThere: false, text: null };
    throw error;
  }
}

interface Before {
  readonly isThere: boolean;
  /** Null when there is none, or when it is no text. */
  readonly text: string | null;
}
