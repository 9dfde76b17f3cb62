import child from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import files from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

/**
 * Lands, and is killed at the n-th call of the move that reaches the file system or starts a process: before it, or right
 * after it. Writes how many there were.
 */
const order = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
const { at, said } = order as { readonly at: number; readonly said: string };
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

const { createLandingGit } = await import("../../src/host/landing/landing-git.ts");
const { options, place, captured, tip, work, move } = order;
const landing = await createLandingGit({
  ...options,
  carry: () => ({ patterns: [], bytesMax: 0 }),
  bytesMax: () => 1e9,
}).open(place, captured);
const made = await landing.make({ how: "squash", message: "Land it", trailers: [], tip, ...work });
if (!("commit" in made)) throw new Error(JSON.stringify(made));
appendFileSync(said, `${made.commit}\n`);
calls = 0;
const moved = await landing.move({ ...move, from: tip, to: made.commit });
appendFileSync(said, `${calls} ${JSON.stringify(moved)}\n`);
await landing[Symbol.asyncDispose]();
