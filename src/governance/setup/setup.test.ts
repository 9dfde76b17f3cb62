import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { filesOf } from "../../../test/support/landing-repository.ts";
import { proves } from "../../../test/support/proves.ts";
import { type SetupBench, setUpLawBench } from "../../../test/support/setup-scene.ts";
import { createFileCommits } from "../files/commit-files.ts";
import { verifyLaw } from "../law/verify-law.ts";
import { openGoverned } from "../repository/open-governed.ts";
import { type DeinitWish, deinitLaw } from "./deinit/deinit-law.ts";
import { type InitWish, initLaw } from "./init/init-law.ts";
import { upgradeLaw } from "./upgrade/upgrade-law.ts";

const OWN = [
  ".gitattributes",
  ".gitignore",
  "CONSTITUTION.md",
  "config.yaml",
  "governance.lock.json",
  "policy.sealed.json",
].map((name) => `.nomos/${name}`);

function init({ place, make, repo }: SetupBench, wish: Partial<InitWish> = {}) {
  return initLaw(place, make, { cwd: repo, dryRun: false, commit: true, message: null, sidecar: false, ...wish });
}

function deinit({ place, repo }: SetupBench, wish: Partial<DeinitWish> = {}) {
  return deinitLaw(place, { cwd: repo, dryRun: false, force: false, message: null, ...wish });
}

/** What must be as before: files, index, status, refs but the branches' own commits. */
function picture({ git, repo }: SetupBench) {
  return {
    files: filesOf(repo),
    index: git(repo, "ls-files", "-s"),
    status: git(repo, "status", "--porcelain", "--ignored"),
    refs: git(repo, "for-each-ref", "--format=%(refname)"),
    tree: git(repo, "rev-parse", "HEAD^{tree}"),
    worktrees: git(repo, "worktree", "list", "--porcelain")
      .split("\n")
      .filter((line) => !line.startsWith("HEAD")),
    exclude: readFileSync(join(repo, ".git/info/exclude"), "utf8"),
    gitDir: readdirSync(join(repo, ".git")).filter((name) => name !== "COMMIT_EDITMSG" && name !== "worktrees"),
  };
}

proves(
  "GS-8",
  "init: the law is made, committed alone and in the person's name; a second init changes nothing",
  async () => {
    using all = setUpLawBench();
    const { git, repo, write } = all;
    write(join(repo, "README.md"), "staged\n");
    git(repo, "add", "README.md");
    write(join(repo, "src/main.ts"), "unstaged\n");
    write(join(repo, "new.txt"), "new\n");
    const status = git(repo, "status", "--porcelain");
    const done = await init(all);
    expect(done).toMatchObject({ branch: "main", mode: "tracked", recorded: expect.arrayContaining(OWN) });
    expect(
      git(repo, "show", "--name-only", "--format=%an", done.commit ?? "")
        .split("\n")
        .sort(),
    ).toEqual(["", "Ada Person", ...OWN].sort());
    expect(git(repo, "status", "--porcelain")).toBe(status);
    const before = { ...picture(all), head: git(repo, "rev-parse", "HEAD") };
    expect(await init(all)).toMatchObject({ created: [], recorded: [], commit: null, made: null });
    expect({ ...picture(all), head: git(repo, "rev-parse", "HEAD") }).toEqual(before);
  },
);

proves("GS-8", "init --dry-run: every file is named, and nothing is written", async () => {
  using all = setUpLawBench();
  const before = all.portrait();
  const done = await init(all, { dryRun: true });
  expect([...done.created].sort()).toEqual(OWN);
  expect(all.portrait()).toBe(before);
  expect(existsSync(join(all.repo, ".nomos"))).toBe(false);
});

proves("GS-8", "init --no-commit: the files are staged; again changes nothing; a later init commits them", async () => {
  using all = setUpLawBench();
  const { git, repo } = all;
  const head = git(repo, "rev-parse", "HEAD");
  expect((await init(all, { commit: false })).commit).toBeNull();
  const staged = git(repo, "status", "--porcelain");
  expect(staged.split("\n").sort()).toEqual(OWN.map((path) => `A  ${path}`));
  await init(all, { commit: false });
  expect([git(repo, "status", "--porcelain"), git(repo, "rev-parse", "HEAD")]).toEqual([staged, head]);
  expect((await init(all)).commit).not.toBeNull();
  expect(git(repo, "status", "--porcelain")).toBe("");
});

