import { setImmediate } from "node:timers/promises";
import { expect } from "vitest";
import { createVirtualClock } from "../../../test/sim/virtual-clock.ts";
import { createMemoryLog } from "../../../test/support/memory-log.ts";
import { proves } from "../../../test/support/proves.ts";
import { StoreError } from "../../store/index.ts";
import { type DefinedFollower, defineFollower } from "./define-follower.ts";
import { followLog } from "./follow-log.ts";

proves("FOL-1", "a new follower gets every past event in order, then each new one, and none twice", async () => {
  const log = createMemoryLog();
  log.grow(1234);
  const books = keepBooks("books");
  await using at = await follow(log, [books.follower]);
  await at.until(() => books.taken.length === 1234);
  for (let round = 0; round < 20; round += 1) {
    log.grow(round);
    await at.clock.step();
  }
  await at.until(() => books.taken.length === log.events.length);
  expect(books.taken).toEqual(log.events.map(({ seq }) => seq));
  expect(log.cursors.get("books")).toEqual({ seq: log.events.length, id: log.events.at(-1)?.id });
});

proves(
  "FOL-1",
  "a page that fails half way is taken again from its first event; the cursor does not move",
  async () => {
    const log = createMemoryLog();
    log.grow(1200);
    let isBroken = true;
    const books = keepBooks("books", {
      after: async (events) => {
        if (isBroken && (events[0]?.seq ?? 0) > 500) throw new StoreError("disk_full");
      },
    });
    await using at = await follow(log, [books.follower]);
    await at.until(() => at.state("books").state === "failing");
    expect(log.cursors.get("books")?.seq).toBe(500);
    isBroken = false;
    await at.until(() => at.state("books").position === 1200);
    expect(books.taken).toEqual([...range(1, 1000), ...range(501, 1200)]);
  },
);

proves("FOL-1", "a follower of rare types skips other events without a flush for each", async () => {
  const log = createMemoryLog();
  const books = keepBooks("rare", { types: ["budget.spent@1"] });
  await using at = await follow(log, [books.follower]);
  for (let round = 0; round < 40; round += 1) {
    log.grow(5);
    await at.until(() => at.state("rare").lag === 0);
  }
  expect(log.writes()).toBe(0);
  log.grow(1, "budget.spent@1");
  await at.until(() => at.state("rare").lag === 0);
  expect(books.taken).toEqual([201]);
  expect(log.writes()).toBe(1);
  log.grow(600);
  await at.until(() => at.state("rare").lag === 0);
  expect(log.writes()).toBe(2);
});

proves(
  "FOL-1",
  "a follower that starts at the end gets no past events, and later gets those appended while it was stopped",
  async () => {
    const log = createMemoryLog();
    log.grow(30);
    const books = keepBooks("notices", { from: "now" });
    {
      await using at = await follow(log, [books.follower]);
      await at.until(() => at.state("notices").position === 30);
    }
    log.grow(3);
    await using at = await follow(log, [books.follower]);
    await at.until(() => at.state("notices").lag === 0);
    expect(books.taken).toEqual([31, 32, 33]);
  },
);

for (const { what, size, grown } of [
  { what: "is ahead of the log", size: 10, grown: 0 },
  { what: "names an event that was replaced", size: 10, grown: 50 },
])
  proves("FOL-2", `a cursor that ${what}: the follower discards its work and starts again`, async () => {
    const log = createMemoryLog();
    log.grow(40);
    const books = keepBooks("books");
    {
      await using at = await follow(log, [books.follower]);
      await at.until(() => at.state("books").position === 40);
    }
    log.putBack(size);
    log.grow(grown);
    await using at = await follow(log, [books.follower]);
    await at.until(() => at.state("books").position === size + grown);
    expect(books.taken).toEqual(range(1, size + grown));
    expect(books.clears()).toBe(2);
  });

