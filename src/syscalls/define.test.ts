import { expect } from "vitest";
import * as z from "zod";
import { proves } from "../../test/support/proves.ts";
import type { RecordedEvent } from "../store/index.ts";
import { type Context, write } from "./define.ts";

const event = (id: string): RecordedEvent => ({
  ...{ seq: 1, stream: "a", version: 1, type: "x.note@1", id, at: "", actor: "", cause: null },
  ...{ data: null, hash: "", prev: "" },
});

proves("H21", "a call whose key ran before answers out of its events and commits nothing", async () => {
  const call = { keyHash: "k", requestHash: "r" };
  const done: string[] = [];
  let known: readonly RecordedEvent[] | null = null;
  let committed: readonly RecordedEvent[] = [event("new")];
  const services = {
    store: { findCall: async () => known },
    noteCall: async (name: string) => void done.push(`noted ${name}`),
  } as unknown as Context["services"];
  const syscall = write({
    ...({ name: "test.write", summary: "", roles: [], needs: [], resource: () => "" } as unknown as Parameters<
      typeof write
    >[0]),
    input: z.object({}),
    output: z.unknown(),
    commit: async () => {
      done.push("committed");
      return committed;
    },
    answer: async (_context, _input, events) => events.map(({ id }) => id),
  });
  const run = (given: typeof call | null) => syscall.run({ services, call: given } as unknown as Context, {});
  expect(await run(null)).toEqual({ value: ["new"] });
  expect(await run(call)).toEqual({ value: ["new"] });
  known = [event("old")];
  expect(await run(call)).toEqual({ value: ["old"] });
  expect(done.splice(0)).toEqual(["committed", "committed"]);
  // A call that recorded nothing is noted by its key, so that it does not run again either.
  [known, committed] = [null, []];
  await run(null);
  expect(done.splice(0)).toEqual(["committed"]);
  await run(call);
  expect(done.splice(0)).toEqual(["committed", "noted test.write"]);
  known = [];
  await run(call);
  expect(done).toEqual([]);
});