proves("GS-8", "deinit after init --no-commit: nothing is committed, and all is as before", async () => {
  using all = setUpLawBench();
  const before = { ...picture(all), head: all.git(all.repo, "rev-parse", "HEAD") };
  await init(all, { commit: false });
  expect((await deinit(all)).commit).toBeNull();
  expect({ ...picture(all), head: all.git(all.repo, "rev-parse", "HEAD") }).toEqual(before);
});

proves(
  "GS-8",
  "a repository that rewrites line ends or filters files: the law stays as it was written, also in clones",
  async () => {
    using all = setUpLawBench();
    const { git, repo, write, directory, place } = all;
    write(join(repo, ".gitattributes"), "* text eol=crlf\n*.md filter=loud\n*.json filter=lfs\n");
    git(repo, "add", "--all");
    git(repo, "commit", "-qm", "attributes");
    git(repo, "config", "core.autocrlf", "true");
    await init(all);
    expect(git(repo, "status", "--porcelain")).toBe("");
    git(directory, "clone", "-q", repo, "clone");
    for (const cwd of [repo, join(directory, "clone")])
      expect(await verifyLaw(place.git, cwd, { scratch: place.scratch })).toMatchObject({ ok: true, problems: [] });
  },
);

proves("GS-9", "deinit: files, index, refs and the person's work are as before init", async () => {
  using all = setUpLawBench();
  const { git, repo, write } = all;
  write(join(repo, "README.md"), "staged\n");
  git(repo, "add", "README.md");
  write(join(repo, "src/main.ts"), "unstaged\n");
  const before = picture(all);
  await init(all);
  git(repo, "update-ref", "refs/nomos/status/TKT-1", "HEAD");
  git(repo, "update-ref", "refs/nomos/leases/TKT-1", "HEAD");
  write(join(repo, ".nomos/cache/x"), "cached");
  const told = await deinit(all, { dryRun: true });
  expect(told).toMatchObject({ files: OWN, refs: ["refs/nomos/leases/TKT-1", "refs/nomos/status/TKT-1"], kept: [] });
  expect(existsSync(join(repo, ".nomos/CONSTITUTION.md"))).toBe(true);
  const done = await deinit(all);
  expect(git(repo, "show", "--name-status", "--format=", done.commit ?? "").split("\n")).toEqual(
    OWN.map((path) => `D\t${path}`),
  );
  expect(picture(all)).toEqual(before);
  await expect(deinit(all)).rejects.toMatchObject({ code: "not_governed" });
});

proves("GS-9", "deinit with tickets or uncommitted changes: refused and nothing changes, unless forced", async () => {
  using all = setUpLawBench();
  const { git, repo, write } = all;
  const before = picture(all);
  await init(all);
  write(join(repo, ".nomos/config.yaml"), `${readFileSync(join(repo, ".nomos/config.yaml"), "utf8")}# mine\n`);
  await expect(deinit(all)).rejects.toMatchObject({
    code: "governance_kept",
    details: { files: [".nomos/config.yaml"] },
  });
  git(repo, "checkout", "-q", "--", ".nomos");
  write(join(repo, ".nomos/tickets/TKT-1.yaml"), "id: TKT-1\n");
  await expect(deinit(all)).rejects.toMatchObject({ details: { files: [".nomos/tickets/TKT-1.yaml"] } });
  git(repo, "add", "--all");
  git(repo, "commit", "-qm", "ticket");
  const held = git(repo, "rev-parse", "HEAD");
  await expect(deinit(all)).rejects.toMatchObject({ code: "governance_kept" });
  expect([git(repo, "rev-parse", "HEAD"), git(repo, "status", "--porcelain")]).toEqual([held, ""]);
  await deinit(all, { force: true });
  expect(picture(all)).toEqual(before);
});

proves("GS-9", "people's own tools in `.nomos`: no law by themselves, and init and deinit leave them", async () => {
  using all = setUpLawBench();
  const { git, repo, write, place } = all;
  write(join(repo, ".nomos/tools/mine.ts"), "export default {};\n");
  write(join(repo, ".nomos/.gitignore"), "*.log\n");
  git(repo, "add", ".nomos");
  git(repo, "commit", "-qm", "tools");
  write(join(repo, ".nomos/tools/new.ts"), "not committed\n");
  expect(await openGoverned(place.git, repo, place.scratch)).toBeNull();
  const before = picture(all);
  expect((await init(all)).recorded).not.toContain(".nomos/tools/new.ts");
  expect(git(repo, "status", "--porcelain")).toBe("?? .nomos/tools/new.ts");
  expect(await verifyLaw(place.git, repo, { scratch: place.scratch })).toMatchObject({ ok: true });
  await deinit(all);
  expect(picture(all)).toEqual(before);
});

