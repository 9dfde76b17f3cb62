import { NomosError } from "../../contract/index.ts";

export interface Blocked {
  readonly why: "tip" | "checkout" | "hook";
  readonly words: string;
  readonly paths: readonly string[];
}

/** Over in a moment, as a rule: another git, or an editor that saves. */
export function isPassing({ why, words }: Blocked): boolean {
  return why === "checkout" && /\.lock\b|at this moment/.test(words);
}

export function blockedBy({ why, words: said, paths }: Blocked, branch: string): NomosError {
  const words = said.replace(/\.+$/, "");
  const details = { branch, reason: words, ...(paths.length === 0 ? {} : { paths: paths.slice(0, PATHS_SHOWN) }) };
  if (why === "hook")
    return new NomosError("law_branch_blocked", details, {
      message: `A hook of the repository refused to move ${branch}: ${words}.`,
      remedy: "Do what the hook asks for, then try again.",
    });
  const named = paths.length === 0 ? "" : ` (${paths.slice(0, PATHS_SHOWN).join(", ")})`;
  const message = `${branch} cannot get a commit now: ${words}${named}.`;
  return new NomosError("law_branch_blocked", details, { message, remedy: remedyFor(words) });
}

export function neverQuiet(branch: string, moves: number): NomosError {
  const message = `${branch} moved ${moves} times while a commit was made for it.`;
  return new NomosError("law_branch_blocked", { branch, moves }, { message, remedy: "Try again when it is quiet." });
}

const PATHS_SHOWN = 5;

function remedyFor(words: string): string {
  return REMEDIES.find(([told]) => told.test(words))?.[1] ?? "Mend that, or check out another branch there; try again.";
}

const REMEDIES: readonly (readonly [told: RegExp, remedy: string])[] = [
  [/\.lock\b/, "Let the other git end, or delete its lock if none runs; then try again."],
  [/in progress/, "Finish what is in progress there (`git status` shows it), then try again."],
  [/not resolved/, "Resolve the conflicts there (`git status` shows them), then try again."],
  [/pull it first/, "Run `git pull` there, then try again."],
  [/sparse/, "Check out another branch there, or run `git sparse-checkout disable`; then try again."],
  [/does not know/, "Move them out of the way (`git status --ignored` shows them), then try again."],
  [/not committed|at this moment/, "Commit these files, or take them back with `git restore`; then try again."],
];
