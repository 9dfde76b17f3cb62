import type { ToolContext, ToolResult } from "../../../tool.ts";
import { lockName } from "../../shared/path-locks.ts";
import { done, failed } from "../../shared/results.ts";
import { shownName } from "../../shared/shown.ts";
import { explainPath } from "../../shared/world-errors.ts";
import { applyHunks } from "./apply-hunks.ts";
import { carryOut, diffOf, type Plan, type Planned, planAdd, planDelete, planUpdate } from "./change-file.ts";
import { parsePatch } from "./parse-patch.ts";
import type { FileChange } from "./patch.ts";

/** Plans every file before it touches the first one: a hunk that does not fit leaves all of them alone. */
export async function editByPatch(patch: string, context: ToolContext): Promise<ToolResult> {
  const parsed = parsePatch(patch);
  if ("problem" in parsed) return failed(`Nothing was changed. ${parsed.problem}`);
  if (parsed.changes.length > FILES_MAX)
    return failed(`Nothing was changed. A patch may change ${FILES_MAX} files at most; send several.`);
  const steps = parsed.changes.flatMap((change) => stepsOf(change, context));
  const paths = steps.map(({ path }) => lockName(context.cwd, path));
  return context.locks.hold(paths, async () => {
    const plans: { readonly step: Step; readonly plan: Plan }[] = [];
    for (const step of steps) {
      const plan = await planned(step, context);
      if ("result" in plan) return plan.result;
      plans.push({ step, plan: plan.plan });
    }
    return carryOutAll(plans, context);
  });
}

const FILES_MAX = 100;

/** One file to write or to remove. A move is two of them. */
interface Step {
  readonly path: string;
  readonly plan: () => Promise<Planned>;
}

function stepsOf(change: FileChange, context: ToolContext): readonly Step[] {
  const { path } = change;
  switch (change.kind) {
    case "add":
      return [{ path, plan: () => planNew(change, context) }];
    case "delete":
      return [{ path, plan: () => planDelete(path, context) }];
    case "update": {
      const { moveTo, hunks } = change;
      const update = (): Promise<Planned> => planUpdate(path, (text) => applyHunks(text, hunks), context);
      if (moveTo === null) return [{ path, plan: update }];
      const moved = async (): Promise<Planned> => {
        const plan = await update();
        return "problem" in plan ? plan : planNew({ kind: "add", path: moveTo, text: plan.after ?? "" }, context);
      };
      return [
        { path: moveTo, plan: moved },
        { path, plan: () => planDelete(path, context) },
      ];
    }
  }
}

/** Looks first whether the file is there, so that a patch fails before it has changed others. */
async function planNew(change: Extract<FileChange, { kind: "add" }>, { world }: ToolContext): Promise<Planned> {
  const isThere = await world.read(change.path, { from: 0, bytes: 1 }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Error && "code" in error && error.code === "file_missing") return false;
      throw error;
    },
  );
  const name = shownName(change.path);
  return isThere
    ? { problem: `${name} exists already. Use "*** Update File", or replace it with write.` }
    : planAdd(change);
}

async function planned(step: Step, context: ToolContext): Promise<{ plan: Plan } | { result: ToolResult }> {
  try {
    const plan = await step.plan();
    return "problem" in plan ? { result: failed(`${plan.problem}\nNo other file was changed either.`) } : { plan };
  } catch (error) {
    return { result: await explainPath(error, step.path, context) };
  }
}

async function carryOutAll(
  plans: readonly { readonly step: Step; readonly plan: Plan }[],
  context: ToolContext,
): Promise<ToolResult> {
  const made: Plan[] = [];
  for (const { step, plan } of plans) {
    const problem = await attempt(plan, step, context);
    if (typeof problem !== "string") {
      made.push(problem);
      continue;
    }
    const left = plans.slice(made.length).map(({ plan: { path } }) => shownName(path));
    const before = made.length === 0 ? "Nothing was changed." : `Done before it:\n${made.map(spell).join("\n")}`;
    return failed(`${problem}\nNot done: ${left.join(", ")}. ${before}`, shownOf(made));
  }
  return done(made.map(spell).join("\n"), shownOf(made));
}

async function attempt(plan: Plan, step: Step, context: ToolContext): Promise<Plan | string> {
  try {
    const outcome = await carryOut(plan, step.plan, context);
    return "problem" in outcome ? outcome.problem : outcome.plan;
  } catch (error) {
    const { content } = await explainPath(error, step.path, context);
    return content.map((part) => (part.kind === "text" ? part.text : "")).join("");
  }
}

function spell({ path, before, after, lines }: Plan): string {
  const name = shownName(path);
  if (before === null) return `Created ${name}.`;
  if (after === null) return `Deleted ${name}.`;
  return `Edited ${name} (line ${lines.join(", ")}).`;
}

function shownOf(plans: readonly Plan[]): Pick<ToolResult, "places" | "diffs"> {
  return {
    places: plans.map(({ path, lines }) => ({ path, line: lines[0] ?? null })),
    diffs: plans.map(diffOf),
  };
}