proves("GS-4", "a pre-commit hook that fails: init and deinit leave nothing behind", async () => {
  using all = setUpLawBench();
  const { git, repo } = all;
  const hook = join(repo, ".git/hooks/pre-commit");
  const failing = () => {
    writeFileSync(hook, "#!/bin/sh\necho 'the linter says no' >&2\nexit 1\n");
    chmodSync(hook, 0o755);
  };
  failing();
  const before = picture(all);
  await expect(init(all)).rejects.toMatchObject({
    code: "commit_refused",
    message: expect.stringContaining("the linter says no"),
  });
  expect(picture(all)).toEqual(before);
  rmSync(hook);
  await init(all);
  failing();
  const governed = picture(all);
  await expect(deinit(all)).rejects.toMatchObject({ code: "commit_refused" });
  expect(picture(all)).toEqual(governed);
  rmSync(hook);
  await deinit(all);
  expect(git(repo, "status", "--porcelain")).toBe("");
});

proves("GS-4", "a hook that formats our files: the commit is made, and what has to be done is told", async () => {
  using all = setUpLawBench();
  const { git, repo } = all;
  const hook = join(repo, ".git/hooks/pre-commit");
  writeFileSync(hook, "#!/bin/sh\necho >> .nomos/CONSTITUTION.md\ngit add .nomos/CONSTITUTION.md\n");
  chmodSync(hook, 0o755);
  const { notices, commit } = await init(all);
  expect(notices).toContainEqual(
    expect.stringMatching(/A hook rewrote .nomos\/CONSTITUTION.md.*nomos governance build/),
  );
  expect(git(repo, "rev-parse", "HEAD")).toBe(commit);
  expect(await verifyLaw(all.place.git, repo, { scratch: all.place.scratch })).toMatchObject({ ok: false });
});

test.skipIf(process.getuid?.() !== 0)(
  "a daemon that runs as root: every file belongs to the person, and their hooks run as them",
  async () => {
    using all = setUpLawBench();
    const { git, repo, directory, person } = all;
    const hook = join(repo, ".git/hooks/pre-commit");
    writeFileSync(hook, "#!/bin/sh\nid -u > .git/ran-as\n");
    chmodSync(hook, 0o755);
    chmodSync(directory, 0o755);
    execFileSync("chown", ["-R", "12345:12345", repo, person]);
    git(repo, "config", "--global", "--add", "safe.directory", repo);
    const foreign = () => execFileSync("find", [repo, "-not", "-uid", "12345"], { encoding: "utf8" });
    await init(all);
    expect([readFileSync(join(repo, ".git/ran-as"), "utf8"), foreign()]).toEqual(["12345\n", ""]);
    await deinit(all);
    expect(foreign()).toBe("");
    await init(all, { sidecar: true });
    expect(foreign()).toBe("");
  },
);

describe("where a law cannot be set up", () => {
  const PLACES: readonly [string, string, (all: SetupBench) => Partial<InitWish>][] = [
    ["no repository", "not_a_repository", ({ directory }) => ({ cwd: join(directory, "person") })],
    ["a folder that is not there", "cwd_missing", ({ directory }) => ({ cwd: join(directory, "nowhere") })],
    [
      "a bare repository",
      "repository_bare",
      ({ git, repo, directory }) => {
        git(directory, "clone", "-q", "--bare", repo, "bare.git");
        return { cwd: join(directory, "bare.git") };
      },
    ],
    [
      "a merge in progress",
      "repository_busy",
      ({ git, repo, write }) => {
        git(repo, "checkout", "-q", "-b", "other");
        write(join(repo, "README.md"), "other\n");
        git(repo, "commit", "-qam", "other");
        git(repo, "checkout", "-q", "main");
        write(join(repo, "README.md"), "main\n");
        git(repo, "commit", "-qam", "main");
        expect(() => git(repo, "merge", "other")).toThrow();
        return {};
      },
    ],
    [
      "a detached HEAD",
      "head_detached",
      ({ git, repo }) => {
        git(repo, "checkout", "-q", "--detach");
        return {};
      },
    ],
    [
      "a link in place of the folder",
      "governance_blocked",
      ({ repo, person }) => {
        symlinkSync(person, join(repo, ".nomos"));
        return {};
      },
    ],
    [
      "a file in place of the folder",
      "governance_blocked",
      ({ repo }) => {
        writeFileSync(join(repo, ".nomos"), "mine");
        return {};
      },
    ],
    [
      "a law of a newer version",
      "governance_newer",
      ({ repo, write }) => {
        write(join(repo, ".nomos/config.yaml"), "version: 7\n");
        return {};
      },
    ],
    [
      "a repository of its own in the folder",
      "governance_blocked",
      ({ git, repo }) => {
        mkdirSync(join(repo, ".nomos"));
        git(join(repo, ".nomos"), "init", "-q");
        return {};
      },
    ],
  ];
  proves(
    "GS-8",
    "none, bare, busy, detached, a link, a newer law: refused with a remedy, and nothing is written",
    async () => {
      for (const [what, code, prepare] of PLACES) {
        using all = setUpLawBench();
        const wish = prepare(all);
        const seen = () => Object.entries(filesOf(all.directory)).filter(([path]) => !path.startsWith("home/"));
        const before = seen();
        const refused = await init(all, wish).catch((thrown: unknown) => thrown);
        expect(refused, what).toMatchObject({ code, remedy: expect.stringMatching(/\w/) });
        expect(seen(), what).toEqual(before);
      }
    },
    60_000,
  );

  test("the daemon's own home in the repository is no law", async () => {
    using all = setUpLawBench();
    const place = { ...all.place, home: join(all.repo, ".nomos") };
    await expect(init({ ...all, place })).rejects.toMatchObject({ code: "governance_blocked" });
  });
});

