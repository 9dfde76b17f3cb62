import type { Looked, ToolContext } from "../../tool.ts";
import { GIT } from "../search/search-program.ts";
import { mustExist } from "../shared/must-exist.ts";
import { codeOf } from "../shared/results.ts";

/** Runs git to look. Paths are names, never patterns; no filter that the repository configures is run. */
export async function lookGit(
  argv: readonly string[],
  { world }: ToolContext,
  bytesMax = LOOK.bytesMax,
): Promise<Looked> {
  const names = await filterNames(world);
  if (names.length > FILTERS_MAX || names.some((name) => /[=\n]/.test(name))) return ODD_FILTERS;
  const settings = names.flatMap((name) => [
    ...["-c", `filter.${name}.clean=`, "-c", `filter.${name}.smudge=`],
    ...["-c", `filter.${name}.process=`, "-c", `filter.${name}.required=false`],
  ]);
  return world.look([...GIT, "--literal-pathspecs", ...settings, ...argv], { ...LOOK, bytesMax });
}

/**
 * Throws `path_outside`. Without it `git diff` would compare any two files of the machine. A path that is missing passes:
 * git knows deleted files.
 */
export async function checkInside(paths: readonly string[], context: ToolContext): Promise<void> {
  for (const path of paths) {
    try {
      await mustExist(path, context);
    } catch (error) {
      if (codeOf(error) !== "file_missing") throw error;
    }
  }
}

const LOOK = { bytesMax: 262_144, timeoutMs: 30_000 };
const FILTERS_MAX = 50;
/** What cannot be switched off by name must not run either. */
const ODD_FILTERS: Looked = {
  exitCode: 128,
  stdout: "",
  stderr: "the repository's configuration has filters that cannot be switched off; use git in the terminal",
  isCut: false,
};

/**
 * `git diff` and `git status` run the filters of changed files. They are programs that whoever can write the
 * configuration chose, and a look is not gated as a run is.
 */
async function filterNames(world: ToolContext["world"]): Promise<readonly string[]> {
  const argv = [
    ...GIT,
    "config",
    "-z",
    "--name-only",
    "--get-regexp",
    String.raw`^filter\..*\.(clean|smudge|process)$`,
  ];
  const { stdout } = await world.look(argv, { bytesMax: 65_536, timeoutMs: 10_000 });
  const names = stdout.split("\0").flatMap((key) => /^filter\.(.+)\.[a-z]+$/s.exec(key)?.[1] ?? []);
  return [...new Set(names)];
}
