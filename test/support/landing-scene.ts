import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type LandingBench, setUpLanding } from "./landing-repository.ts";
import type { BenchOptions } from "./worktree-bench.ts";

export type LandingScene = LandingBench & {
  readonly id: string;
  readonly tree: string;
  readonly at: (path: string) => string;
};

export const put = (root: string, path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};

/** A repository with files of all kinds, and an agent that changed every kind. */
export async function landingScene(
  options: BenchOptions = {},
  before: (bench: LandingBench) => void = () => undefined,
): Promise<LandingScene> {
  const bench = setUpLanding(options);
  const { repo, git } = bench;
  for (const [path, text] of Object.entries({
    "a.txt": "a\n",
    "keep.txt": "keep\n",
    "gone.txt": "gone\n",
    "old/only.txt": "old\n",
    "etc/passwd": "not yours\n",
    fold: "a file\n",
    "dir/x": "x\n",
    "run.sh": "#!/bin/sh\n",
    "odd name ü\t*.txt": "odd\n",
  }))
    put(repo, path, text);
  symlinkSync("a.txt", join(repo, "link"));
  symlinkSync("dir", join(repo, "tofile"));
  git(repo, "add", "--all");
  before(bench);
  git(repo, "commit", "--quiet", "-m", "second");
  const { id, path: tree } = await bench.worktree();
  put(tree, "a.txt", "changed\n");
  put(tree, "etc/passwd", "changed too\n");
  for (const path of ["gone.txt", "old", "fold", "dir", "link", "tofile"])
    rmSync(join(tree, path), { recursive: true });
  put(tree, "fold/inner.txt", "inner\n");
  put(tree, "dir", "now a file\n");
  symlinkSync("keep.txt", join(tree, "link"));
  put(tree, "tofile", "was a link\n");
  chmodSync(join(tree, "run.sh"), 0o755);
  put(tree, "odd name ü\t*.txt", "odder\n");
  put(tree, "new/deep/file.bin", "\0\u0001binary\r\n");
  git(tree, "add", "--all");
  git(tree, "commit", "--quiet", "-m", "all kinds");
  put(tree, "uncommitted.txt", "not committed\n");
  return { ...bench, id, tree, at: (path) => join(repo, path) };
}
