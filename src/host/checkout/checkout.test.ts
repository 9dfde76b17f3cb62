import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { type Bench, type BenchOptions, setUpBench } from "../../../test/support/worktree-bench.ts";
import { findRepository } from "../git/find-repository.ts";
import { createGitRunner } from "../git/run-git.ts";
import { openCheckout, type PersonCheckout } from "./checkout.ts";

interface Scene extends Bench {
  readonly checkout: (at?: string) => Promise<PersonCheckout>;
  /** Writes our two files, stages and commits them. */
  readonly commitOurs: (at?: string) => Promise<string>;
  readonly hook: (name: string, script: string) => void;
}

const OURS = [".law/one.md", ".law/two.md"];

function setUp(options: BenchOptions = {}): Scene {
  const bench = setUpBench(options);
  const { repo, directory, write } = bench;
  const environment = { PATH: process.env["PATH"] ?? "", HOME: join(directory, "person"), LC_ALL: "C" };
  const checkout = async (at = repo): Promise<PersonCheckout> => {
    const git = createGitRunner(environment);
    const found = await findRepository(git, at);
    if (found === null) return expect.fail("no repository");
    return openCheckout(git, environment, found);
  };
  const commitOurs = async (at = repo): Promise<string> => {
    const own = await checkout(at);
    for (const path of OURS) write(join(at, path), `${path}\n`);
    await own.stage(OURS);
    return own.commit({ paths: OURS, message: "chore: add the law" });
  };
  const hook = (name: string, script: string): void => {
    const path = join(repo, ".git", "hooks", name);
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
  };
  return { ...bench, checkout, commitOurs, hook };
}

proves(
  "GS-3",
  "a person with staged, unstaged and untracked work: only our files are committed, theirs stay",
  async () => {
    using all = setUp();
    const { git, repo, write } = all;
    write(join(repo, "README.md"), "staged\n");
    write(join(repo, "new.txt"), "staged new\n");
    git(repo, "add", "README.md", "new.txt");
    write(join(repo, "README.md"), "staged, then changed\n");
    write(join(repo, "src/main.ts"), "unstaged\n");
    write(join(repo, "untracked.txt"), "untracked\n");
    const before = git(repo, "status", "--porcelain");
    const index = git(repo, "ls-files", "-s");
    const commit = await all.commitOurs();
    expect(git(repo, "rev-parse", "main")).toBe(commit);
    expect(git(repo, "show", "--name-only", "--format=%an <%ae>|%s", commit)).toBe(
      `Ada Person <ada@example.org>|chore: add the law\n\n${OURS.join("\n")}`,
    );
    expect(git(repo, "status", "--porcelain")).toBe(before);
    const kept = git(repo, "ls-files", "-s").split("\n");
    expect(kept.filter((line) => !line.includes("\t.law/")).join("\n")).toBe(index);
  },
);

proves(
  "GS-3",
  "the first commit of a repository, and a branch that is not born: the commit has only our files",
  async () => {
    using all = setUp({ commit: false });
    const { git, repo, write } = all;
    write(join(repo, "mine.txt"), "mine\n");
    git(repo, "add", "mine.txt");
    const own = await all.checkout();
    expect([own.head, own.branch]).toEqual([null, "main"]);
    await all.commitOurs();
    expect(git(repo, "ls-tree", "-r", "--name-only", "HEAD")).toBe(OURS.join("\n"));
    expect(git(repo, "status", "--porcelain")).toBe("A  mine.txt");
  },
);

proves("GS-3", "files are removed: the commit removes only them, and what else is staged stays staged", async () => {
  using all = setUp();
  const { git, repo, write } = all;
  await all.commitOurs();
  write(join(repo, "new.txt"), "staged new\n");
  git(repo, "add", "new.txt");
  rmSync(join(repo, ".law"), { recursive: true });
  const own = await all.checkout();
  await own.stage(OURS);
  await own.commit({ paths: OURS, message: "chore: remove the law" });
  expect(git(repo, "ls-tree", "-r", "--name-only", "HEAD")).not.toContain(".law");
  expect(git(repo, "status", "--porcelain")).toBe("A  new.txt");
});

