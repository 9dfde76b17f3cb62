import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { filesOf, flawsOf, pictureOf, setUpLanding } from "../../../../test/support/landing-repository.ts";
import { landingScene, put } from "../../../../test/support/landing-scene.ts";
import { needs } from "../../../../test/support/needs.ts";
import { proves } from "../../../../test/support/proves.ts";
import { HostError } from "../../host-error.ts";

const reported = (cause: unknown): never => {
  throw cause;
};

describe("a branch that is not checked out in the repository itself", () => {
  proves("LH-4", "on its own: the checkout of another branch stays as it is, dirty or not", async () => {
    using all = await landingScene({}, ({ git, repo }) => git(repo, "branch", "early"));
    const { git, repo, at } = all;
    git(repo, "switch", "-qc", "mine");
    writeFileSync(at("keep.txt"), "dirty");
    put(repo, "uncommitted.txt", "mine");
    git(repo, "add", "uncommitted.txt");
    const before = pictureOf(all, "main");
    const { moved, made } = await all.land(all.id, { how: "squash" });
    expect(moved).toEqual({ moved: true });
    expect("commit" in made && made.commit).toBe(git(repo, "rev-parse", "main"));
    expect(pictureOf(all, "main")).toEqual(before);
    expect(flawsOf(all)).toEqual([]);
    expect(git(repo, "show", "main:uncommitted.txt")).toBe("not committed");
  });

  proves(
    "LH-4",
    "in a linked worktree: its files and its index move, and nothing in the repository's own",
    async () => {
      using all = await landingScene();
      const { git, repo, directory, at } = all;
      git(repo, "switch", "-q", "--detach");
      writeFileSync(at("keep.txt"), "dirty");
      const linked = join(directory, "linked");
      git(repo, "worktree", "add", "-q", linked, "main");
      const before = filesOf(repo);
      expect((await all.land(all.id)).moved).toEqual({ moved: true });
      expect(git(linked, "status", "--porcelain")).toBe("");
      expect(readFileSync(join(linked, "a.txt"), "utf8")).toBe("changed\n");
      expect(git(linked, "rev-parse", "HEAD")).toBe(git(repo, "rev-parse", "main"));
      expect(git(linked, "reflog", "-1", "--format=%gs", "HEAD")).toBe("nomos: land");
      expect(filesOf(repo)).toEqual(before);
      expect(flawsOf(all)).toEqual([]);
      writeFileSync(join(linked, "a.txt"), "mine");
      put(all.tree, "later.txt", "later");
      expect((await all.land(all.id)).moved).toMatchObject({ moved: false, why: "checkout", paths: ["a.txt"] });
      git(repo, "worktree", "lock", linked);
      renameSync(linked, join(directory, "moved"));
      expect((await all.land(all.id)).moved).toMatchObject({ moved: false, words: expect.stringMatching(/not there/) });
      git(repo, "worktree", "unlock", linked);
      expect((await all.land(all.id)).moved).toEqual({ moved: true });
    },
  );

  proves("LH-4", "in bare, shallow, borrowing and sha256 repositories", async () => {
    using bare = setUpLanding();
    const target = join(bare.directory, "bare.git");
    bare.git(bare.directory, "clone", "-q", "--bare", bare.repo, target);
    rmSync(bare.repo, { recursive: true });
    renameSync(target, bare.repo);
    const tree = await bare.worktree();
    put(tree.path, "new.txt", "new");
    expect((await bare.land(tree.id)).moved).toEqual({ moved: true });
    expect(bare.git(bare.repo, "show", "main:new.txt")).toBe("new");
    expect(flawsOf(bare)).toEqual([]);

    using sha256 = await landingScene({ init: ["--object-format=sha256"] });
    expect((await sha256.land(sha256.id, { how: "rebase" })).moved).toEqual({ moved: true });
    expect(sha256.git(sha256.repo, "status", "--porcelain")).toBe("");
    expect(flawsOf(sha256)).toEqual([]);

    for (const flags of [["--depth=1"], ["--shared"]]) {
      using all = setUpLanding({ borrows: true });
      const { git, repo, directory } = all;
      put(repo, "later.txt", "later");
      git(repo, "add", ".");
      git(repo, "commit", "-qm", "later");
      git(directory, "clone", "-q", ...flags, `file://${repo}`, join(directory, "clone")).concat();
      renameSync(repo, join(directory, "origin"));
      renameSync(join(directory, "clone"), repo);
      if (flags.includes("--shared"))
        writeFileSync(join(repo, ".git/objects/info/alternates"), `${join(directory, "origin/.git/objects")}\n`);
      const own = await all.worktree();
      put(own.path, "new.txt", "new");
      const { made, moved } = await all.land(own.id, { how: "rebase" });
      expect({ flags, made, moved }).toMatchObject({ flags, moved: { moved: true } });
      expect(git(repo, "status", "--porcelain")).toBe("");
      expect(git(repo, "log", "--format=%s", "main").split("\n")[0]).toBe("Land it");
      expect(flawsOf(all)).toEqual([]);
    }
  });
});

