import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { createListeners } from "./listeners.ts";
import { createTurns } from "./shared-or-alone.ts";

const soon = () => new Promise((resolve) => setImmediate(resolve));

proves(
  "LOG-7",
  "blobs are stored side by side; a sweep waits for them and runs alone, also after a failure",
  async () => {
    const turns = createTurns();
    const order: string[] = [];
    const gates = new Map<string, PromiseWithResolvers<void>>();
    const work = (name: string) => async () => {
      order.push(`+${name}`);
      const gate = Promise.withResolvers<void>();
      gates.set(name, gate);
      await gate.promise;
      order.push(`-${name}`);
    };
    const open = async (name: string, failure?: Error) => {
      if (failure === undefined) gates.get(name)?.resolve();
      else gates.get(name)?.reject(failure);
      await soon();
    };
    const [, failing] = [turns.shared(work("a")), turns.shared(work("b"))];
    const sweeps = [turns.alone(work("sweep")), turns.alone(work("again"))];
    const late = turns.shared(work("c"));
    const caught = failing.catch((thrown: Error) => thrown.message);
    await soon();
    expect(order).toEqual(["+a", "+b"]);
    await open("a");
    expect(order).not.toContain("+sweep");
    await open("b", new Error("full"));
    expect(await caught).toBe("full");
    expect(order).toEqual(["+a", "+b", "-a", "+sweep"]);
    const swept = sweeps[0]?.catch((thrown: Error) => thrown.message);
    await open("sweep", new Error("swept"));
    expect(await swept).toBe("swept");
    expect(order.at(-1)).toBe("+again");
    await open("again");
    expect(order.at(-1)).toBe("+c");
    await open("c");
    await late;
  },
);

proves(
  "LOG-6",
  "a listener that throws keeps no other from hearing of an append, and one that left hears nothing",
  async () => {
    const { add, tell } = createListeners();
    const heard: string[] = [];
    const bugs: unknown[] = [];
    const others = process.listeners("uncaughtException");
    process.removeAllListeners("uncaughtException");
    process.on("uncaughtException", (bug) => bugs.push(bug));
    try {
      add(() => {
        throw new Error("a bug");
      });
      const leave = add(() => heard.push("first"));
      add(() => heard.push("second"));
      tell([]);
      leave();
      tell([]);
      await soon();
    } finally {
      process.removeAllListeners("uncaughtException");
      for (const other of others) process.on("uncaughtException", other);
    }
    expect(heard).toEqual(["first", "second", "second"]);
    expect(bugs).toHaveLength(2);
  },
);

proves("LOG-7", "a sweep that comes after one blob is stored waits for the others that are being stored", async () => {
  const turns = createTurns();
  const [one, two] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  void turns.shared(() => one.promise);
  const last = turns.shared(() => two.promise);
  one.resolve();
  await soon();
  let isSwept = false;
  const sweep = turns.alone(async () => {
    isSwept = true;
  });
  await soon();
  expect(isSwept).toBe(false);
  two.resolve();
  await Promise.all([last, sweep]);
  expect(isSwept).toBe(true);
});
