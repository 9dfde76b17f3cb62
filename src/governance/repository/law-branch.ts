import type { RepositoryGit } from "../../host/index.ts";
import { LAW_DIR } from "./law-path.ts";

/** A branch, and where it stands in this clone. */
export interface LawBranch {
  readonly branch: string;
  /** `refs/heads/main`, or `refs/remotes/origin/main` in a clone without the local branch. */
  readonly ref: string;
  readonly tip: string;
  /** Where the law's files lie in it: `.nomos`, or the root of a branch that holds nothing else (empty). */
  readonly lawFolder: string;
}

const USUAL = ["main", "master"];
const BRANCH = /^(?!-)[^\s\0~^:?*[\\]+$/;

/**
 * The branches that may hold the law, best first: the remote's default branch, `main`, `master`, the one that is checked
 * out. A detached HEAD is called HEAD, as in the checkout of a CI.
 */
export async function likelyBranches(git: RepositoryGit): Promise<readonly LawBranch[]> {
  const current = await checkedOut(git);
  const refs = await refsOf(git, ["refs/remotes/origin/HEAD", ...[...USUAL, current ?? ""].flatMap(placesOf)]);
  const remote = refs.get("refs/remotes/origin/HEAD")?.target ?? "";
  const named = remote.startsWith(ORIGIN) ? remote.slice(ORIGIN.length) : null;
  const first = named === null ? null : await findBranch(git, named);
  const others = [...USUAL, current].filter((name) => name !== null && name !== named);
  const found = [first, ...others.map((name) => inRefs(refs, name ?? ""))].filter((branch) => branch !== null);
  const tip = current === null ? await detachedTip(git) : null;
  const unique = found.filter(({ ref }, at) => found.findIndex((one) => one.ref === ref) === at);
  return tip === null ? unique : [...unique, { branch: "HEAD", ref: "HEAD", tip, lawFolder: LAW_DIR }];
}

/** The local branch, or else the one of `origin`. */
export async function findBranch(git: RepositoryGit, branch: string): Promise<LawBranch | null> {
  return BRANCH.test(branch) ? inRefs(await refsOf(git, placesOf(branch)), branch) : null;
}

const ORIGIN = "refs/remotes/origin/";
const placesOf = (branch: string): string[] =>
  BRANCH.test(branch) ? [`refs/heads/${branch}`, `${ORIGIN}${branch}`] : [];

interface Ref {
  readonly commit: string;
  /** Of a symbolic ref; otherwise empty. */
  readonly target: string;
}

function inRefs(refs: ReadonlyMap<string, Ref>, branch: string): LawBranch | null {
  const ref = placesOf(branch).find((place) => refs.has(place));
  const tip = ref === undefined ? undefined : refs.get(ref)?.commit;
  return ref === undefined || tip === undefined ? null : { branch, ref, tip, lawFolder: LAW_DIR };
}

/** A name that is a folder of refs lists all in it; those are left out. */
async function refsOf(git: RepositoryGit, names: readonly string[]): Promise<ReadonlyMap<string, Ref>> {
  const format = "--format=%(refname) %(objecttype) %(objectname) %(symref)";
  const told = await git.text(["for-each-ref", format, ...names]);
  return new Map(
    told.split("\n").flatMap((line): [string, Ref][] => {
      const [name = "", type = "", commit = "", target = ""] = line.split(" ");
      return type === "commit" && names.includes(name) ? [[name, { commit, target }]] : [];
    }),
  );
}

/** Null for a detached HEAD. */
async function checkedOut(git: RepositoryGit): Promise<string | null> {
  const { exitCode, stdout } = await git.run(["symbolic-ref", "--quiet", "HEAD"]);
  const target = stdout.toString().trim();
  return exitCode === 0 && target.startsWith("refs/heads/") ? target.slice("refs/heads/".length) : null;
}

async function detachedTip(git: RepositoryGit): Promise<string | null> {
  const { exitCode, stdout } = await git.run(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  return exitCode === 0 ? stdout.toString().trim() : null;
}
