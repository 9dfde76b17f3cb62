import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { expectWork, type Told } from "../../../test/support/expect-work.ts";
import { proves } from "../../../test/support/proves.ts";
import { type Bench, setUpBench } from "../../../test/support/worktree-bench.ts";

/** A repository with an uninitialized submodule and with carried files. */
function setUpRich(): Bench {
  const bench = setUpBench();
  bench.git(bench.directory, "clone", "--quiet", bench.repo, "other");
  bench.git(bench.repo, "submodule", "--quiet", "add", join(bench.directory, "other"), "vendor/sub");
  bench.write(join(bench.repo, ".gitignore"), ".env*\n!.env.example\nnode_modules/\nignored/\n*.o\n!keep.o\n");
  bench.write(join(bench.repo, ".env.example"), "KEY=\n");
  bench.write(join(bench.repo, "src/.gitignore"), "/out/\n");
  bench.git(bench.repo, "add", "--all");
  bench.git(bench.repo, "commit", "--quiet", "-m", "rich");
  bench.write(join(bench.repo, ".git/info/exclude"), "*.swp\n");
  bench.write(join(bench.repo, ".env"), "KEY=1\n");
  bench.write(join(bench.repo, ".envs/one"), "1\n");
  bench.write(join(bench.repo, ".envs/deep/two"), "2\n");
  bench.write(join(bench.repo, "node_modules/left/index.js"), "left\n");
  symlinkSync("one", join(bench.repo, ".envs/link"));
  return bench;
}

const HIDDEN: Readonly<Record<string, readonly [told: Told, work: (bench: Bench, path: string) => void]>> = {
  "a file in the folder of a submodule": [
    { untracked: ["vendor/sub/work.txt"] },
    (bench, path) => bench.write(join(path, "vendor/sub/work.txt"), "precious"),
  ],
  "a file instead of the folder of a submodule": [
    { untracked: ["vendor/sub"] },
    (_bench, path) => {
      rmSync(join(path, "vendor/sub"), { recursive: true });
      writeFileSync(join(path, "vendor/sub"), "precious");
    },
  ],
  "a submodule that is to be another commit": [
    { changed: ["vendor/sub"] },
    (bench, path) => void bench.git(path, "update-index", "--cacheinfo", `160000,${"a".repeat(40)},vendor/sub`),
  ],
  "a folder with an ignore file that hides all": [
    { untracked: ["work/.gitignore", "work/result.md"] },
    (bench, path) => {
      bench.write(join(path, "work/result.md"), "precious");
      bench.write(join(path, "work/.gitignore"), "*\n");
    },
  ],
  "a file ignored by a line more in a file of the user's": [
    { changed: [".gitignore"], untracked: ["result.md"] },
    (bench, path) => {
      bench.write(join(path, ".gitignore"), "*.md\n");
      bench.write(join(path, "result.md"), "precious");
    },
  ],
  "a file excluded in the git dir": [
    { untracked: ["deep/er/result.md"] },
    (bench, path) => {
      bench.write(join(path, ".git/info/exclude"), "*\n");
      bench.write(join(path, "deep/er/result.md"), "precious");
      bench.write(join(path, "deep/er/built.o"), "disposable");
    },
  ],
  "a file excluded by configuration": [
    { untracked: ["result.md"] },
    (bench, path) => {
      bench.write(join(path, ".git/mine"), "*\n");
      bench.git(path, "config", "core.excludesFile", join(path, ".git/mine"));
      bench.write(join(path, "result.md"), "precious");
    },
  ],
  "a file that a rule of the user un-ignores": [
    { untracked: ["deep/keep.o"] },
    (bench, path) => bench.write(join(path, "deep/keep.o"), "precious"),
  ],
  "a link in its own folder": [
    { untracked: ["deep/link"] },
    (_bench, path) => {
      mkdirSync(join(path, "deep"));
      symlinkSync("/nowhere", join(path, "deep/link"));
    },
  ],
  "names that look like patterns and options": [
    { untracked: [":(top)x", "-x", "[a]*", "a\nb"] },
    (bench, path) => {
      for (const name of [":(top)x", "-x", "[a]*", "a\nb"]) bench.write(join(path, name), "precious");
    },
  ],
  "a file name that is not valid text": [
    { untracked: ["\ufffd.o"] },
    (_bench, path) => writeFileSync(Buffer.concat([Buffer.from(`${path}/`), Buffer.from([0xff, 0x2e, 0x6f])]), "?"),
  ],
  "a changed file in a carried folder": [
    { carried: [".envs/one"] },
    (bench, path) => bench.write(join(path, ".envs/one"), "changed\n"),
  ],
  "a new file in a carried folder": [
    { carried: [".envs/deep/three"] },
    (bench, path) => bench.write(join(path, ".envs/deep/three"), "new\n"),
  ],
  "a carried file in an ignored folder": [
    { carried: ["ignored/deep/.env.local"] },
    (bench, path) => bench.write(join(path, "ignored/deep/.env.local"), "new\n"),
  ],
  "a carried file replaced by a folder": [
    { carried: [".env/secret"] },
    (bench, path) => {
      rmSync(join(path, ".env"));
      bench.write(join(path, ".env/secret"), "new\n");
    },
  ],
  "a carried file replaced by a link": [
    { carried: [".env"] },
    (_bench, path) => {
      rmSync(join(path, ".env"));
      symlinkSync("ignored/kept", join(path, ".env"));
    },
  ],
  "a link in a carried folder with a new target": [
    { carried: [".envs/link"] },
    (_bench, path) => {
      rmSync(join(path, ".envs/link"));
      symlinkSync("deep/two", join(path, ".envs/link"));
    },
  ],
  "a folder of dependencies replaced by a file": [
    { carried: ["node_modules"], untracked: ["node_modules"] },
    (_bench, path) => {
      rmSync(join(path, "node_modules"), { recursive: true });
      writeFileSync(join(path, "node_modules"), "precious");
    },
  ],
};

