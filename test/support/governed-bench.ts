import { join } from "node:path";
import { buildLaw, composeLaw } from "../../src/governance/index.ts";
import { createGitRunner } from "../../src/host/index.ts";
import { type Bench, setUpBench } from "./worktree-bench.ts";

/** A person's repository with a compiled law and tickets on its default branch. */
export interface GovernedBench extends Bench {
  /** Writes tickets, as their files are, and commits them. */
  readonly tickets: (...all: readonly Readonly<Record<string, unknown>>[]) => void;
  /** Writes, adds and commits in the person's checkout; returns the commit. */
  readonly commit: (path: string, text: string) => string;
  /** Compiles and commits the constitution with these rules. */
  readonly enact: (rules?: readonly Readonly<Record<string, unknown>>[]) => Promise<string>;
}

const RULES: readonly Readonly<Record<string, unknown>>[] = [
  {
    ...{ id: "RULE-KEEP-1", type: "filesystem_deny", patterns: ["docs/kept/**"], actions: ["delete"] },
    message: "What is kept stays.",
  },
  {
    ...{ id: "RULE-DENY-1", type: "filesystem_deny", patterns: ["vendor/**"], actions: ["write", "delete"] },
    message: "Vendored code is not ours.",
  },
];

export async function setUpGoverned(config = "version: 1\n"): Promise<GovernedBench> {
  const bench = setUpBench({ init: ["--initial-branch=main"] });
  const { repo, git, write } = bench;
  const runner = createGitRunner({ PATH: process.env["PATH"] });
  const commit: GovernedBench["commit"] = (path, text) => {
    write(join(repo, path), text);
    git(repo, "add", "--all", "--", path);
    git(repo, "commit", "--quiet", "-m", `change ${path}`);
    return git(repo, "rev-parse", "HEAD");
  };
  const enact: GovernedBench["enact"] = async (rules = RULES) => {
    const blocks = rules.map((rule) => `\`\`\`yaml nomos-policy\n${JSON.stringify(rule)}\n\`\`\`\n`);
    write(join(repo, ".nomos/CONSTITUTION.md"), `# Law\n\n${blocks.join("\n")}`);
    write(join(repo, ".nomos/config.yaml"), config);
    await buildLaw(runner, repo);
    await composeLaw(runner, repo, { signer: null, nowMs: 1_800_000_000_000 });
    git(repo, "add", "--all", ".nomos");
    git(repo, "commit", "--quiet", "-m", "enact the law");
    return git(repo, "rev-parse", "HEAD");
  };
  write(join(repo, "docs/kept/a.md"), "kept\n");
  write(join(repo, "vendor/lib.js"), "lib\n");
  git(repo, "add", "--all");
  git(repo, "commit", "--quiet", "-m", "second");
  await enact();
  return {
    ...bench,
    commit,
    enact,
    tickets: (...all) => {
      for (const one of all) write(join(repo, `.nomos/tickets/${String(one["id"])}.yaml`), JSON.stringify(one));
      git(repo, "add", "--all", ".nomos");
      git(repo, "commit", "--quiet", "-m", "write tickets");
    },
  };
}

/** A task whose scope is `src`. */
export function ticket(id: string, more: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return { id, kind: "task", title: `Do ${id}`, scope: { allow: ["src/**"], deny: [] }, ...more };
}