describe("what comes between", () => {
  proves("LH-5", "a branch that moved, a hook that refuses, a ref that cannot be locked: nothing changes", async () => {
    using all = await landingScene();
    const { git, repo, at } = all;
    const capture = await all.capture(all.id);
    await using landing = await all.open([capture]);
    const made = await all.make(landing, capture);
    if (!("commit" in made)) return reported(made);
    const from = git(repo, "rev-parse", "main");
    const move = {
      branch: "main",
      from,
      to: made.commit,
      reason: "nomos: land",
      owner: "one",
      folder: all.folder("one"),
    };
    const hook = (text: string): void => {
      writeFileSync(at(".git/hooks/reference-transaction"), `#!/bin/sh\n${text}\n`);
      chmodSync(at(".git/hooks/reference-transaction"), 0o755);
    };
    hook('test "$1" != prepared || { echo "no landing today" >&2; exit 1; }');
    let before = pictureOf(all);
    expect(await landing.move(move)).toMatchObject({
      moved: false,
      why: "hook",
      words: expect.stringContaining("no landing today"),
    });
    expect(pictureOf(all)).toEqual(before);
    // It sees the files as they were, starts in the repository, and what it does afterwards takes nothing back.
    hook('echo "$1 $(pwd) $(cat a.txt)" >> ../told; test "$1" != committed');
    writeFileSync(at(".git/refs/heads/main.lock"), "");
    expect(await landing.move(move)).toMatchObject({
      moved: false,
      why: "checkout",
      words: expect.stringContaining("main.lock"),
    });
    rmSync(at(".git/refs/heads/main.lock"));
    expect(pictureOf(all)).toEqual(before);
    git(repo, "commit", "-q", "--allow-empty", "-m", "the person's");
    before = pictureOf(all);
    expect(await landing.move(move)).toMatchObject({ moved: false, why: "tip" });
    expect(pictureOf(all)).toEqual(before);
    git(repo, "update-ref", "refs/heads/main", from);
    rmSync(join(all.directory, "told"), { force: true });
    expect(await landing.move(move)).toEqual({ moved: true });
    expect(readFileSync(join(all.directory, "told"), "utf8")).toBe(`prepared ${repo} a\ncommitted ${repo} changed\n`);
    expect(flawsOf(all)).toEqual([]);
    expect(await landing.move(move)).toEqual({ moved: true });
  });

  proves(
    "LH-5",
    "a folder that becomes a link, a git dir that becomes one: nothing is written through it",
    async () => {
      using all = await landingScene();
      const { repo, at, directory } = all;
      const capture = await all.capture(all.id);
      const outside = join(directory, "outside");
      mkdirSync(outside);
      writeFileSync(join(outside, "passwd"), "not yours\n");
      rmSync(at("etc"), { recursive: true });
      symlinkSync(outside, at("etc"));
      await using landing = await all.open([capture]);
      expect((await all.landIn(landing, capture)).moved).toMatchObject({ moved: false, why: "checkout" });
      expect(filesOf(outside)).toEqual({ passwd: `file ${Buffer.from("not yours\n").toString("base64")}` });
      renameSync(at(".git"), join(directory, "git"));
      symlinkSync(join(directory, "git"), at(".git"));
      await expect(all.open([capture])).rejects.toMatchObject({ code: "repository_invalid" });
      expect(existsSync(join(repo, "new"))).toBe(false);
    },
  );

  test.skipIf(!needs("mount"))("a full disk and a read-only repository: refused, and as they were", async () => {
    using all = await landingScene();
    const { repo } = all;
    const capture = await all.capture(all.id);
    await using landing = await all.open([capture]);
    const before = pictureOf(all);
    const copy = join(all.directory, "copy");
    renameSync(repo, copy);
    mkdirSync(repo);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=900k", "tmpfs", repo]);
    } catch {
      renameSync(copy, repo);
      return;
    }
    try {
      execFileSync("cp", ["-a", `${copy}/.`, repo]);
      execFileSync("sh", ["-c", `head -c 10m /dev/zero > ${repo}/ignored-filler || true`], { stdio: "ignore" });
      put(repo, ".git/info/exclude", "ignored-filler\n");
    } catch {
      // As full as it gets.
    }
    try {
      await expect(all.landIn(landing, capture)).rejects.toMatchObject({ code: "disk_full" });
      rmSync(join(repo, "ignored-filler"));
      expect(filesOf(repo)).toEqual((before as { files: object }).files);
      expect(flawsOf(all)).toEqual([]);
      execFileSync("mount", ["-o", "remount,ro", repo]);
      expect((await all.landIn(landing, capture).catch((thrown: unknown) => ({ moved: thrown }))).moved).toMatchObject({
        moved: false,
        why: "checkout",
      });
    } finally {
      execFileSync("umount", [repo]);
    }
  });
});

