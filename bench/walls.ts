import { mkdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createProcessHost, findBubblewrap, openDoor, type ProcessSpec, parseHostRule } from "../src/host/index.ts";
import { type Benchmark, type Figure, interleave, median } from "./harness.ts";

const REQUESTS = 200;
const WALLS = { mounts: [], programs: [], home: null, temp: null, door: null };

/** The cost of walls: starting a program behind them, with and without a door, and each request through the door. */
export const wallsBenchmark: Benchmark = {
  name: "walls",
  run: async ({ quick, scratch }) => {
    const found = await findBubblewrap(process.env["PATH"] ?? "");
    if (!("path" in found) || found.strict !== null)
      return { skipped: "strict cannot be held here: see `nomos doctor`" };
    const [home, cwd] = [join(scratch, "walls-home"), join(scratch, "walls-work")];
    for (const folder of [home, cwd]) mkdirSync(folder, { recursive: true });
    const env = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "/" };
    await using bare = createProcessHost({ home, bwrapPath: null });
    await using host = createProcessHost({ home, bwrapPath: found.path });
    const server = createServer((_asked, answer) => answer.end("ok"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const rules = [parseHostRule(`127.0.0.1:${port}`)].filter((rule) => rule !== null);
    const door = openDoor({
      folder: join(home, "doors"),
      name: "bench.sock",
      rules,
      daemon: { port: 0, take: null },
      onDenied: () => undefined,
    });

    const spec: ProcessSpec = { argv: ["/bin/true"], cwd, env, stdin: "none" };
    const timed = (start: () => ReturnType<typeof host.spawn>) => async () => {
      const beganMs = performance.now();
      const { exitCode } = await start().exited;
      if (exitCode !== 0) throw new Error(`a program that should do nothing ended with ${exitCode}`);
      return performance.now() - beganMs;
    };
    const starts = await interleave(quick ? 5 : 30, {
      bare: timed(() => bare.spawn(spec)),
      off: timed(() => host.spawn(spec)),
      strict: timed(() => host.spawn({ ...spec, walls: WALLS })),
      door: timed(() => host.spawn({ ...spec, walls: { ...WALLS, door } })),
    });
    const client = `
      const { request, Agent } = require("node:http"); const agent = new Agent({ keepAlive: true });
      const once = () => new Promise((done, fail) => request({ port: ${port}, host: "127.0.0.1", agent }, (r) => r.resume().on("end", done)).on("error", fail).end());
      (async () => { for (let i = 0; i < 50; i += 1) await once(); const t = performance.now();
        for (let i = 0; i < ${REQUESTS}; i += 1) await once(); console.log((performance.now() - t) / ${REQUESTS}); process.exit(); })();`;
    const asking = (more: Partial<ProcessSpec>) => async () => {
      const child = host.spawn({ ...spec, argv: [process.execPath, "-e", client], ...more });
      let text = "";
      for await (const { bytes } of child.output) text += Buffer.from(bytes).toString();
      return Number(text);
    };
    const requests = await interleave(quick ? 2 : 7, {
      direct: asking({}),
      door: asking({ walls: { ...WALLS, programs: [process.execPath], door } }),
    });
    door.close();
    server.close();
    const base = { what: "the same program without a sandbox", value: median(starts.bare) };
    const took = (name: string, what: string, samples: readonly number[], aim: Figure["aim"]): Figure => ({
      ...{ name, what, unit: "ms", value: median(samples), baseline: base, aim },
      details: {
        overheadOfBestMs: Math.round((Math.min(...samples) - Math.min(...starts.bare)) * 10) / 10,
        overheadMs: Math.round((median(samples) - base.value) * 10) / 10,
        rounds: samples.length,
      },
    });
    return [
      took("walls.off", "start and end of a program with `sandbox: off`", starts.off, null),
      took("walls.strict", "start and end of a program behind walls", starts.strict, { valueAtMost: base.value + 15 }),
      took("walls.door", "the same with a door, which is a Node of its own", starts.door, null),
      {
        name: "walls.request",
        what: "one HTTP request through the door",
        unit: "ms",
        value: median(requests.door),
        baseline: { what: "on loopback, without a sandbox", value: median(requests.direct) },
        aim: null,
        details: { requests: REQUESTS },
      },
    ];
  },
};
