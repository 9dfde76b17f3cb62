import type { LandingRepository } from "../../host/index.ts";

export const CALL = "Nomos-Call";
const CALLS_LOOKED_AT = 200;
const CALL_CHARS = 32;
export const callName = (call: string): string => call.slice(0, CALL_CHARS);

/** The commit of a call that is repeated because its answer was lost. */
export async function findCall(
  { git }: LandingRepository,
  tip: string,
  call: string,
): Promise<{ readonly commit: string; readonly before: readonly string[] } | null> {
  const args = [
    "log",
    `--max-count=${CALLS_LOOKED_AT}`,
    "--no-show-signature",
    `--format=%H %(trailers:key=${CALL},valueonly)`,
  ];
  const lines = (await git.text([...args, tip])).split("\n").map((line) => line.split(" "));
  const [commit] = lines.find(([, value]) => value === callName(call)) ?? [];
  if (commit === undefined) return null;
  const told = await git.must(["diff-tree", "--root", "-r", "-z", "--no-commit-id", "--name-only", commit]);
  return { commit, before: told.toString().split("\0").filter(Boolean) };
}
