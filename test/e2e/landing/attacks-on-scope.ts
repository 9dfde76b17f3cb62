import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Attack } from "./attack.ts";

const ONLY_SRC = { allow: ["src"] } as const;

/** A session whose scope is `src` gets something else onto the branch. */
export const ATTACKS_ON_SCOPE: readonly Attack[] = [
  {
    name: "a committed file outside of the scope",
    scope: ONLY_SRC,
    plant: ({ write, commit }) => {
      write("README.md", "mine\n");
      commit();
    },
    works: ({ git }) => git("show", "HEAD:README.md") === "mine",
    refused: ["scope", "README.md"],
  },
  {
    name: "an uncommitted file outside of the scope",
    scope: ONLY_SRC,
    plant: ({ write }) => write("new.txt", "mine\n"),
    works: ({ git }, { cwd }) => git("--work-tree", cwd, "ls-files", "--others").includes("new.txt"),
    refused: ["scope", "new.txt"],
  },
  {
    name: "a commit that writes outside of the scope, and one that takes it back",
    scope: ONLY_SRC,
    plant: ({ write, commit, git }) => {
      write("README.md", "mine\n");
      commit("hide");
      git("checkout", "-q", "HEAD~1", "--", "README.md");
      write("src/main.ts", "export const one = 2;\n");
      commit("revert");
    },
    works: ({ git }) => git("log", "--format=%s", "--", "README.md").includes("hide"),
    refused: ["scope", /README\.md in commit/],
  },
  {
    name: "a file that is moved out of the scope",
    scope: ONLY_SRC,
    plant: ({ git, write, commit }) => {
      write("lib/.keep", "");
      git("mv", "src/main.ts", "lib/main.ts");
      commit();
    },
    works: ({ has }) => has("lib/main.ts"),
    refused: ["scope", "lib/main.ts"],
  },
  {
    name: "a file that is moved into the scope",
    scope: ONLY_SRC,
    plant: ({ git, commit }) => {
      git("mv", "README.md", "src/README.md");
      commit();
    },
    works: ({ has }) => !has("README.md"),
    refused: ["scope", "README.md"],
  },
  {
    name: "a file outside of the scope that is deleted",
    scope: ONLY_SRC,
    plant: ({ git, commit }) => {
      git("rm", "-q", "README.md");
      commit();
    },
    works: ({ has }) => !has("README.md"),
    refused: ["scope", "README.md"],
  },
  {
    name: "a mode bit of a file outside of the scope",
    scope: ONLY_SRC,
    plant: ({ git, commit, cwd }) => {
      chmodSync(join(cwd, "README.md"), 0o755);
      git("update-index", "--chmod=+x", "README.md");
      commit();
    },
    works: ({ git }) => git("ls-files", "-s", "README.md").startsWith("100755"),
    refused: ["scope", "README.md"],
  },
  {
    name: "a file outside of the scope that becomes a link",
    scope: ONLY_SRC,
    plant: ({ cwd, link, commit }) => {
      rmSync(join(cwd, "README.md"));
      link("src/main.ts", "README.md");
      commit();
    },
    works: ({ git }) => git("ls-files", "-s", "README.md").startsWith("120000"),
    refused: ["scope", "README.md"],
  },
  {
    name: "a twin in another case of a folder in the scope",
    scope: ONLY_SRC,
    plant: ({ write, commit }) => {
      write("SRC/main.ts", "evil\n");
      commit();
    },
    works: ({ has }) => has("SRC/main.ts"),
    refused: ["policy", "one name for some file systems"],
  },
  {
    name: "another Unicode form of a folder in the scope",
    scope: { allow: ["caf\u00e9"] },
    plant: ({ write, commit }) => {
      write("cafe\u0301/menu.txt", "evil\n");
      commit();
    },
    works: ({ has }) => has("cafe\u0301/menu.txt"),
    refused: ["scope", "menu.txt"],
  },
  {
    name: "another case of a forbidden folder",
    scope: { allow: ["**"], deny: ["secret"] },
    plant: ({ write, commit }) => {
      write("Secret/key.txt", "evil\n");
      commit();
    },
    works: ({ has }) => has("Secret/key.txt"),
    refused: ["scope", "deny:secret"],
  },
  {
    name: "a merge that brings something which none of its parents has",
    scope: ONLY_SRC,
    plant: ({ git, write, commit }) => {
      write("src/a.ts", "a\n");
      const side = commit();
      git("checkout", "-q", "HEAD~1");
      write("src/b.ts", "b\n");
      commit();
      git("merge", "-q", "--no-commit", side);
      write("build.sh", "evil\n");
      commit("merge");
    },
    works: ({ has }) => has("build.sh"),
    refused: ["scope", "build.sh"],
  },
  {
    name: "a merge with an older commit that takes back what was done since, and one that hides it",
    scope: ONLY_SRC,
    plant: (agent) => {
      const before = agent.git("rev-parse", "HEAD~1");
      agent.write("src/a.ts", "a\n");
      const work = agent.commit();
      const old = agent.git("rev-parse", `${before}^{tree}`);
      const merged = (tree: string, ...parents: readonly string[]) =>
        agent.git("commit-tree", tree, ...parents.flatMap((one) => ["-p", one]), "-m", "merged");
      const back = merged(old, work, before);
      agent.git("reset", "-q", "--hard", merged(`${work}^{tree}`, back, work));
    },
    works: ({ git }) => git("log", "-m", "--full-history", "--format=%s", "--", "NOTES.md").includes("merged"),
    refused: ["scope", /NOTES\.md in commit/],
  },
  {
    name: "an unrelated history that is merged in",
    scope: ONLY_SRC,
    plant: ({ git, write, commit }) => {
      const first = git("rev-parse", "HEAD");
      git("checkout", "-q", "--orphan", "other");
      git("rm", "-rqf", ".");
      write("Makefile", "all:\n\tevil\n");
      const other = commit("root");
      git("checkout", "-q", first);
      git("merge", "-q", "--no-edit", "--allow-unrelated-histories", other);
    },
    works: ({ has }) => has("Makefile"),
    refused: ["scope", "Makefile"],
  },
  {
    name: "a commit behind a replacement that shows a clean one",
    scope: ONLY_SRC,
    plant: ({ git, write, commit }) => {
      write("src/a.ts", "a\n");
      const clean = commit();
      git("reset", "-q", "--hard", "HEAD~1");
      write("src/a.ts", "a\n");
      write("README.md", "mine\n");
      git("replace", commit(), clean);
      if (!git("show", "HEAD:README.md").startsWith("hello")) throw new Error("the replacement does not work");
    },
    works: ({ git }) => git("--no-replace-objects", "show", "FETCH_HEAD:README.md") === "mine",
    refused: ["scope", "README.md"],
  },
  {
    name: "a graft that hides a commit from the log",
    scope: ONLY_SRC,
    plant: ({ git, write, commit, cwd }) => {
      const first = git("rev-parse", "HEAD");
      write("README.md", "mine\n");
      commit("hide");
      write("README.md", "hello\n");
      const last = commit("revert");
      writeFileSync(join(cwd, ".git", "info", "grafts"), `${last} ${first}\n`);
    },
    works: (_victim, { git, cwd }) => {
      const file = join(cwd, ".git", "info", "grafts");
      const [graft, isHidden] = [readFileSync(file), !git("log", "--format=%s").includes("hide")];
      rmSync(file);
      const isThere = git("log", "--format=%s").includes("hide");
      writeFileSync(file, graft);
      return isHidden && isThere;
    },
    refused: ["scope", /README\.md in commit/],
  },
  {
    name: "a commit graph that tells of another tree than the commit has",
    scope: ONLY_SRC,
    plant: ({ git, write, commit, cwd }) => {
      const clean = git("rev-parse", "HEAD^{tree}");
      write("README.md", "mine\n");
      commit("hide");
      const evil = git("rev-parse", "HEAD^{tree}");
      write("README.md", "hello\n");
      commit("revert");
      git("commit-graph", "write", "--reachable");
      const file = join(cwd, ".git", "objects", "info", "commit-graph");
      const forged = readFileSync(file, "hex").replaceAll(evil, clean);
      rmSync(file);
      writeFileSync(file, forged, "hex");
    },
    works: (_victim, { git }) => {
      const told = (value: string) => git("-c", `core.commitGraph=${value}`, "log", "--format=%s", "--", "README.md");
      return !told("true").includes("hide") && told("false").includes("hide");
    },
    refused: ["scope", /README\.md in commit/],
  },
  {
    name: "a `shallow` file that cuts off the history before the last commit",
    scope: ONLY_SRC,
    plant: ({ git, write, commit, cwd }) => {
      write("README.md", "mine\n");
      commit("hide");
      write("src/a.ts", "a\n");
      const last = commit("last");
      writeFileSync(join(cwd, ".git", "shallow"), `${last}\n`);
      if (git("log", "--format=%s").includes("hide")) throw new Error("nothing is hidden");
    },
    works: (_victim, { cwd, git }) => {
      rmSync(join(cwd, ".git", "shallow"));
      const isHidden = git("log", "--format=%s").includes("hide");
      writeFileSync(join(cwd, ".git", "shallow"), `${git("rev-parse", "HEAD")}\n`);
      return isHidden;
    },
    refused: ["scope", "README.md"],
  },
  {
    name: "a changed file that the index of the worktree calls unchanged",
    scope: ONLY_SRC,
    plant: ({ git, write }) => {
      git("update-index", "--skip-worktree", "README.md");
      write("README.md", "mine\n");
    },
    works: (_victim, { git }) => git("status", "--porcelain") === "",
    refused: ["scope", "README.md"],
  },
  {
    name: "a new file that the worktree's own `exclude` hides",
    scope: ONLY_SRC,
    plant: ({ write, cwd }) => {
      writeFileSync(join(cwd, ".git", "info", "exclude"), "*\n");
      write("hidden.txt", "mine\n");
    },
    works: (_victim, { git }) => git("status", "--porcelain") === "",
    refused: ["scope", "hidden.txt"],
  },
  {
    name: "a sparse worktree, whose settings hide what changed",
    scope: ONLY_SRC,
    plant: ({ git, write, commit }) => {
      write("docs/a.md", "mine\n");
      commit("docs");
      git("sparse-checkout", "set", "src");
    },
    works: ({ has }, { git }) => has("docs/a.md") && git("status", "--porcelain") === "",
    refused: ["scope", "docs/a.md"],
  },
  {
    name: "a commit that calls itself made by git's own merge of the branch",
    scope: ONLY_SRC,
    plant: ({ git, write, commit }) => {
      const first = git("rev-parse", "HEAD");
      write("README.md", "mine\n");
      const evil = commit("evil");
      const tree = git("rev-parse", `${evil}^{tree}`);
      const merge = git("commit-tree", tree, "-p", evil, "-p", first, "-m", "Merge branch 'main'");
      git("reset", "-q", "--hard", merge);
    },
    works: ({ git }) => git("show", "HEAD:README.md") === "mine",
    refused: ["scope", "README.md"],
  },
];
