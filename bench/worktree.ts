import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createWorktrees } from "../src/host/index.ts";
import { type Benchmark, type Figure, interleave, median, timedMs } from "./harness.ts";

const FILES = 50_000;
const QUICK_FILES = 5_000;
const ROUNDS = 5;
const FILES_PER_FOLDER = 100;

/** A worktree of a large repository: created, searched for work, removed. Against git's own times. */
export const worktreeBenchmark: Benchmark = {
  name: "worktree",
  run: async ({ quick, scratch }) => {
    const files = quick ? QUICK_FILES : FILES;
    const repo = join(scratch, "repository");
    plant(repo, files);
    const yard = createWorktrees({
      folder: join(scratch, "worktrees"),
      scratch: join(scratch, "views"),
      stores: join(scratch, "objects"),
      environment: { PATH: process.env["PATH"], HOME: scratch },
      carry: () => ({ patterns: [], bytesMax: 0 }),
      bounds: () => ({ filesMax: 1_000_000, bytesMax: 1e12 }),
    });
    let made = 0;
    const ids: string[] = [];
    const make = async (): Promise<void> => {
      made += 1;
      ids.push(`tree-${made}`);
      await yard.create(await yard.plan({ id: `tree-${made}`, cwd: repo, name: `tree-${made}` }), "now");
    };
    const remove = async (): Promise<void> => {
      const removal = await yard.remove(ids.pop() ?? "");
      if (!removal.removed) throw new Error("a worktree without work was kept");
      await removal.finish();
    };
    const theirs: string[] = [];
    const byGit = async (): Promise<void> => {
      theirs.push(join(scratch, `git-${theirs.length}`));
      git(repo, "worktree", "add", "--quiet", "--detach", theirs.at(-1) ?? "");
    };
    await make();
    const rounds = quick ? 2 : ROUNDS;
    const making = await interleave(rounds, { ours: () => timedMs(make), git: () => timedMs(byGit) });
    await byGit();
    const removing = await interleave(rounds, {
      ours: () => timedMs(remove),
      rm: () => timedMs(async () => rmSync(theirs.pop() ?? "", { recursive: true, force: true })),
    });
    // Last, when the worktree is old enough for its index to count as settled, as that of a session is.
    const looking = await interleave(rounds, {
      ours: () => timedMs(async () => void (await yard.work("tree-1"))),
      git: () => timedMs(async () => git(theirs.at(-1) ?? "", "status", "--porcelain")),
    });
    const figure = (
      name: string,
      what: string,
      taken: readonly number[],
      baseline: Figure["baseline"],
      aim: Figure["aim"] = null,
    ): Figure => ({
      ...{ name, what: `${what}, ${files} files`, unit: "ms", value: median(taken), baseline, aim },
      details: { rounds },
    });
    return [
      figure("worktree.create", "a worktree made", making.ours, {
        what: "`git worktree add`",
        value: median(making.git),
      }),
      figure(
        "worktree.work",
        "a worktree looked through for work",
        looking.ours,
        { what: "`git status`", value: median(looking.git) },
        { ratioAtMost: 3 },
      ),
      figure("worktree.remove", "a worktree looked through twice and removed", removing.ours, {
        what: "the same files deleted",
        value: median(removing.rm),
      }),
    ];
  },
};

function plant(repo: string, files: number): void {
  for (let n = 0; n < files; n += 1) {
    const folder = join(repo, `folder-${Math.floor(n / FILES_PER_FOLDER)}`);
    if (n % FILES_PER_FOLDER === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${n}.ts`), `export const value${n} = ${n};\n`.repeat(5));
  }
  git(repo, "init", "--quiet");
  git(repo, "add", "--all");
  git(repo, "-c", "user.name=a", "-c", "user.email=a@b", "-c", "gc.auto=0", "commit", "--quiet", "-m", "first");
  git(repo, "repack", "-adq");
}

function git(cwd: string, ...args: readonly string[]): void {
  execFileSync("git", args, { cwd, stdio: "ignore" });
}