proves(
  "FOL-3",
  "one follower always throws: its error is shown, it is retried at doubling intervals, and the other misses nothing",
  async () => {
    const log = createMemoryLog();
    let isBroken = true;
    const broken = keepBooks("broken", {
      after: async () => {
        if (isBroken) throw new StoreError("disk_full");
      },
    });
    const sound = keepBooks("sound");
    await using at = await follow(log, [broken.follower, sound.follower]);
    log.grow(7);
    const waits: number[] = [];
    for (let tries = 1; tries <= 9; tries += 1) {
      await at.until(() => at.state("broken").failure?.tries === tries);
      const { failure } = at.state("broken");
      waits.push(Date.parse(failure?.nextTryAt ?? "") - at.clock.nowMs());
      log.grow(1);
      await at.until(() => at.state("sound").lag === 0);
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    expect(at.state("broken")).toMatchObject({
      state: "failing",
      position: 0,
      lag: 16,
      failure: { code: "disk_full", remedy: expect.stringMatching(/./), since: "2026-01-01T00:00:00.050Z" },
    });
    expect(sound.taken).toEqual(range(1, 16));
    expect(at.logged.filter((line) => line.includes("failed"))).toHaveLength(1);
    isBroken = false;
    await at.until(() => at.state("broken").lag === 0);
    expect(at.state("broken")).toMatchObject({ state: "following", failure: null });
    expect(at.logged.filter((line) => line.includes("works again"))).toHaveLength(1);
  },
);

proves("FOL-3", "followers that fail together wait for different times", async () => {
  const log = createMemoryLog();
  const fails = async (): Promise<void> => {
    throw new Error("a bug");
  };
  const names = ["one", "two", "three"];
  let drawn = 0;
  await using at = await follow(
    log,
    names.map((name) => keepBooks(name, { after: fails }).follower),
    () => (drawn++ % 10) / 10,
  );
  log.grow(1);
  await at.until(() => names.every((name) => at.state(name).failure !== null));
  expect(new Set(names.map((name) => at.state(name).failure?.nextTryAt)).size).toBe(3);
  expect(at.state("one").failure?.code).toBe("internal");
});

proves(
  "FOL-3",
  "a slow follower and 10,000 events: no append waits, its lag is shown, and it gets them all",
  async () => {
    const log = createMemoryLog();
    const gate = Promise.withResolvers<void>();
    const slow = keepBooks("slow", { after: () => gate.promise });
    const quick = keepBooks("quick");
    await using at = await follow(log, [slow.follower, quick.follower]);
    log.grow(1);
    await at.until(() => slow.taken.length === 1);
    for (let n = 0; n < 9999; n += 1) log.grow(1);
    await at.until(() => at.state("quick").lag === 0);
    expect(at.state("slow")).toMatchObject({ position: 0, lag: 10_000, state: "behind", failure: null });
    gate.resolve();
    await at.until(() => at.state("slow").lag === 0);
    expect(slow.taken).toEqual(range(1, 10_000));
    expect(at.state("slow").state).toBe("following");
  },
);

proves(
  "FOL-4",
  "a follower restarted at work discards what it has and gets everything from the first event",
  async () => {
    const log = createMemoryLog();
    log.grow(5000);
    const books = keepBooks("books");
    await using at = await follow(log, [books.follower]);
    await at.until(() => books.taken.length >= 1000);
    await Promise.all([at.followers.restart("books"), at.followers.restart("books"), at.followers.caughtUp("books")]);
    await at.followers.caughtUp("books");
    expect(books.taken).toEqual(range(1, 5000));
    expect(books.clears()).toBe(3);
    expect(at.state("books").position).toBe(5000);
  },
);

proves(
  "FOL-4",
  "a follower killed between losing its cursor and clearing its work clears it at the next start",
  async () => {
    const log = createMemoryLog();
    log.grow(20);
    const books = keepBooks("books");
    {
      await using at = await follow(log, [books.follower]);
      await at.until(() => at.state("books").lag === 0);
    }
    log.cursors.delete("books");
    await using at = await follow(log, [books.follower]);
    await at.until(() => at.state("books").position === 20);
    expect(books.taken).toEqual(range(1, 20));
  },
);

proves(
  "FOL-5",
  "closing waits for the current page and starts no other; it does not wait for a follower that hangs",
  async () => {
    const log = createMemoryLog();
    log.grow(1500);
    const gate = Promise.withResolvers<void>();
    const books = keepBooks("books", { after: () => gate.promise });
    const at = await follow(log, [books.follower]);
    await at.until(() => books.taken.length === 500);
    let isClosed = false;
    const closed = at.followers.close().then(() => {
      isClosed = true;
    });
    for (let turns = 0; turns < 5; turns += 1) await setImmediate();
    expect(isClosed).toBe(false);
    gate.resolve();
    await closed;
    expect(log.cursors.get("books")?.seq).toBe(500);
    expect(books.taken).toHaveLength(500);
    log.grow(1);
    expect(await at.clock.step()).toBe(false);
    await expect(at.followers.caughtUp("books")).rejects.toMatchObject({ code: "store_closed" });

    const stuck = keepBooks("stuck", { after: () => new Promise(() => undefined) });
    const hung = await follow(log, [stuck.follower]);
    await hung.until(() => stuck.taken.length === 500);
    const gone = hung.followers.close();
    while (await hung.clock.step());
    await gone;
  },
);

proves("FOL-3", "waiting for a follower returns when it has caught up, or says what delays it", async () => {
  const log = createMemoryLog();
  let isBroken = false;
  const books = keepBooks("books", {
    after: async () => {
      if (isBroken) throw new StoreError("disk_full");
    },
  });
  await using at = await follow(log, [books.follower]);
  log.grow(900);
  await at.followers.caughtUp("books");
  expect(books.taken).toHaveLength(900);
  isBroken = true;
  log.grow(1);
  await expect(at.followers.caughtUp("books")).rejects.toMatchObject({ code: "disk_full" });
  isBroken = false;
  await at.followers.caughtUp("books");
  expect(at.state("books")).toMatchObject({ lag: 0, failure: null });
  isBroken = true;
  await at.followers.restart("books");
  await expect(at.followers.caughtUp("books")).rejects.toMatchObject({ code: "disk_full" });
  expect(at.state("books")).toMatchObject({ position: 0, state: "failing" });
  await expect(at.followers.caughtUp("nobody")).rejects.toThrow("no follower is called nobody");
  await expect(follow(log, [books.follower, books.follower])).rejects.toThrow("two followers are called books");
  expect(() => defineFollower({ ...books.follower, name: 'evil"} 1' })).toThrow("no name for a follower");
});

function keepBooks(
  name: string,
  given: Pick<DefinedFollower, "types" | "from"> & { readonly after?: DefinedFollower["take"] } = {},
) {
  const { after, ...rest } = given;
  const taken: number[] = [];
  let clears = 0;
  const follower = defineFollower({
    ...rest,
    name,
    take: async (events) => {
      taken.push(...events.map(({ seq }) => seq));
      await after?.(events);
    },
    clear: async () => {
      clears += 1;
      taken.length = 0;
    },
  });
  return { follower, taken, clears: () => clears };
}

async function follow(
  log: ReturnType<typeof createMemoryLog>,
  followers: readonly DefinedFollower[],
  random: () => number = () => 0,
) {
  const clock = createVirtualClock();
  const logged: string[] = [];
  const running = await followLog({
    store: log,
    fence: 1,
    followers,
    clock,
    random,
    log: (message) => logged.push(message),
  });
  const state = (name: string) =>
    running.states().find((found) => found.name === name) ?? expect.fail(`${name} is not there`);
  return {
    clock,
    logged,
    followers: running,
    state,
    /** Advances the fake clock until the condition holds. */
    until: async (isSo: () => boolean): Promise<void> => {
      for (let steps = 0; !isSo(); steps += 1) {
        if (steps > 5000) expect.fail("it never came to that");
        await setImmediate();
        if (!isSo()) await clock.step();
      }
    },
    [Symbol.asyncDispose]: running.close,
  };
}

function range(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, n) => first + n);
}
