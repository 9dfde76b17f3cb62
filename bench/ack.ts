import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type AppendLoad, createAppendLoad, type WriterStream } from "./append-load.ts";
import { type Benchmark, interleave, percentile } from "./harness.ts";
import { openStore } from "./store-home.ts";

const OFFERED_PER_SECOND = 5000;
/** So many writers that hardly one waits for its own last append, which would measure the writer and not the store. */
const STREAMS = 1024;
const ROUND_MS = 2000;
const PAGE_BYTES = 4096;

/** Time to the acknowledgement at 5,000 events per second, sent without waiting for earlier ones. */
export const ackBenchmark: Benchmark = {
  name: "ack",
  run: async ({ scratch, quick }) => {
    const store = await openStore(join(scratch, "ack"));
    const file = openSync(join(scratch, "bare-flush"), "w");
    try {
      const load = createAppendLoad(store);
      const streams = await load.openStreams(STREAMS);
      await offer(load, streams, ROUND_MS / 2);
      const samples = await interleave(quick ? 2 : 5, {
        acks: () => offer(load, streams, ROUND_MS),
        flushes: async () => flushAlone(file, quick ? 200 : 1000),
      });
      const acks = samples.acks.flat();
      const flushes = samples.flushes.flat();
      return [
        {
          name: "ack.5000",
          what: `p99 from the moment an append is due to its acknowledgement, ${OFFERED_PER_SECOND} events/s offered`,
          unit: "ms",
          value: percentile(acks, 99),
          baseline: { what: "p99 of a bare fdatasync", value: percentile(flushes, 99) },
          aim: { valueAtMost: 4 },
          details: {
            p50: percentile(acks, 50),
            p999: percentile(acks, 99.9),
            bareFlushP50: percentile(flushes, 50),
            events: acks.length,
          },
        },
      ];
    } finally {
      closeSync(file);
      await store.close();
    }
  },
};

/** Open loop: each event is sent when it is due, however long the last ones take. Latency counts from the due time. */
async function offer(load: AppendLoad, streams: readonly WriterStream[], forMs: number): Promise<readonly number[]> {
  const taken: number[] = [];
  const lines: Promise<void>[] = streams.map(() => Promise.resolve());
  const startMs = performance.now();
  const total = (forMs / 1000) * OFFERED_PER_SECOND;
  const dueAt = (n: number) => startMs + (n / OFFERED_PER_SECOND) * 1000;
  const send = async (writer: WriterStream, dueMs: number, before: Promise<void> | undefined): Promise<void> => {
    await before;
    await load.appendOne(writer);
    taken.push(performance.now() - dueMs);
  };
  for (let sent = 0; sent < total; ) {
    for (; sent < total && dueAt(sent) <= performance.now(); sent += 1) {
      const at = sent % streams.length;
      const writer = streams[at];
      if (writer !== undefined) lines[at] = send(writer, dueAt(sent), lines[at]);
    }
    await sleep(1);
  }
  await Promise.all(lines);
  return taken;
}

function flushAlone(file: number, times: number): readonly number[] {
  const page = Buffer.alloc(PAGE_BYTES, 1);
  return Array.from({ length: times }, () => {
    const startMs = performance.now();
    writeSync(file, page);
    fdatasyncSync(file);
    return performance.now() - startMs;
  });
}
