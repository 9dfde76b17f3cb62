import { join } from "node:path";
import { type Bench, type BenchOptions, setUpBench } from "./worktree-bench.ts";

/** A person's repository with a law, as far as tickets need one. */
export function setUpGoverned(config = "version: 1\n", options: BenchOptions = {}): Bench {
  const bench = setUpBench(options);
  const { repo, git, write } = bench;
  write(join(repo, ".nomos/config.yaml"), config);
  git(repo, "add", ".nomos");
  git(repo, "commit", "-qm", "law");
  return bench;
}
