import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { type Bench, setUpBench } from "../support/worktree-bench.ts";
import { eventually, expectOk, PATIENCE, type Session, start, turn } from "./support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  const home = mkdtempSync(join(tmpdir(), "nomos-home-"));
  writeFileSync(join(home, "config.json"), JSON.stringify({ radar: { lookEveryMs: 1000 } }));
  daemon = await startDaemon({ home });
});
afterAll(() => daemon[Symbol.asyncDispose]());

interface Conflict {
  readonly sessions: readonly string[];
  readonly files: readonly { readonly path: string; readonly kind: string; readonly lines?: readonly object[] }[];
}

interface StaleBase {
  readonly sessionId: string;
  readonly branch: string;
  readonly behind: number | null;
  readonly files: readonly { readonly path: string; readonly kind: string }[];
}

interface Listed {
  readonly conflicts: readonly Conflict[];
  readonly bases: readonly StaleBase[];
}

const listed = async (): Promise<Listed> => expectOk(await daemon.call<Listed>("GET", "/api/conflicts"));
const between = async (a: Session, b: Session): Promise<Conflict | null> => {
  const wanted = [a.id, b.id].toSorted().join();
  return (await listed()).conflicts.find(({ sessions }) => sessions.toSorted().join() === wanted) ?? null;
};

function repository(): Bench {
  const bench = setUpBench();
  const lines = Array.from({ length: 40 }, (_, n) => `line ${n + 1}\n`);
  bench.write(join(bench.repo, "lines.txt"), lines.join(""));
  bench.git(bench.repo, "add", "--all");
  bench.git(bench.repo, "commit", "--quiet", "-m", "lines");
  return bench;
}

const working = async (bench: Bench): Promise<Session> =>
  start(daemon, { adapter: "demo", cwd: bench.repo, worktree: true });
const edit = (line: number, text: string) => `run sed -i '${line}s/.*/${text}/' lines.txt`;

test("two sessions change the same line: both learn it", async () => {
  using bench = repository();
  const [a, b] = [await working(bench), await working(bench)];
  await turn(daemon, a.id, edit(10, "mine"));
  await turn(daemon, b.id, edit(10, "yours"));
  const found = await eventually("the collision", () => between(a, b));
  expect(found.files).toEqual([
    { path: "lines.txt", kind: "content", lines: [{ a: { from: 10, to: 10 }, b: { from: 10, to: 10 } }] },
  ]);
  await turn(daemon, a.id, "say hello");
  const { lines } = expectOk(await daemon.call<{ lines: { line: string }[] }>("GET", `/sessions/${a.id}/output`));
  console.log(lines.map(({ line }) => line).join("\n"));
  await turn(daemon, b.id, "run git checkout lines.txt");
  await eventually("the end", async () => (await between(a, b)) === null);
  console.log(JSON.stringify(await listed()));
  console.log((await daemon.cli("conflict", "list")).stdout);
});
