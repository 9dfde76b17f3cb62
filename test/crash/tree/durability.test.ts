import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "vitest";
import { checkTree } from "../../../src/store/tree/check-tree.ts";
import { openLogTree } from "../../../src/store/tree/log-tree.ts";
import { createTileFiles, tilePath } from "../../../src/store/tree/tile-files.ts";
import { memoryLog } from "../../support/hashed-log.ts";
import { needs } from "../../support/needs.ts";
import { proves } from "../../support/proves.ts";
import { sampled } from "../../support/sampled.ts";
import { makeTestHome } from "../../support/store-home.ts";

/** Rounds differ in how long the tree grows before the kill; in the last it has got somewhere. */
const ROUNDS = sampled([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], [2, 6, 9, 12]);
const GROW = fileURLToPath(new URL("./grow-once.ts", import.meta.url));

proves.skipIf(!needs("strace"))(
  "AUD-4",
  "tiles and their new folders are flushed before the head that covers them",
  async () => {
    await using home = await makeTestHome();
    const folder = join(home.path, "tree");
    await run([GROW, folder, "300"]);
    const traced = join(home.path, "trace");
    const argv = ["-f", "-y", "-o", traced, "-e", "trace=openat,fsync,rename,renameat,renameat2,unlink,unlinkat"];
    await promisify(execFile)("strace", [...argv, process.execPath, GROW, folder, "66000"]);
    const calls = (await readFile(traced, "utf8")).split("\n");
    const at = (form: (line: string) => boolean): number => calls.findIndex(form);
    const flushed = (path: string): number => at((line) => line.includes("fsync(") && line.includes(`<${path}>`));
    const heads = calls.flatMap((line, n) => (/rename/.test(line) && line.includes(`${folder}/size"`) ? [n] : []));
    expect(heads.length).toBeGreaterThan(1);

    const written = [tilePath(0, 1), tilePath(0, 256), tilePath(1, 0), tilePath(0, 257, 208), tilePath(2, 0, 1)];
    for (const path of written.map((tile) => join(folder, tile))) {
      const opened = at((line) => line.includes("O_WRONLY") && line.includes(`"${path}"`));
      const covered = heads.find((head) => head > opened) ?? -1;
      expect([path, opened >= 0, covered >= 0]).toEqual([path, true, true]);
      for (const place of [path, dirname(path)])
        expect([place, flushed(place) >= 0 && flushed(place) < (heads.at(-1) ?? 0)]).toEqual([place, true]);
      expect(calls.slice(opened, covered).some((line) => line.includes("fsync(") && line.includes(`<${path}>`))).toBe(
        true,
      );
    }
    // The partial tile of the old head is removed only after the new head.
    const removed = at((line) => /unlink/.test(line) && line.includes(tilePath(0, 1, 44)));
    expect(removed).toBeGreaterThan(heads[0] ?? Number.POSITIVE_INFINITY);
    // The head's bytes are flushed before its rename, and the rename before the answer.
    const [head = 0] = heads;
    expect(calls.slice(0, head).some((line) => line.includes("fsync(") && /\/size\.[0-9a-f]+\.tmp>/.test(line))).toBe(
      true,
    );
    expect(calls.slice(head).some((line) => line.includes("fsync(") && line.includes(`<${folder}>`))).toBe(true);
  },
);

proves("AUD-4", "killed at any moment, the tree is correct and can go on", async () => {
  await using home = await makeTestHome();
  const log = memoryLog(200_000);
  const tiles = createTileFiles(home.path);
  let size = 0;
  for (const round of ROUNDS) {
    const child = spawn(process.execPath, [GROW, home.path, "200000"], { stdio: ["ignore", "pipe", "inherit"] });
    const ended = once(child, "exit");
    await once(child.stdout, "data");
    await sleep(10 * 1.5 ** round);
    child.kill("SIGKILL");
    await ended;
    const tree = await openLogTree(log, tiles);
    if (tree === null) continue;
    expect(tree.head().size).toBeGreaterThanOrEqual(size);
    size = tree.head().size;
    expect((await checkTree({ log, tiles, tree, signed: null, repair: false })).problems).toEqual([]);
  }
  expect(size).toBeGreaterThan(0);
});

async function run(argv: readonly string[]): Promise<void> {
  await promisify(execFile)(process.execPath, [...argv]);
}