proves(
  "GS-10",
  "a sidecar: the branches of the work stay untouched, the law has its own; deinit takes all of it back",
  async () => {
    using all = setUpLawBench();
    const { git, repo, write } = all;
    write(join(repo, "src/main.ts"), "unstaged\n");
    const before = { ...picture(all), head: git(repo, "rev-parse", "HEAD") };
    const done = await init(all, { sidecar: true });
    expect(done).toMatchObject({ mode: "sidecar", branch: "nomos-governance" });
    expect(git(repo, "rev-parse", "HEAD")).toBe(before.head);
    expect(git(repo, "status", "--porcelain")).toBe(" M src/main.ts");
    expect(git(repo, "ls-tree", "-r", "--name-only", "nomos-governance").split("\n").sort()).toEqual(
      OWN.map((path) => path.slice(".nomos/".length)).sort(),
    );
    expect(git(repo, "rev-list", "--count", "nomos-governance")).toBe("1");
    expect(git(join(repo, ".nomos"), "status", "--porcelain")).toBe("");
    const report = await verifyLaw(all.place.git, repo, { scratch: all.place.scratch });
    expect(report).toMatchObject({ ok: true, branch: "nomos-governance", problems: [] });
    const governed = await openGoverned(all.place.git, repo, all.place.scratch);
    expect([governed?.work.branch, await governed?.read(".nomos/.gitignore")]).toEqual(["main", "cache/\n"]);
    expect((await governed?.list(".nomos"))?.map(({ path }) => path)).toContain(".nomos/config.yaml");
    expect(await init(all, { sidecar: true })).toMatchObject({ created: [], commit: null });
    expect(await init(all)).toMatchObject({ mode: "sidecar", created: [], commit: null });
    expect(await init(all, { cwd: join(repo, ".nomos") })).toMatchObject({ mode: "sidecar", root: repo });
    expect(await deinit(all)).toMatchObject({ refs: ["refs/heads/nomos-governance"] });
    expect({ ...picture(all), head: git(repo, "rev-parse", "HEAD") }).toEqual(before);
  },
);

proves("GS-10", "a law was on the branch before: the sidecar's locks have a history of their own", async () => {
  using all = setUpLawBench();
  await init(all);
  await deinit(all);
  await init(all, { sidecar: true });
  expect(await verifyLaw(all.place.git, all.repo, { scratch: all.place.scratch })).toMatchObject({ problems: [] });
  await deinit(all);
  await init(all);
  expect(await verifyLaw(all.place.git, all.repo, { scratch: all.place.scratch })).toMatchObject({ problems: [] });
});

proves("GS-10", "a clone of a sidecar: init mounts the branch that is at the remote", async () => {
  using all = setUpLawBench();
  const { git, repo, directory } = all;
  await init(all, { sidecar: true });
  git(directory, "clone", "-q", `file://${repo}`, "clone");
  const clone = join(directory, "clone");
  const done = await init(all, { cwd: clone, sidecar: true });
  expect(done).toMatchObject({ mode: "sidecar", created: [], commit: null });
  expect(git(join(clone, ".nomos"), "rev-parse", "HEAD")).toBe(git(repo, "rev-parse", "nomos-governance"));
  expect(git(clone, "status", "--porcelain")).toBe("");
});