proves(
  "GS-4",
  "the person's hooks run as `git commit` runs them; one that fails makes no commit and tells why",
  async () => {
    using all = setUp();
    const { git, repo, hook } = all;
    hook("pre-commit", "git diff --cached --name-only > .git/seen; echo 'pre-commit says no' >&2; exit 1");
    const before = git(repo, "rev-parse", "HEAD");
    await expect(all.commitOurs()).rejects.toMatchObject({
      code: "commit_refused",
      details: { why: "hook", words: "pre-commit says no" },
    });
    expect(readFileSync(join(repo, ".git/seen"), "utf8")).toBe(`${OURS.join("\n")}\n`);
    expect(git(repo, "rev-parse", "HEAD")).toBe(before);
    hook("pre-commit", "exit 0");
    hook("commit-msg", 'echo "Reviewed-by: hook" >> "$1"');
    hook("post-commit", 'echo "$HOME" > .git/home');
    await all.commitOurs();
    expect(git(repo, "log", "-1", "--format=%B")).toContain("Reviewed-by: hook");
    expect(readFileSync(join(repo, ".git/home"), "utf8").trim()).toBe(join(all.directory, "person"));
  },
);

proves(
  "GS-4",
  "staging can be taken back: the index is as it was, also for files that were staged before",
  async () => {
    using all = setUp();
    const { git, repo, write } = all;
    const [one = "", two = ""] = OURS;
    write(join(repo, one), "as staged before\n");
    git(repo, "add", one);
    const index = git(repo, "ls-files", "-s");
    write(join(repo, one), "changed\n");
    write(join(repo, two), "new\n");
    const own = await all.checkout();
    const { undo } = await own.stage([one, two]);
    expect(git(repo, "ls-files", "-s")).not.toBe(index);
    await undo();
    expect(git(repo, "ls-files", "-s")).toBe(index);
  },
);

proves(
  "GS-4",
  "signing is required: the commit is signed with the person's key; a key that fails makes no commit",
  async () => {
    using all = setUp();
    const { git, repo, directory } = all;
    const person = join(directory, "person");
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(person, "key")]);
    for (const [key, value] of [
      ["gpg.format", "ssh"],
      ["commit.gpgSign", "true"],
      ["user.signingKey", join(person, "key.pub")],
    ] as const)
      git(repo, "config", "--global", key, value);
    writeFileSync(join(person, "allowed"), `ada@example.org ${readFileSync(join(person, "key.pub"), "utf8")}`);
    git(repo, "config", "--global", "gpg.ssh.allowedSignersFile", join(person, "allowed"));
    const commit = await all.commitOurs();
    expect(git(repo, "log", "-1", "--format=%G?", commit)).toBe("G");
    rmSync(join(person, "key"));
    all.write(join(repo, OURS[0] ?? ""), "again\n");
    const own = await all.checkout();
    await own.stage(OURS);
    await expect(own.commit({ paths: OURS, message: "again" })).rejects.toMatchObject({
      code: "commit_refused",
      details: { why: "signature" },
    });
  },
);

