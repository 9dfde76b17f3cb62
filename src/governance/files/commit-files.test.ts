import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { setUpFileCommits } from "../../../test/support/file-commits.ts";
import { filesOf } from "../../../test/support/landing-repository.ts";
import { proves } from "../../../test/support/proves.ts";

const FILE = ".nomos/tickets/TKT-20260102-030405-A1B2.yaml";

proves(
  "GT-1",
  "a person with staged, unstaged and new files: one commit with one file, theirs stay as they are",
  async () => {
    using bench = setUpFileCommits();
    const { repo, git, write } = bench;
    write(join(repo, "README.md"), "staged\n");
    git(repo, "add", "README.md");
    write(join(repo, "README.md"), "staged and more\n");
    write(join(repo, "src/main.ts"), "unstaged\n");
    write(join(repo, "new.txt"), "new\n");
    write(join(repo, "added.txt"), "added\n");
    git(repo, "add", "added.txt");
    git(repo, "add", "-N", "new.txt");
    const before = {
      status: git(repo, "status", "--porcelain"),
      files: filesOf(repo),
      diff: git(repo, "diff", "--cached"),
    };
    const { commit, isNew } = await bench.write1(FILE, "id: A\n");
    expect({ isNew, tip: git(repo, "rev-parse", "main") }).toEqual({ isNew: true, tip: commit });
    expect(git(repo, "show", "--stat=80", "--format=%an <%ae>%n%B", "HEAD")).toContain("1 file changed");
    expect(git(repo, "log", "-1", "--format=%an %s|%(trailers)")).toMatch(
      /^Ada Person Write .*\|Nomos-Actor: operator$/s,
    );
    expect(git(repo, "reflog", "-1", "--format=%gs")).toBe(`nomos: Write ${FILE}`);
    expect(git(repo, "status", "--porcelain")).toBe(before.status);
    expect(git(repo, "diff", "--cached")).toBe(before.diff);
    const { ".nomos/": _a, ".nomos/tickets/": _b, [FILE]: made, ...files } = filesOf(repo);
    expect(files).toEqual(before.files);
    expect(made).toBe(`file ${Buffer.from("id: A\n").toString("base64")}`);
    expect(git(repo, "fsck", "--full")).toBe("");
    expect(await bench.write1(FILE, "id: A\n")).toEqual({ commit, isNew: false });
    await bench.write1(FILE, null);
    expect(existsSync(join(repo, ".nomos"))).toBe(false);
    expect(git(repo, "status", "--porcelain")).toBe(before.status);
    expect(readdirSync(join(bench.directory, "home", "governance", "commits"))).toEqual([]);
    expect(readdirSync(join(bench.directory, "home", "tmp", "governance"))).toEqual([]);
  },
);

proves("GT-1", "what the person does to the same file, staged or not, refuses the commit by name", async () => {
  using bench = setUpFileCommits();
  const { repo, git, write } = bench;
  await bench.write1(FILE, "id: A\n");
  const tip = git(repo, "rev-parse", "main");
  const ways: readonly [string, () => void, string][] = [
    ["unstaged", () => appendFileSync(join(repo, FILE), "mine: 1\n"), FILE],
    ["staged", () => void git(repo, "update-index", "--chmod=+x", FILE), FILE],
    ["untracked in the way", () => write(join(repo, ".nomos/tickets/NEW-1.yaml"), "mine"), ".nomos/tickets/NEW-1.yaml"],
  ];
  for (const [what, prepare, path] of ways) {
    prepare();
    const before = { status: git(repo, "status", "--porcelain"), files: filesOf(repo) };
    const refused = await bench.write1(path, "id: theirs\n").catch((thrown: unknown) => thrown);
    expect(refused, what).toMatchObject({
      code: "law_branch_blocked",
      remedy: expect.stringMatching(/then try again/),
    });
    expect(String(refused), what).toContain(path);
    expect({ status: git(repo, "status", "--porcelain"), files: filesOf(repo) }, what).toEqual(before);
    expect(git(repo, "rev-parse", "main")).toBe(tip);
    git(repo, "reset", "-q", "--hard");
    git(repo, "clean", "-fdq");
  }
});

proves(
  "GT-1",
  "a merge, a rebase or unresolved conflicts on the branch refuse the commit; a paused other branch does not",
  async () => {
    using bench = setUpFileCommits();
    const { repo, git, write } = bench;
    const change = (text: string) => {
      write(join(repo, "README.md"), text);
      git(repo, "commit", "-qam", text.trim());
    };
    git(repo, "branch", "other");
    change("ours\n");
    git(repo, "switch", "-q", "other");
    change("theirs\n");
    git(repo, "switch", "-q", "main");
    const conflict = (...args: readonly string[]) => expect(() => git(repo, ...args)).toThrow();
    const refuse = async (words: RegExp) => {
      const before = { files: filesOf(repo), index: git(repo, "ls-files", "--stage") };
      const refused = await bench.write1(FILE, "id: A\n").catch((thrown: unknown) => thrown);
      expect(refused).toMatchObject({ code: "law_branch_blocked", message: expect.stringMatching(words) });
      expect({ files: filesOf(repo), index: git(repo, "ls-files", "--stage") }).toEqual(before);
    };
    conflict("merge", "-q", "other");
    await refuse(/a merge of main is in progress in/);
    git(repo, "merge", "--abort");
    conflict("rebase", "-q", "other");
    await refuse(/a rebase of main is in progress/);
    git(repo, "rebase", "--abort");
    write(join(repo, "README.md"), "stashed\n");
    git(repo, "stash", "-q");
    change("ours again\n");
    conflict("stash", "pop", "-q");
    await refuse(/conflicts in .* are not resolved \(README.md\)/);
    git(repo, "reset", "-q", "--hard");
    git(repo, "switch", "-q", "other");
    conflict("merge", "-q", "main");
    const before = filesOf(repo);
    const { commit } = await bench.write1(FILE, "id: A\n");
    expect(git(repo, "rev-parse", "main")).toBe(commit);
    expect(filesOf(repo)).toEqual(before);
  },
);

