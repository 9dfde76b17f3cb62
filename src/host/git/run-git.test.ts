import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { type Bench, setUpBench } from "../../../test/support/worktree-bench.ts";
import { createWorktrees } from "../worktrees/worktrees.ts";
import { findRepository } from "./find-repository.ts";
import { createGitRunner } from "./run-git.ts";

/** A program that leaves a trace when run, and otherwise behaves like a filter. */
function trap(bench: Bench): { readonly program: string; readonly isSprung: () => boolean } {
  const program = join(bench.directory, "trap");
  const trace = join(bench.directory, "sprung");
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> ${trace}\ntimeout 2 cat\n`);
  chmodSync(program, 0o755);
  return { program, isSprung: () => existsSync(trace) };
}

const HOOKS = [
  "post-checkout",
  "post-index-change",
  "pre-commit",
  "reference-transaction",
  "post-merge",
  "post-rewrite",
  "fsmonitor-watchman",
  "update",
];

/** Ways to make git run a program from within a repository, each with the git command that triggers it. */
const PLANTED: Readonly<
  Record<string, { plant: (bench: Bench, repo: string, program: string) => void; control?: readonly string[] }>
> = {
  hooks: {
    plant: (_bench, repo, program) => {
      for (const name of HOOKS) symlinkSync(program, join(repo, ".git/hooks", name));
    },
    control: ["checkout", "-q", "--detach"],
  },
  "core.hooksPath": {
    plant: (bench, repo, program) => {
      mkdirSync(join(bench.directory, "hooks"));
      for (const name of HOOKS) symlinkSync(program, join(bench.directory, "hooks", name));
      bench.git(repo, "config", "core.hooksPath", join(bench.directory, "hooks"));
    },
    control: ["checkout", "-q", "--detach"],
  },
  "core.fsmonitor": {
    plant: (bench, repo, program) => void bench.git(repo, "config", "core.fsmonitor", program),
    control: ["status"],
  },
  "a clean and smudge filter": {
    plant: (bench, repo, program) => {
      for (const way of ["clean", "smudge"]) bench.git(repo, "config", `filter.evil.${way}`, program);
      bench.git(repo, "config", "filter.evil.required", "true");
      bench.write(join(repo, ".git/info/attributes"), "* filter=evil\n");
      bench.write(join(repo, ".gitattributes"), "* filter=evil\n");
      bench.write(join(repo, "README.md"), "touched\n");
    },
    control: ["diff"],
  },
  "a process filter": {
    plant: (bench, repo, program) => {
      bench.git(repo, "config", "filter.lfs.process", program);
      bench.write(join(repo, ".gitattributes"), "* filter=lfs\n");
      bench.write(join(repo, "README.md"), "touched\n");
    },
    control: ["diff"],
  },
  "diff.external and textconv": {
    plant: (bench, repo, program) => {
      bench.git(repo, "config", "diff.external", program);
      bench.git(repo, "config", "diff.evil.textconv", program);
      bench.git(repo, "config", "diff.evil.command", program);
      bench.write(join(repo, ".gitattributes"), "* diff=evil\n");
      bench.write(join(repo, "README.md"), "touched\n");
    },
    control: ["diff"],
  },
  "gpg.program": {
    plant: (bench, repo, program) => {
      bench.git(repo, "config", "gpg.program", program);
      bench.git(repo, "config", "commit.gpgSign", "true");
      bench.git(repo, "config", "log.showSignature", "true");
    },
    control: ["commit", "-q", "--allow-empty", "-m", "signed"],
  },
  "core.pager and aliases": {
    plant: (bench, repo, program) => {
      for (const name of ["core.pager", "pager.status", "core.editor", "core.askPass", "sequence.editor"])
        bench.git(repo, "config", name, program);
      for (const name of ["status", "for-each-ref", "rev-list", "evil"])
        bench.git(repo, "config", `alias.${name}`, `!${program}`);
    },
    control: ["evil"],
  },
  "include.path": {
    plant: (bench, repo, program) => {
      bench.write(
        join(bench.directory, "included"),
        `[core]\n\tfsmonitor = ${program}\n[alias]\n\tevil = !${program}\n`,
      );
      bench.git(repo, "config", "include.path", join(bench.directory, "included"));
      bench.git(repo, "config", "includeIf.gitdir:/.path", join(bench.directory, "included"));
    },
    control: ["evil"],
  },
  "a promisor remote and core.sshCommand": {
    plant: (bench, repo, program) => {
      bench.write(join(repo, "promised.txt"), "promised\n");
      bench.git(repo, "add", "promised.txt");
      bench.git(repo, "commit", "-q", "-m", "promised");
      const blob = bench.git(repo, "rev-parse", "HEAD:promised.txt");
      rmSync(join(repo, ".git/objects", blob.slice(0, 2), blob.slice(2)));
      bench.git(repo, "config", "core.repositoryFormatVersion", "1");
      bench.git(repo, "config", "extensions.partialClone", "origin");
      bench.git(repo, "config", "remote.origin.promisor", "true");
      bench.git(repo, "config", "remote.origin.url", "ssh://example.invalid/x");
      bench.git(repo, "config", "core.sshCommand", program);
      bench.git(repo, "config", "protocol.ext.allow", "always");
    },
    control: ["cat-file", "-p", "HEAD:promised.txt"],
  },
  "a submodule with an address that is a program": {
    plant: (bench, repo, program) => {
      bench.write(join(repo, ".gitmodules"), `[submodule "x"]\n\tpath = x\n\turl = ext::${program} %S\n`);
      bench.git(repo, "config", "submodule.recurse", "true");
      bench.git(repo, "config", "submodule.x.url", `ext::${program} %S`);
      bench.git(repo, "config", "remote.origin.url", `ext::${program} %S`);
      bench.git(repo, "config", "protocol.ext.allow", "always");
      bench.git(repo, "update-index", "--add", "--cacheinfo", `160000,${bench.git(repo, "rev-parse", "HEAD")},x`);
      bench.git(repo, "add", ".gitmodules");
      bench.git(repo, "commit", "-q", "-m", "submodule");
    },
    control: ["fetch"],
  },
  "a submodule with a repository of its own": {
    plant: (bench, repo, program) => {
      bench.git(repo, "init", "-q", "x");
      bench.git(join(repo, "x"), "commit", "-q", "--allow-empty", "-m", "x");
      bench.git(repo, "add", "x");
      bench.git(repo, "commit", "-q", "-m", "gitlink");
      bench.git(join(repo, "x"), "config", "core.fsmonitor", program);
    },
    control: ["status"],
  },
};

for (const [what, { plant, control }] of Object.entries(PLANTED))
  proves("WT-10", `git does not run: ${what}`, async () => {
    using bench = setUpBench();
    // Once as the user's repository, once as that of an agent in its worktree.
    const { program, isSprung } = trap(bench);
    const tree = await bench.worktree();
    plant(bench, tree.path, program);
    plant2(bench, () => plant(bench, bench.repo, program));
    rmSync(join(bench.directory, "sprung"), { force: true });

    await bench.yard.work(tree.id);
    bench.write(join(tree.path, "README.md"), "changed\n");
    await bench.yard.work(tree.id);
    const removal = await bench.yard.remove(tree.id);
    if (removal.removed) await removal.undo();
    await bench.worktree({ name: "second" }).catch(() => undefined);
    await bench.worktree({ cwd: tree.path, name: "third" }).catch(() => undefined);
    expect(isSprung()).toBe(false);

    // The control: plain git runs the program.
    if (control !== undefined) {
      try {
        bench.git(tree.path, ...control);
      } catch {
        expect(isSprung()).toBe(true);
      }
      expect(isSprung()).toBe(true);
    }
  });

/** The second time the folder for hooks already exists. */
function plant2(bench: Bench, plant: () => void): void {
  rmSync(join(bench.directory, "hooks"), { recursive: true, force: true });
  plant();
}

proves("WT-10", "no variable of the daemon's environment reaches git", async () => {
  using bench = setUpBench();
  const { program, isSprung } = trap(bench);
  bench.write(join(bench.directory, "bad.config"), `[core]\n\tfsmonitor = ${program}\n`);
  const environment = {
    PATH: `.:${process.env["PATH"]}`,
    HOME: join(bench.directory, "person"),
    GIT_DIR: "/nonexistent",
    GIT_WORK_TREE: "/nonexistent",
    GIT_INDEX_FILE: "/nonexistent",
    GIT_OBJECT_DIRECTORY: "/nonexistent",
    GIT_CONFIG_GLOBAL: join(bench.directory, "bad.config"),
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "core.fsmonitor",
    GIT_CONFIG_VALUE_0: program,
    GIT_CONFIG_PARAMETERS: `'core.fsmonitor'='${program}'`,
    GIT_EXTERNAL_DIFF: program,
    GIT_SSH_COMMAND: program,
    GIT_ASKPASS: program,
    GIT_TRACE: join(bench.directory, "trace"),
    GIT_EXEC_PATH: bench.directory,
    LD_PRELOAD: "/nonexistent.so",
  };
  const options = {
    folder: join(bench.directory, "w"),
    scratch: join(bench.directory, "s"),
    stores: join(bench.directory, "o"),
    environment,
    bwrapPath: null,
  };
  const bounds = () => ({ filesMax: 1000, bytesMax: 1e6 });
  const yard = createWorktrees({ ...options, carry: () => ({ patterns: [], bytesMax: 0 }), bounds });
  const { id } = await yard.create(await yard.plan({ id: "one", cwd: bench.repo, name: "one" }), "now");
  expect(await yard.work(id)).toMatchObject({ unclear: null });
  expect([isSprung(), existsSync(join(bench.directory, "trace"))]).toEqual([false, false]);
});

proves("WT-10", "a `.git` that points to a foreign repository is refused", async () => {
  using bench = setUpBench();
  const git = createGitRunner(process.env);
  const at = (name: string) => join(bench.directory, name);
  for (const name of ["file", "link", "broken"]) mkdirSync(at(name));
  writeFileSync(join(at("file"), ".git"), `gitdir: ${join(bench.repo, ".git")}\n`);
  symlinkSync(join(bench.repo, ".git"), join(at("link"), ".git"));
  writeFileSync(join(at("broken"), ".git"), "gitdir: /nonexistent\n");
  for (const name of ["file", "link", "broken"])
    await expect(findRepository(git, at(name))).rejects.toMatchObject({ code: "repository_invalid" });
  bench.git(bench.repo, "worktree", "add", "-q", at("linked"));
  expect(await findRepository(git, at("linked"))).toMatchObject({
    root: at("linked"),
    commonDir: join(bench.repo, ".git"),
  });
  bench.git(bench.repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", bench.repo, "sub");
  expect(await findRepository(git, join(bench.repo, "sub"))).toMatchObject({ root: join(bench.repo, "sub") });
});

proves("WT-10", "pipes in a repository do not block git", async () => {
  using bench = setUpBench();
  for (const name of ["config", "info/exclude", "packed-refs"]) {
    const path = join(bench.repo, ".git", name);
    const before = existsSync(path) ? readFileSync(path) : null;
    rmSync(path, { force: true });
    if (name === "packed-refs") continue;
    execFileSync("mkfifo", [path]);
    await bench.worktree({ name: name.replace("/", "-") });
    rmSync(path);
    if (before !== null) writeFileSync(path, before);
  }
});

test("a git that takes too long, prints too much or is missing is reported as that", async () => {
  using bench = setUpBench();
  const git = createGitRunner(process.env);
  const gitDir = join(bench.repo, ".git");
  await expect(
    git.must(["cat-file", "--batch-all-objects", "--batch"], { gitDir, outputBytesMax: 10 }),
  ).rejects.toMatchObject({ code: "git_failed" });
  await expect(git.must(["hash-object", "--stdin"], { gitDir, timeoutMs: 0 })).rejects.toMatchObject({
    code: "git_failed",
  });
  await expect(git.must(["rev-parse", "nothing"], { gitDir })).rejects.toMatchObject({ code: "git_failed" });
  await expect(createGitRunner({ PATH: "/nonexistent" }).run(["version"])).rejects.toMatchObject({
    code: "git_missing",
  });
});
