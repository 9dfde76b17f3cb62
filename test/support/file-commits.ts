import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFileCommits, type FileCommits } from "../../src/governance/files/commit-files.ts";
import type { CommitPlace } from "../../src/governance/files/file-commit.ts";
import { type Bench, type BenchOptions, setUpBench } from "./worktree-bench.ts";

const CHILD = join(import.meta.dirname, "file-commit-child.ts");

/** A person's repository, and commits of Nomos on its `main`. */
export interface FileCommitBench extends Bench {
  readonly place: CommitPlace;
  readonly placeOf: (repo: string, root: string | null, branch?: string) => CommitPlace;
  readonly commits: FileCommits;
  /** Another process with the same home; `at`: the call at which it is killed. */
  readonly run: (
    name: string,
    writes: readonly { readonly path: string; readonly text: string }[],
    at?: number,
  ) => Promise<{ readonly said: readonly string[]; readonly isKilled: boolean; readonly error: string }>;
  readonly write1: (path: string, text: string | null, actor?: string) => ReturnType<FileCommits["commit"]>;
}

export function setUpFileCommits(given: BenchOptions = {}): FileCommitBench {
  const bench = setUpBench(given);
  const { directory, repo, git } = bench;
  const home = join(directory, "home");
  const options = {
    environment: { PATH: process.env["PATH"] ?? "", HOME: join(directory, "person"), LC_ALL: "C" },
    folder: join(home, "governance", "commits"),
    scratch: join(home, "tmp", "governance"),
  };
  const commits = createFileCommits(options);
  const placeOf: FileCommitBench["placeOf"] = (at, root, branch = "main") => {
    const commonDir = git(at, "rev-parse", "--path-format=absolute", "--git-common-dir");
    const repoKey = createHash("sha256").update(commonDir).digest("hex").slice(0, 12);
    return { repoKey, root, commonDir, branch };
  };
  const place = placeOf(repo, git(repo, "rev-parse", "--is-bare-repository") === "true" ? null : repo);
  return {
    ...bench,
    commits,
    place,
    placeOf,
    write1: (path, text, actor = "operator") =>
      commits.commit({ governed: place, changes: new Map([[path, text]]), message: `Write ${path}`, actor }),
    run: async (name, writes, at = -1) => {
      const said = join(directory, `${name}.said`);
      const order = join(directory, `${name}.json`);
      writeFileSync(said, "");
      writeFileSync(order, JSON.stringify({ at, said, options, place, writes }));
      const child = spawn(process.execPath, [CHILD, order], { stdio: ["ignore", "ignore", "pipe"] });
      let error = "";
      child.stderr.on("data", (chunk: Buffer) => {
        error += chunk.toString();
      });
      const [, signal] = await once(child, "close");
      return {
        said: readFileSync(said, "utf8").split("\n").filter(Boolean),
        isKilled: signal === "SIGKILL",
        error,
      };
    },
  };
}
