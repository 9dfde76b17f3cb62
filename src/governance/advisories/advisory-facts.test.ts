import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { setUpBench } from "../../../test/support/worktree-bench.ts";
import { type AdvisoryFacts, advisoriesOf } from "../../domains/index.ts";
import { createGitRunner, findRepository } from "../../host/index.ts";
import { checkoutFacts, machineFacts, repositoryFacts } from "./checkout-facts.ts";
import { treeWork } from "./tree-work.ts";

const NOW = Date.now();
const TICKET = { id: "TKT-1", scope: { allow: ["src/**"], deny: [] }, resourceProfile: "default" as const };

function setUp() {
  const bench = setUpBench({ init: ["--initial-branch=main"] });
  onTestFinished(() => bench[Symbol.dispose]());
  const { repo, git, write, directory } = bench;
  const runner = createGitRunner({ PATH: process.env["PATH"] });
  const scratch = join(directory, "home", "tmp", "facts");
  const commit = (path: string, cwd = repo) => {
    write(join(cwd, path), `${path} ${Math.random()}\n`);
    git(cwd, "add", "--all");
    git(cwd, "commit", "--quiet", "-m", `change ${path}`);
  };
  const facts = (root = repo, nowMs = NOW + 1000) =>
    checkoutFacts({ git: runner, scratch, root, base: { name: "main", tip: git(repo, "rev-parse", "main") } }, nowMs);
  const advise = async (root = repo) => {
    const none = { siblings: [], lastBranch: null, machine: null, coUpdates: [], changed: [] };
    const all: AdvisoryFacts = { ...none, ...(await facts(root)), ticket: TICKET, nowMs: NOW + 1000 };
    return advisoriesOf(all).map(({ message }) => message);
  };
  return { ...bench, runner, scratch, commit, facts, advise };
}

proves("GD-6", "ahead and behind of base and upstream are counted; a quiet branch says nothing", async () => {
  const { repo, git, commit, facts, advise, directory } = setUp();
  expect(await facts()).toEqual({
    branch: { name: "main", upstream: null, base: { name: "main", ahead: 0, behind: 0 }, baseUpstream: null },
    unmerged: [],
  });
  const clone = join(directory, "clone");
  git(directory, "clone", "--quiet", repo, clone);
  for (const n of [1, 2]) commit(`src/${n}.ts`);
  git(clone, "fetch", "--quiet");
  expect(await advise(clone)).toEqual([
    "Your branch main is 2 behind origin/main. Bring it up to date: `git merge origin/main` on it.",
  ]);
  commit("src/mine.ts", clone);
  expect((await facts(clone)).branch.upstream).toEqual({ name: "origin/main", ahead: 1, behind: 2 });
  git(repo, "checkout", "--quiet", "-b", "work");
  git(repo, "checkout", "--quiet", "main");
  for (let n = 0; n < 15; n += 1) commit(`docs/${n}.md`);
  git(repo, "checkout", "--quiet", "work");
  expect((await advise())[0]).toContain("The base main has 15 commits");
  git(repo, "checkout", "--quiet", "--detach", "main");
  expect((await facts()).branch).toMatchObject({ name: null, base: { ahead: 0, behind: 0 } });
});

proves("GD-6", "young work on other branches is found, what was merged, squashed or is old is not", async () => {
  const { repo, git, commit, facts, advise } = setUp();
  const branch = (name: string, path: string) => {
    git(repo, "checkout", "--quiet", "-b", name, "main");
    commit(path);
    git(repo, "checkout", "--quiet", "main");
  };
  for (const [name = "", path = ""] of [
    ...[
      ["feature", "src/feature.ts"],
      ["docs", "docs/x.md"],
      ["merged", "src/merged.ts"],
      ["squashed", "src/s.ts"],
    ],
  ])
    branch(name, path);
  git(repo, "merge", "--quiet", "--no-edit", "merged");
  git(repo, "merge", "--quiet", "--squash", "squashed");
  git(repo, "commit", "--quiet", "-m", "squashed");
  git(repo, "branch", "same-as-feature", "feature");
  expect((await facts()).unmerged.map(({ name, paths }) => `${name}: ${paths.join()}`).toSorted()).toEqual([
    ...["docs: docs/x.md", "feature: src/feature.ts"],
  ]);
  expect(await advise()).toEqual([
    'Branch feature has work that is not in yours on src/feature.ts: "change src/feature.ts".',
  ]);
  expect((await facts(repo, NOW + 15 * 86_400_000)).unmerged).toEqual([]);
});

