import type { ToolContext } from "../../tool.ts";
import { codeOf } from "../shared/results.ts";

/** Whether the session has ripgrep. Asked once. */
export function hasRipgrep(context: ToolContext): Promise<boolean> {
  const known = asked.get(context.locks);
  if (known !== undefined) return known;
  const answer = probe(context);
  asked.set(context.locks, answer);
  return answer;
}

/** By the locks, which live as long as the session. A memory of an answer that does not change. */
const asked = new WeakMap<ToolContext["locks"], Promise<boolean>>();

async function probe({ world, locks }: ToolContext): Promise<boolean> {
  try {
    const { exitCode } = await world.look(["rg", "--version"], { bytesMax: 4096, timeoutMs: 5000 });
    return exitCode === 0;
  } catch (error) {
    asked.delete(locks);
    if (codeOf(error) === null) throw error;
    return false;
  }
}

/** Nothing of the machine's own configuration, which could name a program to run; ignored files stay out. */
export const RG: readonly string[] = ["rg", "--no-config", "--hidden", "--no-require-git", "--glob=!.git"];

/** No pager, no lock, and no program that a repository's configuration names. */
export const GIT: readonly string[] = [
  "git",
  "--no-pager",
  "--no-optional-locks",
  ...["core.fsmonitor=false", "core.untrackedCache=false", "core.quotePath=false", "submodule.recurse=false"].flatMap(
    (setting) => ["-c", setting],
  ),
];

/** Only files whose names fit. Unlike `--glob`, a type does not bring ignored files back in. */
export function rgNames(names: readonly string[] | null): readonly string[] {
  return names === null ? [] : [...names.map((name) => `--type-add=wanted:${name}`), "--type=wanted"];
}
