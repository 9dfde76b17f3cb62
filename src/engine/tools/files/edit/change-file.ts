import type { ToolContext, ToolResult } from "../../../tool.ts";
import { codeOf, notDone } from "../../shared/results.ts";
import { markProblem } from "../../shared/secret-marks.ts";
import { shownName } from "../../shared/shown.ts";
import { readWhole } from "../../shared/world-reads.ts";
import { decodeText, TEXT_BYTES_MAX } from "../file-text.ts";
import { readEditable } from "./editable-text.ts";
import type { FileChange } from "./patch.ts";

/** From a text to its replacement, and the lines where it differs; or why not. */
export type Change = (
  text: string,
) => { readonly text: string; readonly lines: readonly number[] } | { readonly problem: string };

/** A file as it is and as it will be. Null: there is none. */
export interface Plan {
  readonly path: string;
  readonly before: { readonly text: string; readonly hash: string | undefined } | null;
  readonly after: string | null;
  readonly lines: readonly number[];
}

export type Planned = Plan | { readonly problem: string };

export async function planUpdate(path: string, change: Change, { world }: ToolContext): Promise<Planned> {
  const file = await readEditable(world, path);
  if ("problem" in file) return file;
  const changed = change(file.text);
  if ("problem" in changed) return { problem: `${shownName(path)} was not changed. ${changed.problem}` };
  const before = { text: file.bom + file.text, hash: file.hash };
  return { path, before, after: file.bom + changed.text, lines: changed.lines };
}

/** Any file can be deleted; of one that is no text the diff shows nothing. */
export async function planDelete(path: string, { world }: ToolContext): Promise<Planned> {
  const file = await readWhole(world, path, TEXT_BYTES_MAX);
  const before = file.isWhole ? { text: decodeText(file.bytes) ?? "", hash: file.hash } : { text: "", hash: undefined };
  return { path, before, after: null, lines: [] };
}

export function planAdd({ path, text }: Extract<FileChange, { kind: "add" }>): Planned {
  return { path, before: null, after: text, lines: [1] };
}

/**
 * Carries out a plan. When the file changed since it was read, `replan` reads it again, once: a change of somebody else
 * elsewhere in the file is kept, and one at the same place is refused.
 */
export async function carryOut(plan: Plan, replan: () => Promise<Planned>, context: ToolContext): Promise<Outcome> {
  try {
    return await write(plan, context);
  } catch (error) {
    if (codeOf(error) !== "file_changed") throw error;
    if (plan.before === null)
      return { problem: `${shownName(plan.path)} exists already. Change it with an update, or replace it with write.` };
  }
  context.signal.throwIfAborted();
  const again = await replan();
  return "problem" in again ? again : write(again, context);
}

export type Outcome = { readonly plan: Plan } | { readonly problem: string };

async function write(plan: Plan, { world }: ToolContext): Promise<Outcome> {
  const { path, before, after } = plan;
  if (before !== null && before.text === after) return { plan };
  const lost = after === null ? null : markProblem(before?.text ?? null, after);
  if (lost !== null) return { problem: `${shownName(path)} was not changed. ${lost}` };
  const effect =
    after === null
      ? await world.remove({ path, ifHash: before?.hash })
      : await world.write({ kind: "edit", path, text: after, ifHash: before === null ? null : before.hash });
  const off = notDone(`${after === null ? "Deleting" : "Editing"} ${shownName(path)}`, effect);
  return off === null ? { plan } : { problem: off };
}

export function diffOf({ path, before, after }: Plan): NonNullable<ToolResult["diffs"]>[number] {
  return { path, before: before?.text ?? null, after: after ?? "" };
}