describe("wherever the person works", () => {
  const PLACES: readonly [string, BenchOptions, (all: Scene) => string][] = [
    ["a SHA-256 repository", { init: ["--object-format=sha256"] }, ({ repo }) => repo],
    [
      "a linked worktree",
      {},
      ({ git, repo, directory }) => {
        git(repo, "worktree", "add", "-q", "-b", "feature", join(directory, "linked"));
        return join(directory, "linked");
      },
    ],
    [
      "a submodule",
      {},
      ({ git, repo, directory }) => {
        git(directory, "init", "-q", "super");
        git(join(directory, "super"), "submodule", "add", "-q", repo, "sub");
        return join(directory, "super", "sub");
      },
    ],
    [
      "a shallow clone",
      {},
      ({ git, repo, directory }) => {
        git(repo, "commit", "-q", "--allow-empty", "-m", "second");
        git(directory, "clone", "-q", "--depth=1", `file://${repo}`, "shallow");
        return join(directory, "shallow");
      },
    ],
    [
      "a sparse checkout",
      {},
      ({ git, repo }) => {
        git(repo, "sparse-checkout", "set", "--cone", "src");
        return repo;
      },
    ],
    [
      "with an index in two parts",
      {},
      ({ git, repo }) => {
        git(repo, "config", "core.splitIndex", "true");
        git(repo, "update-index", "--split-index");
        return repo;
      },
    ],
    [
      "where our folder is ignored",
      {},
      ({ repo, write }) => {
        write(join(repo, ".git", "info", "exclude"), ".law/\n");
        return repo;
      },
    ],
  ];
  proves(
    "GS-5",
    "linked, submodule, shallow, sparse, SHA-256, ignored: the commit is on the branch, nothing else moves",
    async () => {
      for (const [kind, options, place] of PLACES) {
        using all = setUp(options);
        const at = place(all);
        all.write(join(at, "mine.txt"), "mine\n");
        const commit = await all.commitOurs(at);
        expect({ kind, head: all.git(at, "rev-parse", "HEAD") }).toEqual({ kind, head: commit });
        expect({ kind, status: all.git(at, "status", "--porcelain") }).toEqual({ kind, status: "?? mine.txt" });
        expect(all.git(at, "show", "--name-only", "--format=", commit)).toBe(OURS.join("\n"));
        all.git(at, "fsck", "--strict");
      }
    },
    60_000,
  );
});

proves("GS-6", "programs that only the repository's settings name are not run", async () => {
  using all = setUp();
  const { git, repo, directory, write } = all;
  const ran = join(directory, "ran");
  const evil = join(directory, "evil.sh");
  writeFileSync(evil, `#!/bin/sh\necho "$0 $@" >> ${ran}\ncat\n`);
  chmodSync(evil, 0o755);
  mkdirSync(join(repo, ".git", "info"), { recursive: true });
  write(join(repo, ".git/info/attributes"), "* filter=evil diff=evil\n");
  for (const [key, value] of [
    ["core.fsmonitor", evil],
    ["filter.evil.clean", evil],
    ["filter.evil.process", evil],
    ["filter.evil.required", "true"],
    ["diff.evil.textconv", evil],
    ["diff.external", evil],
    ["core.editor", evil],
    ["gpg.ssh.program", evil],
    ["gpg.program", evil],
    ["core.pager", evil],
    ["core.sshCommand", evil],
  ] as const)
    git(repo, "config", key, value);
  const own = await all.checkout();
  await own.files();
  await all.commitOurs();
  expect(existsSync(ran)).toBe(false);
});

test("a merge waits to be ended, or HEAD is detached: both are told", async () => {
  using all = setUp();
  const { git, repo, write } = all;
  git(repo, "checkout", "-q", "-b", "other");
  write(join(repo, "README.md"), "other\n");
  git(repo, "commit", "-qam", "other");
  git(repo, "checkout", "-q", "main");
  write(join(repo, "README.md"), "main\n");
  git(repo, "commit", "-qam", "main");
  expect((await all.checkout()).underWay).toBeNull();
  expect(() => git(repo, "merge", "other")).toThrow();
  expect((await all.checkout()).underWay).toBe("a merge");
  git(repo, "merge", "--abort");
  git(repo, "checkout", "-q", "--detach");
  expect((await all.checkout()).branch).toBeNull();
});

test("a bare repository is refused", async () => {
  using all = setUp({ init: ["--bare"], commit: false });
  await expect(all.checkout()).rejects.toMatchObject({ code: "repository_bare" });
});
