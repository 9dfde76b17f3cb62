import type { AdvisoryFacts, Distance, Machine, OtherBranch } from "../../domains/index.ts";
import { findRepository, machineLoad, openView, type Repository, type RepositoryGit } from "../../host/index.ts";
import { linkedWork } from "./linked-work.ts";
import { unmergedBranches } from "./unmerged-branches.ts";

export interface CheckoutPlace {
  readonly git: RepositoryGit;
  readonly scratch: string;
  /** A folder of a checkout, or of a linked worktree. */
  readonly root: string;
  /** The branch that work starts from and lands on. */
  readonly base: { readonly name: string; readonly tip: string } | null;
}

/** What git knows of a checkout, its branches and the worktrees beside it. Needs no daemon. */
export async function checkoutFacts(
  { git, scratch, root, base }: CheckoutPlace,
  nowMs: number,
): Promise<Pick<AdvisoryFacts, "branch" | "unmerged">> {
  const found = await findRepository(git, root);
  if (found === null) return { branch: { name: null, upstream: null, base: null, baseUpstream: null }, unmerged: [] };
  const repository = { ...found, objectDirs: found.objectDirs.filter((one) => !found.foreign.includes(one)) };
  await using view = await openView(git, repository, scratch);
  const head = await idOf(view.git, "HEAD");
  const named = await view.git.run(["symbolic-ref", "--quiet", "--short", "HEAD"]);
  const name = named.exitCode === 0 ? named.stdout.toString().trim() : null;
  const beside = (head ?? base?.tip) || null;
  const [upstream, baseUpstream, fromBase, branches, linked] = await Promise.all([
    upstreamOf(view.git, repository, name),
    upstreamOf(view.git, repository, base?.name ?? null),
    base === null || head === null ? null : distance(view.git, { ...base, to: head }),
    beside === null ? [] : unmergedBranches(view.git, beside, nowMs),
    linkedWork({ git, scratch, repository, tip: beside }),
  ]);
  const known = [name, upstream?.name, ...namesOf(base)];
  const unmerged = together(
    linked,
    branches.filter((one) => !known.includes(one.name)),
  ).filter((one) => one.name !== name);
  return { branch: { name, upstream, base: fromBase, baseUpstream }, unmerged };
}

/** The same for work in a session's worktree, which has a git dir of its own: its branch is not among these. */
export async function repositoryFacts(
  {
    git,
    scratch,
    repository,
    base,
  }: Pick<CheckoutPlace, "git" | "scratch"> & {
    readonly repository: Repository;
    readonly base: NonNullable<CheckoutPlace["base"]>;
  },
  nowMs: number,
): Promise<Pick<AdvisoryFacts, "unmerged"> & Pick<AdvisoryFacts["branch"], "baseUpstream">> {
  await using view = await openView(git, repository, scratch);
  const [baseUpstream, branches, linked] = await Promise.all([
    upstreamOf(view.git, repository, base.name),
    unmergedBranches(view.git, base.tip, nowMs),
    linkedWork({ git, scratch, repository: { ...repository, root: null }, tip: base.tip }),
  ]);
  const known = namesOf(base);
  return {
    baseUpstream,
    unmerged: together(
      linked,
      branches.filter(({ name }) => !known.includes(name)),
    ),
  };
}

/** The base is no other work: how far it is away is told of itself. */
const namesOf = (base: CheckoutPlace["base"]): readonly string[] =>
  base === null ? [] : [base.name, `origin/${base.name}`];

/** A worktree knows more of its branch than the branch: what is not committed yet. */
function together(linked: readonly OtherBranch[], branches: readonly OtherBranch[]): readonly OtherBranch[] {
  const shown = new Set(linked.map((one) => one.name));
  return [...linked, ...branches.filter((one) => !shown.has(one.name))];
}

/** Null where the system does not say how busy it is. */
export function machineFacts(): Machine | null {
  const { cores, load, memoryFreeBytes: freeBytes } = machineLoad();
  return load === null ? null : { cores, load, freeBytes };
}

async function upstreamOf(git: RepositoryGit, { config }: Repository, name: string | null): Promise<Distance | null> {
  const [remote, merge] = ["remote", "merge"].map((what) => config.get(`branch.${name}.${what}`));
  if (name === null || remote === undefined || merge?.startsWith(HEADS) !== true) return null;
  const branch = merge.slice(HEADS.length);
  const [at, tip] = [
    remote === "." ? branch : `${remote}/${branch}`,
    await idOf(git, remote === "." ? merge : `refs/remotes/${remote}/${branch}`),
  ];
  const own = await idOf(git, `${HEADS}${name}`);
  return tip === null || own === null ? null : distance(git, { name: at, tip, to: own });
}

const HEADS = "refs/heads/";

async function idOf(git: RepositoryGit, ref: string): Promise<string | null> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`];
  const { exitCode, stdout } = await git.run(args);
  return exitCode === 0 ? stdout.toString().trim() : null;
}

/** Null when the histories cannot be compared, as in a shallow clone. */
async function distance(
  git: RepositoryGit,
  { name, tip, to }: { readonly name: string; readonly tip: string; readonly to: string },
): Promise<Distance | null> {
  const { exitCode, stdout } = await git.run(["rev-list", "--left-right", "--count", `${to}...${tip}`]);
  const [ahead = 0, behind = 0] = stdout.toString().trim().split("\t").map(Number);
  return exitCode === 0 ? { name, ahead, behind } : null;
}