proves(
  "GS-11",
  "upgrade: settings that are missing are added below what people wrote, and nothing else changes",
  async () => {
    using all = setUpLawBench();
    const { git, repo, write, place, make } = all;
    await init(all);
    const upgrade = (dryRun = false) => upgradeLaw(place, make, { cwd: repo, dryRun, commit: true, message: null });
    expect(await upgrade()).toMatchObject({ files: [], commit: null });
    const old = "# mine\nversion: 1\nchecks: [[make, test]]\nbudgets: {files: 3, lines: 30}\n";
    write(join(repo, ".nomos/config.yaml"), old);
    await expect(upgrade()).rejects.toMatchObject({ code: "governance_kept" });
    git(repo, "commit", "-qam", "old settings");
    expect((await upgrade(true)).files).toContain(".nomos/config.yaml");
    expect(git(repo, "status", "--porcelain")).toBe("");
    const done = await upgrade();
    expect(done.files).toContain(".nomos/config.yaml");
    const text = git(repo, "show", "HEAD:.nomos/config.yaml");
    expect(text.startsWith(old)).toBe(true);
    expect(text).toContain('branch: "main"');
    expect(text).not.toMatch(/budgets:\n/);
    expect(await upgrade()).toMatchObject({ files: [], commit: null });
    const lock = join(repo, ".nomos/governance.lock.json");
    write(lock, readFileSync(lock, "utf8").replace('"version": 1', '"version": 2'));
    git(repo, "commit", "-qam", "newer");
    await expect(upgrade()).rejects.toMatchObject({ code: "governance_newer" });
  },
);

proves(
  "GS-5",
  "SHA-256, unborn, linked, submodule, shallow: init and deinit work, and leave the checkout as it was",
  async () => {
    const shapes: readonly [string, Parameters<typeof setUpLawBench>[0], (all: SetupBench) => string][] = [
      ["SHA-256", { init: ["--object-format=sha256"] }, ({ repo }) => repo],
      ["unborn", { commit: false }, ({ repo }) => repo],
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
    ];
    for (const [what, options, prepare] of shapes) {
      using all = setUpLawBench(options);
      const { git } = all;
      const cwd = prepare(all);
      all.write(join(cwd, "mine.txt"), "mine\n");
      git(cwd, "add", "mine.txt");
      const before = { files: filesOf(cwd), status: git(cwd, "status", "--porcelain") };
      const done = await init(all, { cwd });
      expect({ what, head: git(cwd, "rev-parse", "HEAD") }).toEqual({ what, head: done.commit });
      expect(git(cwd, "status", "--porcelain"), what).toBe(before.status);
      expect((await init(all, { cwd })).commit, what).toBeNull();
      await deinit(all, { cwd });
      expect({ files: filesOf(cwd), status: git(cwd, "status", "--porcelain") }, what).toEqual(before);
      git(cwd, "fsck", "--strict");
    }
  },
  60_000,
);

proves("GS-10", "a file of a sidecar is committed to its branch and appears where it is mounted", async () => {
  using all = setUpLawBench();
  const { git, repo, place } = all;
  await init(all, { sidecar: true });
  const governed = await openGoverned(place.git, repo, place.scratch);
  if (governed === null) return expect.fail("not governed");
  const commits = createFileCommits({ ...place, folder: join(all.directory, "home", "commits") });
  const changes = new Map([[".nomos/tickets/TKT-1.yaml", "id: TKT-1\n"]]);
  const { commit } = await commits.commit({ governed, changes, message: "Add a ticket", actor: "operator" });
  expect(git(repo, "ls-tree", "-r", "--name-only", commit)).toContain("\ntickets/TKT-1.yaml");
  expect(readFileSync(join(repo, ".nomos/tickets/TKT-1.yaml"), "utf8")).toBe("id: TKT-1\n");
  expect([git(repo, "status", "--porcelain"), git(join(repo, ".nomos"), "status", "--porcelain")]).toEqual(["", ""]);
  const again = await openGoverned(place.git, repo, place.scratch);
  expect(await again?.read(".nomos/tickets/TKT-1.yaml")).toBe("id: TKT-1\n");
});

test("on a branch beside a governed one: nothing is made, and the law's branch is named", async () => {
  using all = setUpLawBench();
  const { git, repo } = all;
  git(repo, "branch", "feature");
  await init(all);
  git(repo, "switch", "-q", "feature");
  expect(await init(all)).toMatchObject({ created: [], notices: [expect.stringContaining("main")] });
  await expect(deinit(all)).rejects.toMatchObject({ code: "governance_blocked" });
  expect(git(repo, "status", "--porcelain")).toBe("");
});
