import { mkdirSync } from "node:fs";
import { request } from "node:http";
import type { Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startSession } from "./api-client.ts";
import { startDaemon } from "./daemon.ts";
import { type Benchmark, interleave, median, percentile } from "./harness.ts";
import { startServer } from "./processes.ts";
import { connected, getRequest } from "./raw-connection.ts";

const READERS = 1000;
const PAYLOAD_CHARS = 255;

/**
 * One event to a thousand readers. The clock starts when anyone outside knows that the event is durable (the appender's
 * answer, or the first reader), and stops when the last reader has it.
 */
export const fanOutBenchmark: Benchmark = {
  name: "fan-out",
  run: async ({ product, quick, scratch }) => {
    const readers = quick ? READERS / 10 : READERS;
    const home = join(scratch, "fan-out");
    mkdirSync(home);
    await using daemon = await startDaemon(await product(), home);
    await using bare = await startServer(new URL("./children/bare-fan-out.ts", import.meta.url), []);
    const id = await startSession(daemon.api, scratch);
    const nomosReaders = await openReaders(daemon.port, `/sessions/${id}/stream`, daemon.token, readers);
    const bareReaders = await openReaders(bare.port, "/stream", daemon.token, readers);
    await nomosReaders.quiet();
    let number = 0;
    const marked = (): string => {
      number += 1;
      return `marker-${number}-`;
    };
    const viaNomos = (): Promise<Spread> => {
      const marker = marked();
      const payload = { marker, text: "x".repeat(PAYLOAD_CHARS) };
      return nomosReaders.spread(marker, () =>
        daemon.api.call("POST", `/sessions/${id}/events`, { events: [{ type: "bench", payload }] }),
      );
    };
    let frame = "";
    const viaBare = (): Promise<Spread> => {
      const marker = marked();
      return bareReaders.spread(marker, () => post(bare.port, frame.replace(/marker-\d+-/, marker)));
    };
    try {
      await viaNomos();
      frame = nomosReaders.lastFrame();
      await interleave(2, { nomos: viaNomos, bare: viaBare });
      const samples = await interleave(quick ? 10 : 40, { nomos: viaNomos, bare: viaBare });
      const spread = (taken: readonly Spread[]) => taken.map(({ spreadMs }) => spreadMs);
      const whole = (taken: readonly Spread[]) => median(taken.map(({ wholeMs }) => wholeMs));
      return [
        {
          name: `fan-out.${readers}`,
          what: `from an event's acknowledgement until the last of ${readers} SSE readers has it`,
          unit: "ms",
          value: median(spread(samples.nomos)),
          baseline: { what: "bare writes of the same bytes", value: median(spread(samples.bare)) },
          aim: null,
          details: {
            p99: percentile(spread(samples.nomos), 99),
            fromAskingMs: whole(samples.nomos),
            bareFromAskingMs: whole(samples.bare),
            frameBytes: Buffer.byteLength(frame),
          },
        },
      ];
    } finally {
      nomosReaders.close();
      bareReaders.close();
    }
  },
};

interface Spread {
  readonly spreadMs: number;
  /** Measured from the request to append. */
  readonly wholeMs: number;
}

interface Readers {
  readonly spread: (marker: string, publish: () => Promise<unknown>) => Promise<Spread>;
  /** The last event as received. */
  readonly lastFrame: () => string;
  /** Resolves when nothing has come for a moment: every reader is live. */
  readonly quiet: () => Promise<void>;
  readonly close: () => void;
}

async function openReaders(port: number, path: string, token: string, count: number): Promise<Readers> {
  let waitsFor = Buffer.alloc(0);
  let have = 0;
  let firstMs = 0;
  let lastChunkMs = performance.now();
  let complete: () => void = () => undefined;
  let lastChunk = "";
  const sockets: Socket[] = [];
  for (let n = 0; n < count; n += 1) {
    const socket = await connected(port);
    socket.write(getRequest(port, path, token));
    socket.on("data", (chunk) => {
      lastChunkMs = performance.now();
      if (waitsFor.length === 0 || chunk.indexOf(waitsFor) < 0) return;
      if (have === 0) {
        firstMs = lastChunkMs;
        lastChunk = chunk.toString("utf8");
      }
      have += 1;
      if (have === count) complete();
    });
    sockets.push(socket);
  }
  return {
    spread: async (marker, publish) => {
      const all = new Promise<void>((resolve) => {
        complete = resolve;
      });
      have = 0;
      waitsFor = Buffer.from(marker);
      const askedMs = performance.now();
      const acked = publish().then(() => performance.now());
      await all;
      const lastMs = performance.now();
      waitsFor = Buffer.alloc(0);
      return { spreadMs: lastMs - Math.min(firstMs, await acked), wholeMs: lastMs - askedMs };
    },
    lastFrame: () => lastChunk.slice(lastChunk.indexOf("id:"), lastChunk.lastIndexOf("\n\n") + 2),
    quiet: async () => {
      while (performance.now() - lastChunkMs < QUIET_MS) await sleep(QUIET_MS / 4);
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

const QUIET_MS = 500;

function post(port: number, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { "content-length": Buffer.byteLength(body) };
    const asked = request({ host: "127.0.0.1", port, method: "POST", path: "/", headers }, (answer) => {
      answer.resume();
      answer.on("end", () => resolve());
    });
    asked.on("error", reject);
    asked.end(body);
  });
}
