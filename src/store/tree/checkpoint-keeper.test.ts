import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect } from "vitest";
import { memoryLog } from "../../../test/support/hashed-log.ts";
import { proves } from "../../../test/support/proves.ts";
import { makeTestHome, type TestHome } from "../../../test/support/store-home.ts";
import { StoreError } from "../port.ts";
import { type CheckpointKeeper, keepCheckpoints, readKept, type SignedCheckpoint } from "./checkpoint-keeper.ts";
import { type LogKey, openLogKey } from "./log-key.ts";
import { type LogTree, newLogTree } from "./log-tree.ts";
import { createTileFiles } from "./tile-files.ts";

proves(
  "AUD-5",
  "whenever the tree reaches the end of the log a checkpoint is signed and stored beside the log",
  async () => {
    await using at = await open();
    const { follower } = at.keeper;
    expect(follower).toMatchObject({ name: "tree", pauseMs: 2000 });
    at.log.grow(5);
    expect(at.keeper.latest()).toBeNull();
    expect(await follower.advance()).toEqual({ position: 5, isAtEnd: true });
    expect(at.keeper.latest()?.size).toBe(5);
    expect(await readFile(at.path, "utf8")).toBe(at.keeper.latest()?.note);
    await follower.advance();
    expect(at.signed.map(({ size }) => size)).toEqual([5]);
    at.log.grow(2000);
    expect(await follower.advance()).toMatchObject({ isAtEnd: false });
    expect(at.signed.map(({ size }) => size)).toEqual([5]);
    expect(await follower.advance()).toEqual({ position: 2005, isAtEnd: true });
    expect(at.signed.map(({ size }) => size)).toEqual([5, 2005]);
  },
);

proves("AUD-5", "a caller can ask for a checkpoint sooner; two callers at once get the same one", async () => {
  await using at = await open();
  at.log.grow(7);
  const [one, two] = await Promise.all([at.keeper.reach(3), at.keeper.reach(7)]);
  expect([one.size, two.size]).toEqual([7, 7]);
  expect((await at.keeper.reach(2)).note).toBe(one.note);
  await expect(at.keeper.reach(8)).rejects.toMatchObject({ code: "event_not_found" });
  expect(at.signed).toHaveLength(1);
});

proves("AUD-5", "a checkpoint never goes back, whatever the tree says", async () => {
  await using at = await open();
  at.log.grow(9);
  const { note } = await at.keeper.reach(9);
  at.log.cut(4);
  await at.tree.renew();
  await at.keeper.follower.advance();
  expect(at.keeper.latest()?.note).toBe(note);
  expect(await readFile(at.path, "utf8")).toBe(note);
});

proves("AUD-5", "a tree that cannot be written fails the pass; the next pass signs", async () => {
  let failing = true;
  await using at = await open((tree) => ({
    ...tree,
    takePage: async () => {
      if (failing) throw new StoreError("disk_full");
      return tree.takePage();
    },
  }));
  at.log.grow(2);
  await expect(at.keeper.follower.advance()).rejects.toMatchObject({ code: "disk_full" });
  expect(at.keeper.latest()).toBeNull();
  failing = false;
  await at.keeper.follower.advance();
  expect(at.keeper.latest()?.size).toBe(2);
});

proves("AUD-5", "a rebuilt tree matches what was signed, and only new events are signed", async () => {
  await using at = await open();
  at.log.grow(6);
  const { note, root } = await at.keeper.reach(6);
  await at.keeper.follower.restart();
  expect(await at.keeper.follower.position()).toBe(0);
  await at.keeper.follower.advance();
  const rebuilt = at.tree.head();
  expect(rebuilt.size).toBe(6);
  expect(Buffer.compare(rebuilt.root, root)).toBe(0);
  expect(at.keeper.latest()?.note).toBe(note);
  expect(at.signed).toHaveLength(1);
});

proves("AUD-5", "the last checkpoint is signed when the daemon stops, unless that takes too long", async () => {
  await using at = await open();
  at.log.grow(4);
  await at.keeper.stop();
  expect(at.keeper.latest()?.size).toBe(4);
  expect(at.waiting()).toEqual([]);

  await using stuck = await open((tree) => ({ ...tree, advance: () => new Promise(() => undefined) }));
  stuck.log.grow(4);
  const stopped = stuck.keeper.stop();
  await stuck.pass(1000);
  await stopped;
});

proves("AUD-3", "a stored checkpoint is accepted only with a valid signature of this key", async () => {
  await using at = await open();
  at.log.grow(3);
  const { note } = await at.keeper.reach(3);
  expect(await readKept(at.path, at.key)).toMatchObject({ size: 3, note });
  await using other = await makeTestHome();
  await expect(readKept(at.path, await openLogKey(other.path))).rejects.toMatchObject({ code: "checkpoint_invalid" });
  for (const text of ["", note.replace("\n3\n", "\n2\n"), note.slice(1)]) {
    await writeFile(at.path, text);
    await expect(readKept(at.path, at.key)).rejects.toMatchObject({ code: "checkpoint_invalid" });
  }
  await rm(at.path);
  expect(await readKept(at.path, at.key)).toBeNull();
});

interface Opened extends AsyncDisposable {
  readonly log: ReturnType<typeof memoryLog>;
  readonly tree: LogTree;
  readonly key: LogKey;
  readonly keeper: CheckpointKeeper;
  readonly path: string;
  readonly signed: readonly SignedCheckpoint[];
  /** Advances the clock and runs due timers. */
  readonly pass: (ms: number) => Promise<void>;
  readonly waiting: () => readonly number[];
}

async function open(change: (tree: LogTree) => LogTree = (tree) => tree): Promise<Opened> {
  const home: TestHome = await makeTestHome();
  const log = memoryLog();
  const tree = newLogTree(log, createTileFiles(join(home.path, "tree")));
  const key = await openLogKey(join(home.path, "keys"));
  const path = join(home.path, "checkpoint");
  const signed: SignedCheckpoint[] = [];
  let nowMs = 0;
  let timers: { readonly dueMs: number; readonly run: () => void }[] = [];
  const keeper = keepCheckpoints({
    tree: change(tree),
    key,
    path,
    kept: null,
    after: (ms, run) => {
      const timer = { dueMs: nowMs + ms, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    nowMs: () => nowMs,
    onSigned: (checkpoint) => signed.push(checkpoint),
  });
  return {
    log,
    tree,
    key,
    keeper,
    path,
    signed,
    pass: async (ms) => {
      nowMs += ms;
      const due = timers.filter(({ dueMs }) => dueMs <= nowMs);
      timers = timers.filter(({ dueMs }) => dueMs > nowMs);
      for (const { run } of due) run();
      for (let turns = 0; turns < 20; turns += 1) await setImmediate();
    },
    waiting: () => timers.map(({ dueMs }) => dueMs - nowMs),
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}
