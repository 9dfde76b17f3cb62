import type { Finding, LandingOrder } from "../../../domains/index.ts";
import type { LandingRepository } from "../../../host/index.ts";
import type { LandingDeps } from "../landing-deps.ts";

type Moved = Awaited<ReturnType<LandingRepository["move"]>>;

/** A person's own git holds its lock for moments; a commit of theirs is over in a few. */
const MOVE_AGAIN_MS = 150;
const MOVES_MAX = 20;

/** Moves the branch. Where the person's files or git are in the way it waits a moment, for a commit of theirs to end. */
export async function moveWhenFree(
  { clock }: Pick<LandingDeps, "clock">,
  opened: LandingRepository,
  move: Parameters<LandingRepository["move"]>[0],
  signal: AbortSignal,
): Promise<Moved> {
  for (let tries = 1; ; tries += 1) {
    const moved = await opened.move(move);
    if (moved.moved || moved.why !== "checkout" || tries === MOVES_MAX || signal.aborted) return moved;
    await clock.sleep(MOVE_AGAIN_MS, signal).catch(() => undefined);
  }
}

export function inTheWay(
  { why, words: said, paths }: Extract<Moved, { moved: false }>,
  { into }: LandingOrder,
  name: string,
): readonly Finding[] {
  // Git's own words may end with full stops.
  const words = said.replace(/\.+$/, "");
  const again = `then run \`nomos land ${name}\``;
  if (why === "hook")
    return [
      {
        rule: "policy",
        message: `A hook of the repository refused to move ${into}: ${words}`,
        remedy: `Do what the hook asks for, ${again}.`,
      },
    ];
  const remedy = `${remedyFor(words)}, ${again}.`;
  if (paths.length === 0) return [{ rule: "policy", message: `${into} cannot move: ${words}.`, remedy }];
  return paths.map((path) => ({ rule: "policy", path, message: `${into} cannot move: ${words}.`, remedy }));
}

function remedyFor(words: string): string {
  return REMEDIES.find(([told]) => told.test(words))?.[1] ?? "Mend that, or check out another branch there";
}

const REMEDIES: readonly (readonly [told: RegExp, remedy: string])[] = [
  // Of the index, of HEAD or of the branch.
  [/\.lock\b/, "Let the other git end, or delete its lock if none runs"],
  [/in progress/, "Finish what is in progress there (`git status` shows it)"],
  [/`git status`/, "Run `git status` there"],
  // A stash does not take ignored files.
  [/does not know/, "Move them out of the way (`git status --ignored` shows them)"],
  [/may not be written/, "Make it writable (`ls -ld` and `lsattr -d` show why it is not)"],
  [/not committed|at this moment/, "Commit or stash what is changed there (`git status` shows it)"],
];
