import { join } from "node:path";
import { NomosError } from "../../../contract/index.ts";
import { removeTree } from "../../../host/index.ts";
import { LAW_DIR, SIDECAR_BRANCH } from "../../repository/law-path.ts";
import { commitRefused } from "../commit-own.ts";
import type { SetupPlace, SetupScene } from "../open-setup.ts";
import { hasLawFolder } from "../own-files.ts";
import { excludeLaw, includeLaw } from "./exclude.ts";

export interface Mounted {
  readonly branch: string;
  /** Null: the branch was there. */
  readonly commit: string | null;
  /** False: a branch that somebody made was mounted, with the law it holds. */
  readonly isNew: boolean;
}

/** Makes an orphan branch with these files, unless one is known, and mounts it as a worktree at `.nomos`. */
export async function mountSidecar(
  _place: SetupPlace,
  { checkout }: SetupScene,
  files: ReadonlyMap<string, string>,
  { message, dryRun }: { readonly message: string; readonly dryRun: boolean },
): Promise<Mounted> {
  const { root, repository, git } = checkout;
  const committed = await checkout.committed(LAW_DIR);
  if (committed.size > 0 || (await hasLawFolder(root))) throw inTheWay(root);
  const branch = SIDECAR_BRANCH;
  const known = await tipOf(checkout, `refs/heads/${branch}`);
  const remote = known ?? (await tipOf(checkout, `refs/remotes/origin/${branch}`));
  if (dryRun) return { branch, commit: null, isNew: remote === null };
  const commit = remote ?? (await orphan(checkout, files, message));
  if (known === null) await git.must(["update-ref", "-m", "nomos: init", `refs/heads/${branch}`, commit, ""]);
  const wasExcluded = !(await excludeLaw(repository.commonDir));
  try {
    await git.must(["worktree", "add", "--quiet", join(root, LAW_DIR), branch], { timeoutMs: MOUNT_TIMEOUT_MS });
  } catch (thrown) {
    if (known === null) await git.run(["update-ref", "-d", `refs/heads/${branch}`, commit]);
    await removeTree(join(root, LAW_DIR));
    if (!wasExcluded) await includeLaw(repository.commonDir);
    throw thrown;
  }
  return { branch, commit: remote === null ? commit : null, isNew: remote === null };
}

const MOUNT_TIMEOUT_MS = 120_000;

type Checkout = SetupScene["checkout"];

async function tipOf({ git }: Checkout, ref: string): Promise<string | null> {
  const { exitCode, stdout } = await git.run(["rev-parse", "--verify", "-q", `${ref}^{commit}`]);
  return exitCode === 0 ? stdout.toString().trim() : null;
}

/** A commit without a parent. All files lie at its root. */
async function orphan(
  { git, settings }: Checkout,
  files: ReadonlyMap<string, string>,
  message: string,
): Promise<string> {
  const lines: string[] = [];
  for (const [name, text] of files) {
    const id = await git.text(["hash-object", "-w", "--stdin"], { input: text });
    lines.push(`100644 blob ${id}\t${name}\0`);
  }
  const tree = await git.text(["mktree", "-z"], { input: lines.join("") });
  const { identity, signing } = settings;
  const commit = ["commit-tree", tree, ...(signing === null ? [] : ["-S"]), "-F", "-"];
  const { exitCode, stdout, stderr } = await git.run(commit, {
    input: `${message}\n`,
    identity,
    ...(signing === null ? {} : { signing }),
  });
  if (exitCode !== 0) throw commitRefused(signing === null ? "git" : "signature", stderr.trim());
  return stdout.toString().trim();
}

function inTheWay(root: string): NomosError {
  return new NomosError(
    "governance_blocked",
    { path: LAW_DIR },
    {
      message: `${join(root, LAW_DIR)} is there already, so no branch can be mounted at it.`,
      remedy: "Run `nomos deinit` first, or move the folder away.",
    },
  );
}