proves("GD-6", "work in other worktrees is found, committed or not, from each of them", async () => {
  const { repo, git, write, facts, advise, directory, runner, scratch, worktree, yard } = setUp();
  const [one, two] = [join(directory, "one"), join(directory, "two")];
  git(repo, "worktree", "add", "--quiet", "-b", "one", one);
  git(repo, "worktree", "add", "--quiet", "-b", "two", two);
  expect(await advise()).toEqual([]);
  write(join(one, "src/uncommitted.ts"), "x\n");
  write(join(repo, "src/main.ts"), "x\n");
  expect(await advise(two)).toEqual([
    `Branch main has work that is not in yours on src/main.ts: "in ${repo}".`,
    `Branch one has work that is not in yours on src/uncommitted.ts: "in ${one}".`,
  ]);
  expect((await facts(one)).unmerged.map(({ name }) => name)).toEqual(["main"]);
  // From the worktree of a session, which is none of git's.
  const { path } = await worktree();
  const found = await findRepository(runner, repo);
  if (found === null) throw new Error("no repository");
  const tip = git(path, "rev-parse", "HEAD");
  const { unmerged } = await repositoryFacts(
    { git: runner, scratch, repository: found, base: { name: "main", tip } },
    NOW,
  );
  expect(unmerged.map(({ name }) => name).toSorted()).toEqual(["main", "one"]);
  // What another session has not landed is in no branch of the repository.
  const other = await worktree({ name: "other" });
  const asked = async (own: string | null) =>
    treeWork({
      ...{ trees: await yard.list(), live: yard.live, own, tip, repository: found },
      about: async () => ({ ticketId: "TKT-7", summary: "Add it" }),
    });
  expect(await asked(null)).toEqual([]);
  write(join(other.path, "src/theirs.ts"), "x\n");
  const [theirs] = await asked(null);
  expect(theirs).toMatchObject({ name: "nomos/other", paths: ["src/theirs.ts"], more: 0, ticketId: "TKT-7" });
  expect(Math.abs((theirs?.atMs ?? 0) - Date.now())).toBeLessThan(60_000);
  expect(await asked(other.id)).toEqual([]);
  git(other.path, "add", "--all");
  git(other.path, "commit", "--quiet", "-m", "theirs");
  expect(await asked(null)).toMatchObject([{ paths: ["src/theirs.ts"] }]);
  git(repo, "pull", "--quiet", "--no-rebase", other.path, "HEAD");
  expect(
    await treeWork({
      ...{ trees: await yard.list(), live: yard.live, own: null, tip: git(repo, "rev-parse", "main") },
      ...{ repository: found, about: async () => ({ ticketId: null, summary: "" }) },
    }),
  ).toEqual([]);
});

proves("GD-6", "outside of a repository, and in one without commits, there is nothing to tell", async () => {
  const { git, directory, runner, scratch } = setUp();
  const empty = join(directory, "empty");
  mkdirSync(empty);
  const none = { git: runner, scratch, root: empty, base: null };
  const nothing = { branch: { name: null, upstream: null, base: null, baseUpstream: null }, unmerged: [] };
  expect(await checkoutFacts(none, NOW)).toEqual(nothing);
  git(empty, "init", "--quiet", "--initial-branch=main");
  expect(await checkoutFacts(none, NOW)).toEqual({ ...nothing, branch: { ...nothing.branch, name: "main" } });
  expect(machineFacts()?.cores).toBeGreaterThan(0);
});
