import child from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import files from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

/**
 * Commits one file after another, and is killed at the n-th call that reaches the file system or starts a process: before
 * it, or right after it. Writes how many there were.
 */
const order = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
const { at, said, options, place, writes } = order as {
  readonly at: number;
  readonly said: string;
  readonly options: { environment: Record<string, string>; folder: string; scratch: string };
  readonly place: { repoKey: string; root: string | null; commonDir: string; branch: string };
  readonly writes: readonly { readonly path: string; readonly text: string }[];
};
let calls = Number.NEGATIVE_INFINITY;

const die = (): boolean => process.kill(process.pid, "SIGKILL");
type Call = (...args: unknown[]) => unknown;
const counted =
  (call: Call): Call =>
  (...args) => {
    calls += 1;
    const mine = calls;
    if (mine === at && at % 2 === 0) die();
    const answer = call(...args);
    if (mine === at) {
      if (answer instanceof Promise) return answer.finally(die);
      die();
    }
    return answer;
  };
const promised = files as unknown as Record<string, Call>;
for (const name of Object.keys(files)) {
  const call = promised[name];
  if (typeof call === "function") promised[name] = counted(call);
}
const started = child as unknown as Record<string, Call>;
started["spawn"] = counted(started["spawn"] as Call);
syncBuiltinESMExports();

const { createFileCommits } = await import("../../src/governance/files/commit-files.ts");
const commits = createFileCommits(options);
calls = 0;
for (const { path, text } of writes) {
  const { commit } = await commits.commit({
    governed: place,
    changes: new Map([[path, text]]),
    message: `Write ${path}`,
    actor: `process:${process.pid}`,
  });
  appendFileSync(said, `${commit}\n`);
}
appendFileSync(said, `${calls} calls\n`);
