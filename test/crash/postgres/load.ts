import { expect } from "vitest";
import { type CallRef, type RecordedEvent, type Store, StoreError } from "../../../src/store/index.ts";
import { event, everyEvent, newId, note, opened } from "../../support/store-home.ts";

/** The answers that writers got during the faults. */
export interface Told {
  readonly acknowledged: readonly RecordedEvent[];
  /** Ids of events that a writer was told were not written. */
  readonly refused: readonly string[];
  /** Ids of events without any answer. */
  readonly open: readonly string[];
}

export interface Load {
  /** Number of acknowledged events so far. */
  readonly acknowledged: () => number;
  /** Lets every writer finish its current append. */
  readonly stop: () => Promise<Told>;
}

const MAY_REFUSE = ["store_unreachable", "overloaded", "stale_version"];
const EVERY_NTH_BY_KEY = 5;

/** Writers that append one event after another, each to its own session, whatever the answers. */
export function startLoad(store: Store, writers: number): Load {
  const acknowledged: RecordedEvent[] = [];
  const refused: string[] = [];
  const open: string[] = [];
  let isStopped = false;

  const append = async (stream: string, version: number, n: number): Promise<number> => {
    const one = event(version === 0 ? opened() : note({ stream, n }));
    const call = n % EVERY_NTH_BY_KEY === 0 ? { call: callRef() } : {};
    try {
      const written = await store.append([{ stream, expectedVersion: version, events: [one] }], { fence: 0, ...call });
      acknowledged.push(...written);
      return version + written.length;
    } catch (thrown) {
      if (!(thrown instanceof StoreError) || !MAY_REFUSE.includes(thrown.code)) throw thrown;
      if (thrown.details["outcome"] === "unknown") open.push(one.id);
      else refused.push(one.id);
      return version;
    }
  };
  const write = async (): Promise<void> => {
    const stream = `session/${newId()}`;
    for (let [n, version] = [0, 0]; !isStopped; n += 1) version = await append(stream, version, n);
  };
  const writing = Promise.all(Array.from({ length: writers }, write));
  return {
    acknowledged: () => acknowledged.length,
    stop: async () => {
      isStopped = true;
      await writing;
      return { acknowledged, refused, open };
    },
  };
}

/** Nothing acknowledged is lost or doubled, nothing refused is there, and the log is sound. */
export async function expectKept(store: Store, told: Told): Promise<void> {
  const all = await everyEvent(store);
  expect(all.map(({ seq }) => seq)).toEqual(all.map((_, at) => at + 1));
  const byId = new Map(all.map((found) => [found.id, found]));
  expect(byId.size).toBe(all.length);
  expect(told.acknowledged.filter(({ id }) => !byId.has(id)).map(({ id }) => id)).toEqual([]);
  for (const one of told.acknowledged) expect(byId.get(one.id)).toEqual(one);
  expect(told.refused.filter((id) => byId.has(id))).toEqual([]);
  const explained = told.acknowledged.length + told.open.filter((id) => byId.has(id)).length;
  expect(all.length).toBe(explained);
  expect(await store.verify()).toMatchObject({ ok: true, events: all.length });
  expect((await store.rebuild(null)).differences).toEqual([]);
}

function callRef(): CallRef {
  const hash = (): string => (newId() + newId()).replaceAll("-", "");
  return { keyHash: hash(), requestHash: hash() };
}
