import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, vi } from "vitest";
import { memoryLog } from "../../../test/support/hashed-log.ts";
import { proves } from "../../../test/support/proves.ts";
import { makeTestHome, type TestHome } from "../../../test/support/store-home.ts";
import { StoreError } from "../port.ts";
import { type CheckpointKeeper, keepCheckpoints, readKept, type SignedCheckpoint } from "./checkpoint-keeper.ts";
import { type LogKey, openLogKey } from "./log-key.ts";
import { type LogTree, newLogTree } from "./log-tree.ts";
import { createTileFiles } from "./tile-files.ts";

proves("AUD-5", "while there is news a checkpoint is signed every two seconds, and kept beside the log", async () => {
  await using at = await open();
  at.log.grow(5);
  at.news();
  at.news();
  expect(at.keeper.latest()).toBeNull();
  await at.pass(1999);
  expect(at.keeper.latest()).toBeNull();
  await at.pass(1);
  await vi.waitFor(() => expect(at.keeper.latest()?.size).toBe(5), WAIT);
  expect(await readFile(at.path, "utf8")).toBe(at.keeper.latest()?.note);
  await at.pass(60_000);
  expect(at.signed.map(({ size }) => size)).toEqual([5]);
  at.log.grow(3);
  at.news();
  await at.pass(2000);
  await vi.waitFor(() => expect(at.signed.map(({ size }) => size)).toEqual([5, 8]), WAIT);
});

proves("AUD-5", "whoever needs one sooner gets it, and of two who ask at once both get the same", async () => {
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
  at.news();
  await at.pass(2000);
  expect(at.keeper.latest()?.note).toBe(note);
  expect(await readFile(at.path, "utf8")).toBe(note);
});

proves("AUD-5", "a failure is shown, tried again at growing intervals, and held against nobody", async () => {
  let failing = true;
  await using at = await open((tree) => ({
    ...tree,
    advance: async () => {
      if (failing) throw new StoreError("disk_full");
      await tree.advance();
    },
  }));
  at.log.grow(2);
  at.news();
  await at.pass(2000);
  expect(at.keeper.problem()?.code).toBe("disk_full");
  expect(at.waiting()).toEqual([4000]);
  await at.pass(4000);
  expect(at.waiting()).toEqual([8000]);
  for (let tries = 0; tries < 8; tries += 1) await at.pass(60_000);
  expect(at.waiting()).toEqual([60_000]);
  failing = false;
  await at.pass(60_000);
  await vi.waitFor(() => expect(at.keeper.problem()).toBeNull(), WAIT);
  expect(at.keeper.latest()?.size).toBe(2);
});

proves("AUD-5", "the last one is signed when the daemon stops, unless that takes too long", async () => {
  await using at = await open();
  at.log.grow(4);
  at.news();
  await at.keeper.stop();
  expect(at.keeper.latest()?.size).toBe(4);
  expect(at.waiting()).toEqual([]);
  at.news();
  expect(at.waiting()).toEqual([]);

  await using stuck = await open((tree) => ({ ...tree, advance: () => new Promise(() => undefined) }));
  stuck.log.grow(4);
  const stopped = stuck.keeper.stop();
  await stuck.pass(1000);
  await stopped;
});

proves("AUD-3", "what was kept is believed only as it was signed, by this key", async () => {
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

const WAIT = { timeout: 10_000 };

interface Opened extends AsyncDisposable {
  readonly log: ReturnType<typeof memoryLog>;
  readonly tree: LogTree;
  readonly key: LogKey;
  readonly keeper: CheckpointKeeper;
  readonly path: string;
  readonly signed: readonly SignedCheckpoint[];
  readonly news: () => void;
  /** Lets time go by, and what falls due happen. */
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
  let listener: (events: readonly []) => void = () => undefined;
  const keeper = keepCheckpoints({
    tree: change(tree),
    key,
    path,
    kept: null,
    onAppend: (added) => {
      listener = added;
      return () => {
        listener = () => undefined;
      };
    },
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
    news: () => listener([]),
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