for (const [what, [told, work]] of Object.entries(HIDDEN))
  proves("WT-15", `work is found where git does not look: ${what}`, async () => {
    using bench = setUpRich();
    const tree = await bench.worktree();
    work(bench, tree.path);
    await expectWork(bench, tree, told);
  });

proves("WT-15", "files covered by the user's own ignore rules, and unchanged copies, are not work", async () => {
  using bench = setUpRich();
  const tree = await bench.worktree();
  const disposable = ["ignored/a/b", "x.o", "deep/er/y.o", "deep/ignored/z", "src/out/main.js", "a.swp"];
  for (const name of disposable) bench.write(join(tree.path, name), "built");
  bench.write(join(tree.path, "node_modules/right/.env"), "of a package");
  bench.write(join(tree.path, "src/node_modules/right/.env"), "of a package");
  rmSync(join(tree.path, ".envs/one"));
  rmSync(join(tree.path, ".env"));
  mkdirSync(join(tree.path, "empty/empty"), { recursive: true });
  execFileSync("mkfifo", [join(tree.path, "empty/pipe")]);
  await expectWork(bench, tree, {});
});

proves("WT-15", "only a folder with very many files is carried without checking each file", async () => {
  using bench = setUpBench({ carry: [".env*", "few", "many"] });
  bench.write(join(bench.repo, ".git/info/exclude"), "few\nmany\n");
  for (let n = 0; n < 1001; n += 1) bench.write(join(bench.repo, "many", `${n}`), "x");
  for (let n = 0; n < 1000; n += 1) bench.write(join(bench.repo, "few", `${n}`), "x");
  const tree = await bench.worktree();
  bench.write(join(tree.path, "many/7"), "changed");
  bench.write(join(tree.path, "few/7"), "changed");
  await expectWork(bench, tree, { carried: ["few/7"] });
  bench.write(join(tree.path, "few/7"), "x");
  await expectWork(bench, tree, {});
});

proves("WT-15", "everything that a ref reaches and the user's repository does not have is work", async () => {
  using bench = setUpBench();
  const one = (name: string) => bench.worktree({ name });
  const hash = (path: string, text: string) => {
    bench.write(join(bench.directory, "text"), text);
    return bench.git(path, "hash-object", "-w", join(bench.directory, "text"));
  };
  const nameless = await one("nameless");
  const id = hash(nameless.path, "x\n");
  await expectWork(bench, nameless, {});
  const named = await one("named");
  hash(named.path, "x\n");
  bench.git(named.path, "tag", "keep", id);
  await expectWork(bench, named, { commits: [`${id} (refs/tags/keep)`] });
  bench.git(bench.repo, "hash-object", "-w", join(bench.directory, "text"));
  await expectWork(bench, named, {});
  const tree = await one("tree");
  bench.git(tree.path, "update-ref", "refs/odd/place", bench.git(tree.path, "rev-parse", "HEAD:src"));
  await expectWork(bench, tree, {});
  const dangling = await one("dangling");
  bench.write(join(dangling.path, ".git/refs/heads/lost"), `${"a".repeat(40)}\n`);
  expect((await bench.yard.work(dangling.id)).unclear).toContain("missing object");
});

proves("WT-15", "a tree that was moved away keeps its git dir, until somebody removes it by name", async () => {
  using bench = setUpBench();
  const moved = await bench.worktree();
  const away = join(bench.directory, "away");
  renameSync(moved.path, away);
  expect(await bench.yard.remove(moved.id)).toMatchObject({
    removed: false,
    work: { unclear: expect.stringContaining("its folder is missing") },
  });
  expect(bench.git(away, "fsck", "--full")).toBe("");
  symlinkSync(away, moved.path);
  for (const wish of [{ evenMissing: false }, { evenMissing: true }])
    expect(await bench.yard.remove(moved.id, wish)).toMatchObject({ removed: false });
  rmSync(moved.path);
  renameSync(away, moved.path);
  bench.write(join(moved.path, "new.txt"), "new");
  expect(await bench.yard.remove(moved.id, { evenMissing: true })).toMatchObject({ removed: false });
  rmSync(join(moved.path, "new.txt"));
  await expectWork(bench, moved, {});
});
