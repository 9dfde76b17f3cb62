import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { type Bench, setUpBench } from "../../../test/support/worktree-bench.ts";

const REFUSED_WITHIN_MS = 20_000;

/** Each tree names the previous one ten times: `levels` trees make ten to the power of `levels` files. */
function treeBomb({ git }: Bench, cwd: string, levels: number, width = 10): string {
  const input = (text: string, ...args: readonly string[]) =>
    execFileSync("git", args, { cwd, input: text, encoding: "utf8" }).trim();
  let [id, kind] = [input("boom\n", "hash-object", "-w", "--stdin"), "100644 blob"];
  for (let level = 0; level < levels; level += 1) {
    const names = Array.from({ length: width }, (_, n) => `${kind} ${id}\tn${n}\n`);
    [id, kind] = [input(names.join(""), "mktree"), "040000 tree"];
  }
  return git(cwd, "-c", "user.name=a", "-c", "user.email=a@b", "commit-tree", "-m", "bomb", id);
}

const left = ({ yard }: Bench) => (existsSync(yard.folder) ? readdirSync(yard.folder) : []);

async function refusedInTime(work: Promise<unknown>): Promise<unknown> {
  const startMs = performance.now();
  const refusal = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(performance.now() - startMs).toBeLessThan(REFUSED_WITHIN_MS);
  return refusal;
}

proves(
  "WT-32",
  "a base of ten thousand million files is refused at once, leaves nothing, and others go on",
  async () => {
    using bench = setUpBench();
    const bomb = treeBomb(bench, bench.repo, 10);
    const [refusal, neighbour] = await Promise.all([
      refusedInTime(bench.worktree({ base: bomb })),
      bench.worktree({ name: "neighbour" }),
    ]);
    expect(refusal).toMatchObject({ code: "tree_too_large", details: { limit: "worktree.filesMax", max: 1_000_000 } });
    expect(left(bench)).toEqual([neighbour.id]);
  },
);

proves(
  "WT-32",
  "a base of more bytes, of folders too deep in each other, or of a path too long is refused by name",
  async () => {
    using bench = setUpBench({ bounds: { filesMax: 1_000_000, bytesMax: 1000 } });
    bench.write(join(bench.repo, "large"), "x".repeat(2000));
    bench.git(bench.repo, "add", "--all");
    bench.git(bench.repo, "commit", "--quiet", "-m", "large");
    expect(await refusedInTime(bench.worktree())).toMatchObject({ details: { limit: "worktree.bytesMax", max: 1000 } });
    const deep = treeBomb(bench, bench.repo, 210, 1);
    expect(await refusedInTime(bench.worktree({ base: deep }))).toMatchObject({
      code: "tree_too_large",
      details: { limit: "folders in each other" },
    });
    expect(left(bench)).toEqual([]);
  },
);

proves(
  "WT-32",
  "an agent that commits a bomb in its worktree: the worktree is kept as unclear, and a fork is refused",
  async () => {
    using bench = setUpBench();
    const { id, path } = await bench.worktree();
    bench.git(path, "update-ref", "HEAD", treeBomb(bench, path, 10));
    const startMs = performance.now();
    const removal = await bench.yard.remove(id);
    expect(performance.now() - startMs).toBeLessThan(REFUSED_WITHIN_MS);
    expect(removal).toMatchObject({ removed: false, work: { unclear: expect.stringContaining("worktree.filesMax") } });
    expect(await refusedInTime(bench.fork(id))).toMatchObject({ code: "tree_too_large" });
    expect(left(bench)).toEqual([id]);
  },
);

proves("WT-32", "an index that says it is a gigabyte long is not copied", async () => {
  using bench = setUpBench();
  const { id, path } = await bench.worktree();
  truncateSync(join(path, ".git", "index"), 1_073_741_824);
  expect(await bench.yard.work(id)).toMatchObject({ unclear: expect.stringContaining("index") });
});
