import type { ToolContext, ToolResult } from "../../tool.ts";
import { done, failed, notDone } from "../shared/results.ts";
import { cutChars, shownName, shownOutput } from "../shared/shown.ts";
import { lookGit } from "./look-git.ts";

export interface CommitOrder {
  readonly message: string;
  readonly paths: readonly string[];
  readonly all: boolean;
}

/** Stages what is named, looks whether there is anything, commits. Hooks of the repository run, as for everybody. */
export async function commit({ message, paths, all }: CommitOrder, context: ToolContext): Promise<ToolResult> {
  const { world } = context;
  const only = paths.length === 0 ? [] : ["--", ...paths];
  if (all || paths.length > 0) {
    const added = await world.exec("git", [...GIT, "add", "--all", ...only], LIMITS);
    const off = explain("git add", added);
    if (off !== null) return failed(off);
  }
  const staged = await lookGit([...STAGED, ...only], context, NAMES_BYTES_MAX);
  if (staged.exitCode === 0 && staged.stdout === "")
    return failed(
      only.length > 0 || all
        ? "There is nothing to commit: nothing has changed there. Look with action status."
        : "Nothing is staged. Name the files in paths, or set all: true.",
    );
  if (staged.isCut) return failed("These are too many files for one commit. Name fewer in paths.");
  const outside = await world.outOfScope(staged.stdout.split("\0").slice(0, -1));
  if (outside.length > 0) return failed(outsideText(outside));
  const made = await world.exec("git", [...GIT, "commit", "--quiet", `--message=${message}`, ...only], LIMITS);
  const off = explain("git commit", made);
  if (off !== null) return failed(`${off}\nThe changes are staged and not committed.`);
  const newest = await lookGit(["log", "-1", "--no-show-signature", "--no-color", "--format=%h %s", "--stat"], context);
  return done(`Committed ${shownOutput(newest.stdout).trim()}`);
}

const STAGED = ["diff", "--cached", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-textconv"];
const NAMES_BYTES_MAX = 8_388_608;
const SHOWN_MAX = 10;

function outsideText(outside: readonly string[]): string {
  const names = outside.slice(0, SHOWN_MAX).map(shownName).join(", ");
  const more = outside.length > SHOWN_MAX ? ` and ${outside.length - SHOWN_MAX} more` : "";
  return `Nothing was committed: ${names}${more} ${outside.length === 1 ? "is" : "are"} outside of what this session may change. Name the files to commit in paths.`;
}

/** As a person would run it, but names are never patterns and nobody can be asked. */
const GIT = ["git", "--no-pager", "--literal-pathspecs", "-c", "core.fsmonitor=false", "-c", "core.editor=false"];
const LIMITS = { timeoutMs: 120_000 };
const OUTPUT_CHARS_MAX = 8000;

function explain(what: string, effect: Awaited<ReturnType<ToolContext["world"]["exec"]>>): string | null {
  if (effect.outcome === "refused") return notDone(what, effect);
  if (effect.outcome === "done" && effect.exitCode === 0) return null;
  const output = cutChars(shownOutput(effect.output).trim(), OUTPUT_CHARS_MAX);
  const end = effect.exitCode === null ? (effect.message ?? "it was stopped") : `exit code ${effect.exitCode}`;
  return `${what} failed (${end})${output === "" ? "" : `:\n${output}`}`;
}
