import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Connection } from "./connection.ts";
import { createPool } from "./pool.ts";

const LIMITS = { connectionsMax: 2, waitingMax: 3, waitMaxMs: 50 };

test("the pool opens at most its limit of connections, and reuses each", async () => {
  const made: Connection[] = [];
  const pool = createPool(async () => connection(made), { ...LIMITS, waitingMax: 50, waitMaxMs: 5000 });
  let [inside, most] = [0, 0];
  const work = async (): Promise<void> => {
    inside += 1;
    most = Math.max(most, inside);
    await sleep(2);
    inside -= 1;
  };
  await Promise.all(Array.from({ length: 20 }, () => pool.use(work)));
  expect(most).toBe(2);
  expect(made).toHaveLength(2);
  await pool.close(100);
  expect(made.every((one) => !one.isOpen())).toBe(true);
});

test("a caller that waits too long, or finds too many waiting, is refused; no place is lost", async () => {
  const pool = createPool(async () => connection([]), LIMITS);
  const ends = await Promise.allSettled(Array.from({ length: 8 }, () => pool.use(() => sleep(200))));
  expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
  for (const end of ends) if (end.status === "rejected") expect(end.reason).toMatchObject({ code: "overloaded" });
  const after = await Promise.allSettled(Array.from({ length: 5 }, () => pool.use(() => sleep(1))));
  expect(after.every(({ status }) => status === "fulfilled")).toBe(true);
  await pool.close(100);
});

test("a failed connection gives its place back, and a dead one is not reused", async () => {
  const made: Connection[] = [];
  let isDown = true;
  const pool = createPool(async () => {
    if (isDown) throw new Error("down");
    return connection(made);
  }, LIMITS);
  for (let n = 0; n < 5; n += 1) await expect(pool.use(() => sleep(1))).rejects.toThrow("down");
  isDown = false;
  await pool.use(async (one) => one.drop());
  await pool.use(async (one) => expect(one.isOpen()).toBe(true));
  expect(made).toHaveLength(2);
  await pool.close(100);
});

test("closing refuses waiting callers, lets running work end, and cuts what does not end", async () => {
  const made: Connection[] = [];
  const pool = createPool(async () => connection(made), { ...LIMITS, waitMaxMs: 5000 });
  const stuck = Promise.withResolvers<void>();
  const ends = Array.from({ length: 3 }, () =>
    pool
      .use(async (one) => Promise.race([stuck.promise, one.ended]))
      .then(
        () => "done",
        (error: { code: string }) => error.code,
      ),
  );
  await sleep(5);
  await pool.close(20);
  expect(await Promise.all(ends)).toEqual(["done", "done", "store_closed"]);
  await expect(pool.use(() => sleep(1))).rejects.toMatchObject({ code: "store_closed" });
});

function connection(made: Connection[]): Connection {
  const ended = Promise.withResolvers<void>();
  let isOpen = true;
  const drop = (): void => {
    isOpen = false;
    ended.resolve();
  };
  const one: Connection = {
    processId: made.length,
    isReadOnly: false,
    query: async () => [],
    script: async () => [],
    onNotification: () => undefined,
    isOpen: () => isOpen,
    ended: ended.promise,
    close: async () => drop(),
    drop,
  };
  made.push(one);
  return one;
}
