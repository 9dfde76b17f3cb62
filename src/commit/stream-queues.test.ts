import { expect } from "vitest";
import { proves } from "../../test/support/proves.ts";
import { createStreamQueues } from "./stream-queues.ts";

const turn = () => new Promise((soon) => setImmediate(soon));

/** Queues whose shared runs wait until they are released. */
function setUp(entriesMax = 3) {
  const done: string[] = [];
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const queues = createStreamQueues<number>(async (stream, entries) => {
    await gates.get(stream)?.promise;
    done.push(`${stream} ${entries}`);
  }, entriesMax);
  const hold = (stream: string): (() => void) => {
    const gate = Promise.withResolvers<void>();
    gates.set(stream, gate);
    return () => {
      gates.delete(stream);
      gate.resolve();
    };
  };
  return { queues, done, hold };
}

proves("E1", "neighbouring entries run together, up to the limit; work between them runs alone, in order", async () => {
  const { queues, done } = setUp();
  for (const n of [1, 2]) queues.join("a", n);
  const alone = queues.alone(["a"], async () => done.push("alone"));
  for (const n of [3, 4, 5, 6]) queues.join("a", n);
  expect(done).toEqual([]);
  await alone;
  await turn();
  expect(done).toEqual(["a 1,2", "alone", "a 3,4,5", "a 6"]);
  queues.join("a", 7);
  await turn();
  expect(done.at(-1)).toBe("a 7");
});

proves("E1", "streams do not wait for each other, and failed work does not block its stream", async () => {
  const { queues, done, hold } = setUp();
  const release = hold("a");
  queues.join("a", 1);
  await turn();
  queues.join("b", 2);
  const failed = queues.alone(["b"], () => Promise.reject(new Error("a bug")));
  queues.join("b", 3);
  await expect(failed).rejects.toThrow("a bug");
  await turn();
  expect(done).toEqual(["b 2", "b 3"]);
  queues.join("a", 4);
  release();
  await turn();
  expect(done).toEqual(["b 2", "b 3", "a 1", "a 4"]);
});

proves("E7", "work on several streams holds all of them, and the order of their names does not matter", async () => {
  const { queues, done } = setUp();
  const gate = Promise.withResolvers<void>();
  const slow = async (name: string) => {
    done.push(`begin ${name}`);
    await gate.promise;
    done.push(`end ${name}`);
  };
  const both = [queues.alone(["b", "a"], () => slow("one")), queues.alone(["a", "b"], () => slow("two"))];
  await turn();
  for (const stream of ["a", "b"]) queues.join(stream, 1);
  await turn();
  expect(done).toEqual(["begin one"]);
  gate.resolve();
  await Promise.all(both);
  await turn();
  expect(done.filter((line) => /begin|end/.test(line))).toEqual(["begin one", "end one", "begin two", "end two"]);
  expect(done.indexOf("a 1")).toBeGreaterThan(done.indexOf("end two"));
  expect(done.indexOf("b 1")).toBeGreaterThan(done.indexOf("end one"));
  expect(await queues.alone([], async () => "nothing to wait for")).toBe("nothing to wait for");
});