proves(
  "LH-6",
  "while the person commits and git cleans up in a loop, every commit of theirs stays, and the landing is whole",
  async () => {
    using all = await landingScene();
    const { git, repo, at } = all;
    const script = `i=0; while [ ! -e ../stop ]; do i=$((i+1)); echo $i > mine.txt; git add mine.txt 2>/dev/null && git commit -qm "mine $i" 2>/dev/null && echo $(git rev-parse HEAD) >> ../committed; git repack -q -a -d 2>/dev/null; sleep 1; done`;
    const loop = spawn("sh", ["-c", script], {
      cwd: repo,
      env: { PATH: process.env["PATH"], HOME: all.person },
      stdio: "ignore",
    });
    const ended = once(loop, "close");
    const landed: string[] = [];
    for (let round = 1; round <= 2; round += 1) {
      put(all.tree, `round-${round}.txt`, `${round}`);
      for (let tries = 0; tries < 20; tries += 1) {
        // What an earlier try left in the repository may go while it is read: then git says so, and nothing was done.
        const tried = await all.land(all.id, { how: "squash" }).catch((thrown: unknown) => {
          if (thrown instanceof HostError && thrown.code === "git_failed") return null;
          throw thrown;
        });
        if (tried === null) continue;
        if (tried.moved?.moved === true && "commit" in tried.made) landed.push(tried.made.commit);
        if (tried.moved === null || tried.moved.moved) break;
      }
    }
    writeFileSync(join(all.directory, "stop"), "");
    await ended;
    const history = git(repo, "rev-list", "main").split("\n");
    const committed = readFileSync(join(all.directory, "committed"), "utf8").split("\n").filter(Boolean);
    expect(committed.length).toBeGreaterThan(0);
    for (const commit of [...committed, ...landed]) expect(history).toContain(commit);
    expect(landed.length).toBeGreaterThan(0);
    git(repo, "reset", "-q");
    git(repo, "checkout", "-q", "--", "mine.txt");
    expect(git(repo, "status", "--porcelain")).toBe("");
    expect(flawsOf(all)).toEqual([]);
    expect(existsSync(at(".git/index.lock"))).toBe(false);
  },
  120_000,
);

test.skipIf(process.getuid?.() !== 0)(
  "a daemon that runs as root: everything belongs to the person, and their hook runs as them",
  async () => {
    using all = await landingScene({}, ({ git, repo }) => git(repo, "config", "core.sharedRepository", "0640"));
    const { repo, at, directory, git } = all;
    chmodSync(directory, 0o755);
    writeFileSync(at(".git/hooks/reference-transaction"), `#!/bin/sh\nid -u > ${repo}/.git/hook-ran-as\n`);
    chmodSync(at(".git/hooks/reference-transaction"), 0o755);
    execFileSync("chown", ["-R", "12345:12345", repo]);
    execFileSync("sh", ["-c", `find ${repo}/.git/objects -type d -exec chmod 0750 {} +`]);
    git(repo, "config", "--global", "--add", "safe.directory", repo);
    expect((await all.land(all.id)).moved).toEqual({ moved: true });
    expect(readFileSync(at(".git/hook-ran-as"), "utf8")).toBe("12345\n");
    const foreign = execFileSync("find", [repo, "-not", "-uid", "12345"], { encoding: "utf8" });
    expect(foreign).toBe("");
    for (const name of execFileSync("ls", [at(".git/objects/pack")], { encoding: "utf8" })
      .split("\n")
      .filter(Boolean))
      expect(statSync(at(`.git/objects/pack/${name}`)).mode & 0o777).toBe(0o440);
  },
);
