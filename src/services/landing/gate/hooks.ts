import { constants } from "node:fs";
import { access, lstat, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import type { LandingOrder } from "../../../domains/index.ts";
import { isInside, type LandingRepository, readSmallFile } from "../../../host/index.ts";

/** Hooks of the person's that git would run for the commit that a landing makes. */
export type HookName = "pre-commit" | "pre-merge-commit" | "prepare-commit-msg" | "commit-msg";

export interface HookCall {
  readonly name: HookName;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface HookPlan {
  readonly calls: readonly HookCall[];
  /** What hooks need to read beside the tree. */
  readonly readable: readonly string[];
}

/** From the root of the tree, as git gives it to hooks. */
const MESSAGE = ".git/COMMIT_EDITMSG";
const MESSAGE_BYTES_MAX = 65_536;

type Opened = Pick<LandingRepository, "git" | "settings" | "repository">;

/** Only the person's own hooks run: those of `core.hooksPath`, or of their git dir. What the landing brings does not. */
export async function planHooks(
  opened: Opened,
  { landings, commit }: { readonly landings: readonly LandingOrder[]; readonly commit: string },
): Promise<HookPlan> {
  const { hooks, identity } = opened.settings;
  if (hooks === null) return { calls: [], readable: [] };
  const wanted = await hooksFor(opened, landings, commit);
  const env = {
    ...{ GIT_INDEX_FILE: ".git/index", GIT_EDITOR: ":", GIT_PREFIX: "" },
    ...{ GIT_AUTHOR_NAME: identity.name, GIT_AUTHOR_EMAIL: identity.email },
  };
  const calls: HookCall[] = [];
  for (const [name, ...args] of wanted) {
    const path = join(hooks, name);
    if (await isProgram(path)) calls.push({ name, argv: [path, ...args], env });
  }
  return { calls, readable: calls.length === 0 ? [] : [around(opened.repository.root, hooks)] };
}

type Wanted = readonly [name: HookName, ...args: string[]];

/** As `git commit` and `git merge` do. A rebase makes no commit of its own, and git runs none of these hooks for it. */
async function hooksFor(
  { git }: Opened,
  landings: readonly LandingOrder[],
  commit: string,
): Promise<readonly Wanted[]> {
  const parents = (await git.text(["rev-parse", `${commit}^@`])).split("\n").filter(Boolean);
  const isMerge = parents.length > 1;
  const hasOwn = await Promise.all(landings.map((order) => hasUncommitted(git, order)));
  const isMade = landings.some(
    ({ how }, at) => how === "squash" || hasOwn[at] === true || (how === "merge" && !isMerge),
  );
  const source = isMerge ? "merge" : landings.some(({ how }) => how === "squash") ? "squash" : "message";
  return [
    ...(isMade ? [["pre-commit"] as const] : []),
    ...(isMerge ? [["pre-merge-commit"] as const] : []),
    ...(isMade || isMerge ? [["prepare-commit-msg", MESSAGE, source] as const, ["commit-msg", MESSAGE] as const] : []),
  ];
}

async function hasUncommitted(git: Opened["git"], { captured: { head, tree } }: LandingOrder): Promise<boolean> {
  return head === null || (await git.text(["rev-parse", `${head}^{tree}`])) !== tree;
}

/** Git leaves out a hook that is no program. */
async function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Tools such as husky keep what their hooks call beside the folder that they give git. */
function around(root: string | null, hooks: string): string {
  if (root === null || !isInside(root, hooks)) return hooks;
  const [first = ""] = relative(root, hooks).split("/");
  return first === ".git" || first === "" ? hooks : join(root, first);
}

/** What hooks made of the message; null when it cannot be read. Call when no process of the tree is left. */
export async function readMessage(tree: string): Promise<string | null> {
  // Whoever can write the tree could have put links here, to a file that only we can read.
  for (const path of [join(tree, ".git"), join(tree, MESSAGE)])
    if ((await lstat(path).catch(() => null))?.isSymbolicLink() !== false) return null;
  const text = await readSmallFile(join(tree, MESSAGE), MESSAGE_BYTES_MAX).catch(() => null);
  return text?.trim() || null;
}

export async function messageOf({ git }: Opened, commit: string): Promise<string> {
  return (await git.text(["log", "-1", "--format=%B", commit])).trim();
}

export async function writeMessage(tree: string, message: string): Promise<void> {
  await writeFile(join(tree, MESSAGE), `${message}\n`);
}