proves(
  "GT-1",
  "bare, not checked out, in a linked worktree, unborn, only at the remote, shallow, sha256: the branch gets it",
  async () => {
    const shapes: readonly [
      string,
      Parameters<typeof setUpFileCommits>[0],
      (bench: ReturnType<typeof setUpFileCommits>) => string | null,
    ][] = [
      ["bare", { commit: false, init: ["--bare", "-b", "main"] }, () => null],
      [
        "unborn with staged files",
        { commit: false },
        ({ repo, git, write }) => {
          write(join(repo, "mine.txt"), "mine");
          git(repo, "add", "mine.txt");
          return repo;
        },
      ],
      ["unborn and empty", { commit: false }, ({ repo }) => repo],
      [
        "another branch is checked out",
        {},
        ({ repo, git }) => {
          git(repo, "switch", "-qc", "feature");
          return null;
        },
      ],
      [
        "HEAD is detached",
        {},
        ({ repo, git }) => {
          git(repo, "switch", "-q", "--detach");
          return null;
        },
      ],
      [
        "a linked worktree",
        {},
        ({ repo, git, directory }) => {
          git(repo, "switch", "-qc", "feature");
          git(repo, "worktree", "add", "-q", join(directory, "linked"), "main");
          return join(directory, "linked");
        },
      ],
      ["sha256", { init: ["--object-format=sha256"] }, ({ repo }) => repo],
    ];
    for (const [what, options, prepare] of shapes) {
      using bench = setUpFileCommits(options);
      const { repo, git } = bench;
      const checkout = prepare(bench);
      const { commit } = await bench.write1(FILE, "id: A\n").catch((cause: unknown) => {
        throw new Error(what, { cause });
      });
      await bench.write1(".nomos/tickets/B-1.yaml", "id: B\n");
      expect(git(repo, "rev-parse", "main~1"), what).toBe(commit);
      expect(git(repo, "ls-tree", "-r", "--name-only", "main", ".nomos"), what).toBe(
        `.nomos/tickets/B-1.yaml\n${FILE}`,
      );
      expect(git(repo, "fsck", "--full"), what).toBe("");
      if (checkout !== null) {
        expect(readFileSync(join(checkout, FILE), "utf8"), what).toBe("id: A\n");
        const status = git(checkout, "status", "--porcelain");
        expect(status, what).toBe(what === "unborn with staged files" ? "A  mine.txt" : "");
      }
    }
  },
);

proves(
  "GT-1",
  "a clone that has the branch at its remote only gets a local one; one that has no commit yet is asked to pull",
  async () => {
    using bench = setUpFileCommits();
    const { repo, git, directory } = bench;
    git(repo, "branch", "feature");
    const clone = join(directory, "clone");
    git(directory, "clone", "-q", "--depth", "1", "--no-single-branch", "-b", "feature", `file://${repo}`, clone);
    const place = bench.placeOf(clone, clone);
    const message = "One";
    const changes = new Map([[FILE, "id: A\n"]]);
    const { commit } = await bench.commits.commit({ governed: place, changes, message, actor: "operator" });
    expect(git(clone, "rev-parse", "main", "main~1")).toBe(`${commit}\n${git(repo, "rev-parse", "main")}`);
    expect(git(clone, "status", "--porcelain")).toBe("");
    const unborn = join(directory, "unborn");
    git(directory, "init", "-q", unborn);
    git(unborn, "fetch", "-q", repo, "main:refs/remotes/origin/main");
    const wish = { governed: bench.placeOf(unborn, unborn), changes, message, actor: "operator" };
    const refused = await bench.commits.commit(wish).catch((thrown: unknown) => thrown);
    expect(refused).toMatchObject({ code: "law_branch_blocked", remedy: "Run `git pull` there, then try again." });
    expect(existsSync(join(unborn, ".nomos"))).toBe(false);
  },
);

proves(
  "GT-1",
  "paths outside of `.nomos/`, a forged trailer and a name with a line break: nothing else is written",
  async () => {
    using bench = setUpFileCommits();
    const { repo, git } = bench;
    for (const path of ["README.md", ".nomos/../README.md", ".nomos//x", "/etc/passwd", ".nomosx/a", ".nomos/a\nb"])
      await expect(bench.write1(path, "x")).rejects.toMatchObject({ code: "path_outside" });
    await bench.commits.commit({
      governed: bench.place,
      changes: new Map([[FILE, "id: A\n"]]),
      message: "Do it\n\nNomos-Actor: somebody-else",
      actor: "token:x\nNomos-Session: forged",
    });
    expect(git(repo, "log", "-1", "--format=%(trailers:only)")).toBe("Nomos-Actor: token:x Nomos-Session: forged");
  },
);

proves("GT-1", "a hook that refuses is told", async () => {
  using bench = setUpFileCommits();
  const { repo } = bench;
  const hook = join(repo, ".git/hooks/reference-transaction");
  writeFileSync(hook, '#!/bin/sh\n[ "$1" = prepared ] && echo "not on main" >&2 && exit 1\nexit 0\n', { mode: 0o755 });
  const refused = await bench.write1(FILE, "id: A\n").catch((thrown: unknown) => thrown);
  expect(refused).toMatchObject({ code: "law_branch_blocked", message: expect.stringContaining("hook") });
  expect(existsSync(join(repo, FILE))).toBe(false);
  rmSync(hook);
});
