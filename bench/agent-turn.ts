import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type BareAcp, startBareAcp, type TurnTimes } from "./bare-acp.ts";
import { type RunningDaemon, startDaemon } from "./daemon.ts";
import { homeWithFakeAgent } from "./fake-agents.ts";
import { type Benchmark, type Figure, interleave, median } from "./harness.ts";

const CHUNKS = 20;
const CHUNK_MS = 20;
const ROUNDS = 60;
const OVERHEAD_RATIO_MAX = 1.1;
const FIRST_TOKEN_EXTRA_MAX_MS = 4;

/** A turn of a foreign agent through the daemon, including its log, against a client that only passes lines on. */
export const agentTurnBenchmark: Benchmark = {
  name: "agent-turn",
  run: async ({ product, quick, scratch }) => {
    const [mine, theirs] = ["agent-turn-work", "agent-turn-bare"].map((name) => join(scratch, name));
    for (const folder of [mine, theirs]) mkdirSync(folder ?? "");
    await using daemon = await startDaemon(await product(), homeWithFakeAgent(scratch, "agent-turn"));
    await using bare = await startBareAcp(theirs ?? "");
    await using session = await watchedSession(daemon, mine ?? "");
    const script = Array.from({ length: CHUNKS }, (_, n) => `say piece ${n} \nsleep ${CHUNK_MS}`).join("\n");
    const measurements = { nomos: () => session.prompt(script), bare: () => bare.prompt(script) };
    await interleave(3, measurements);
    const { nomos, bare: direct } = await interleave(quick ? ROUNDS / 6 : ROUNDS, measurements);
    return figures(nomos, direct);
  },
};

function figures(nomos: readonly TurnTimes[], direct: readonly TurnTimes[]): readonly Figure[] {
  const typical = (samples: readonly TurnTimes[], what: "firstTokenMs" | "totalMs") =>
    median(samples.map((one) => one[what]));
  const firstMs = typical(direct, "firstTokenMs");
  const client = "the same agent, asked by a bare client over its pipes";
  return [
    {
      name: "agent-turn",
      what: `a turn of ${CHUNKS} pieces, ${CHUNK_MS} ms apart, from the request until its end is on the stream`,
      unit: "ms",
      value: typical(nomos, "totalMs"),
      baseline: { what: client, value: typical(direct, "totalMs") },
      aim: { ratioAtMost: OVERHEAD_RATIO_MAX },
      details: { rounds: nomos.length },
    },
    {
      name: "agent-turn.first-token",
      what: "from the request until the first piece is on the stream",
      unit: "ms",
      value: typical(nomos, "firstTokenMs"),
      baseline: { what: client, value: firstMs },
      // The aim is for the added time, whatever the agent itself takes.
      aim: { valueAtMost: firstMs + FIRST_TOKEN_EXTRA_MAX_MS },
      details: {
        addedMs: Number((typical(nomos, "firstTokenMs") - firstMs).toFixed(2)),
        admittedAfterMs: Number(median(nomos.map(({ ackMs = 0 }) => ackMs)).toFixed(2)),
      },
    },
  ];
}

async function watchedSession({ api, port, token }: RunningDaemon, cwd: string): Promise<BareAcp> {
  const { id } = await api.call("POST", "/sessions/agent", { adapter: "fake", cwd });
  const abort = new AbortController();
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`http://127.0.0.1:${port}/sessions/${String(id)}/stream`, {
    headers,
    signal: abort.signal,
  });
  let onItem = (_item: string): void => undefined;
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const bytes of response.body ?? []) {
      const items = (rest + decoder.decode(bytes, { stream: true })).split("\n\n");
      rest = items.pop() ?? "";
      for (const item of items) onItem(item);
    }
  };
  // It ends by an abort.
  const reading = read().catch(() => undefined);
  return {
    prompt: async (prompt) => {
      const over = Promise.withResolvers<void>();
      const startMs = performance.now();
      let firstTokenMs = 0;
      onItem = (item) => {
        if (firstTokenMs === 0 && item.includes("event: delta\n")) firstTokenMs = performance.now() - startMs;
        if (item.includes('"type":"turn.ended@1"')) over.resolve();
      };
      await api.call("POST", `/sessions/${String(id)}/prompt`, { prompt });
      const ackMs = performance.now() - startMs;
      await over.promise;
      return { firstTokenMs, totalMs: performance.now() - startMs, ackMs };
    },
    [Symbol.asyncDispose]: async () => {
      abort.abort();
      await reading;
    },
  };
}
