import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { proves } from "../support/proves.ts";
import { plantDriver } from "./support/driver-file.ts";
import { processesWith, residentMb, running } from "./support/processes.ts";
import { readStream } from "./support/stream-reader.ts";
import {
  ended,
  eventsOf,
  eventually,
  expectOk,
  expectRefusal,
  expectSound,
  idle,
  linesOf,
  PATIENCE,
  prompt,
  type Session,
  show,
  start,
  turn,
} from "./support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

const INTERRUPT_MAX_MS = 4000;

const driven = async (text: string): Promise<Session> =>
  start(daemon, { adapter: "script", file: await plantDriver(text) });
const failureOf = async (id: string): Promise<{ code: string; message: string }> => {
  const end = (await eventsOf(daemon, id, "types=turn.ended")).at(-1);
  expect(end?.data["outcome"]).toBe("failed");
  return end?.data["error"] as { code: string; message: string };
};
const expectInterruptible = async (id: string): Promise<void> => {
  const sinceMs = Date.now();
  expectOk(await daemon.call("POST", `/sessions/${id}/interrupt`));
  expect(Date.now() - sinceMs).toBeLessThan(INTERRUPT_MAX_MS);
  expect(await show(daemon, id)).toMatchObject({ busy: false, state: "idle" });
};

for (const [what, text, code, message] of [
  ["does not parse", "export default (turn) => {", "driver_file_invalid", /SyntaxError|Expected|Unexpected/],
  ["has syntax that cannot be stripped", "export default 1; enum A { b }", "driver_file_invalid", /enum/i],
  ["exports nothing", "const unused = 1;", "driver_file_invalid", /no function/],
  ["exports no function", "export default { run: true };", "driver_file_invalid", /no function/],
  ["imports a missing file", 'import "./nowhere.ts"; export default () => {};', "driver_file_invalid", /nowhere/],
  ["throws when it is loaded", 'throw new Error("at load");', "driver_file_invalid", /at load/],
  ["throws", 'export default () => { throw new Error("thrown here"); };', "driver_failed", /thrown here/],
  [
    "throws a value that is not an Error",
    'export default async () => { throw "just text"; };',
    "driver_failed",
    /just text/,
  ],
  [
    "rejects behind its back",
    'export default async () => { Promise.reject(new Error("unseen")); await new Promise(() => undefined); };',
    "driver_failed",
    /ended/,
  ],
  ["calls process.exit", "export default () => process.exit(7);", "driver_failed", /ended \(7\)/],
  ["calls process.exit(0) before its end", "export default () => process.exit(0);", "driver_failed", /ended \(0\)/],
  ["aborts", "export default () => process.abort();", "driver_failed", /ended/],
  [
    "closes its stdout",
    'import fs from "node:fs"; export default async () => { fs.closeSync(1); await new Promise((r) => setTimeout(r, 50)); process.exit(3); };',
    "driver_failed",
    /ended/,
  ],
] as const)
  proves.concurrent("D1", `a driver file that ${what} fails its turn by name, and the session goes on`, async () => {
    const { id } = await driven(text);
    expect(await turn(daemon, id, "go")).toMatchObject({ outcome: "failed" });
    const failure = await failureOf(id);
    expect(failure.code).toBe(code);
    expect(failure.message).toMatch(message);
    expect(await show(daemon, id)).toMatchObject({ state: "idle", busy: false });
  });

proves.concurrent("D1", "a driver file is loaded again each turn: repaired, removed, put back", async () => {
  const file = await plantDriver("export default 1;");
  const { id } = await start(daemon, { adapter: "script", file });
  expect(await turn(daemon, id, "one")).toMatchObject({ outcome: "failed" });
  await rm(file);
  expect(await turn(daemon, id, "two")).toMatchObject({ outcome: "failed" });
  expect((await failureOf(id)).code).toBe("driver_file_invalid");
});

proves("D2", "a driver that never returns can be interrupted, and is ended by the turn's time limit", async () => {
  const { id } = await driven("export default () => new Promise(() => setInterval(() => undefined, 1000));");
  await prompt(daemon, id, "go");
  await eventually("it runs", async () => (await processesWith(id)).length > 0);
  await expectInterruptible(id);
  expectOk(await daemon.call("PUT", "/api/config", { config: { turnTimeoutMs: 1000 } }));
  const { turnId } = await prompt(daemon, id, "again");
  expect(await ended(daemon, id, turnId)).toMatchObject({ outcome: "failed" });
  expect((await failureOf(id)).code).toBe("driver_timeout");
  expectOk(await daemon.call("PUT", "/api/config", { config: { turnTimeoutMs: null } }));
  expect(await processesWith(id)).toEqual([]);
});

proves("D2", "a driver in an endless loop that ignores everything can be interrupted", async () => {
  const { id } = await driven('export default () => { process.on("SIGTERM", () => undefined); while (true); };');
  await prompt(daemon, id, "go");
  await eventually("it runs", async () => (await processesWith(id)).length > 0);
  await expectInterruptible(id);
  await eventually("gone", async () => (await processesWith(id)).length === 0);
});

proves(
  "D3",
  "a driver that floods its stdout uses no memory of the daemon, and its turn still works",
  async () => {
    const { id } = await driven(`export default async ({ say, tools }) => {
    const line = "x".repeat(60) + "\\n";
    const write = (text) => new Promise((resolve) => process.stdout.write(text, resolve));
    for (let at = 0; at < 160; at += 1) await write(line.repeat(10_000));
    for (let at = 0; at < 20; at += 1) await write("\\n".repeat(500_000));
    await write("y".repeat(9_000_000));
    await say("after the flood");
    const { output } = await tools.run("echo works");
    await say(output.trim());
  };`);
    const before = await residentMb(daemon.pid);
    const { turnId } = await prompt(daemon, id, "go");
    let peak = before;
    const other = await start(daemon);
    await eventually(
      "the turn's end",
      async () => {
        peak = Math.max(peak, await residentMb(daemon.pid));
        // Other sessions are served meanwhile.
        expectOk(await daemon.call("GET", `/sessions/${other.id}`));
        return !(await show(daemon, id)).busy;
      },
      60_000,
    );
    expect(await ended(daemon, id, turnId)).toMatchObject({ outcome: "completed" });
    expect((await linesOf(daemon, id)).slice(-3)).toEqual(expect.arrayContaining(["works"]));
    expect(peak - before).toBeLessThan(300);
  },
  90_000,
);

proves(
  "D3",
  "a command that alternates between its streams without end fills neither memory nor log",
  async () => {
    const { id } = await start(daemon);
    const before = await residentMb(daemon.pid);
    await turn(daemon, id, "run i=0; while [ $i -lt 20000 ]; do echo out; echo err >&2; i=$((i+1)); done");
    const outputs = await eventsOf(daemon, id, "types=effect.output");
    expect(outputs.length).toBeLessThan(1000);
    const bytes = outputs.reduce((sum, { data }) => sum + Number(data["bytes"]), 0);
    expect(bytes).toBe(20_000 * 8);
    expect((await residentMb(daemon.pid)) - before).toBeLessThan(200);
  },
  60_000,
);

proves(
  "D3",
  "output beyond the limit is dropped, the command ends, and the daemon's memory stays small",
  async () => {
    const { id } = await start(daemon);
    const before = await residentMb(daemon.pid);
    expect(await turn(daemon, id, "run head -c 150000000 /dev/zero | tr '\\0' 'z'; echo; echo end")).toMatchObject({
      outcome: "completed",
    });
    const outputs = await eventsOf(daemon, id, "types=effect.output");
    const bytes = outputs.reduce((sum, { data }) => sum + Number(data["bytes"]), 0);
    expect(bytes).toBeGreaterThan(60_000_000);
    expect(bytes).toBeLessThan(70_000_000);
    expect((await residentMb(daemon.pid)) - before).toBeLessThan(400);
  },
  60_000,
);

proves(
  "D4",
  "endless calls without waiting are answered up to a limit",
  async () => {
    const { id } = await driven(`export default async ({ event, say, ask }) => {
    const calls = Array.from({ length: 1500 }, (_, at) => event("burst", at));
    await Promise.all(calls);
    const asks = Array.from({ length: 200 }, (_, at) => ask("question " + at).then(() => "answered", (error) => error.code));
    await say(JSON.stringify([...new Set(await Promise.race([Promise.all(asks.slice(64)), new Promise((resolve) => setTimeout(resolve, 10000, ["late"]))]))]));
  };`);
    const { turnId } = await prompt(daemon, id, "go");
    expect(await ended(daemon, id, turnId)).toMatchObject({ outcome: "completed" });
    const burst = await eventsOf(daemon, id, "types=x.burst");
    expect(burst.map(({ data }) => data["payload"])).toEqual(Array.from({ length: 1500 }, (_, at) => at));
    expect(await linesOf(daemon, id)).toContain('["queue_full"]');
  },
  60_000,
);

proves(
  "D4",
  "a driver that starts loud processes and never reads them delays only itself",
  async () => {
    const { id } = await driven(`export default async ({ process: start, say }) => {
    await Promise.all(Array.from({ length: 8 }, () => start(["sh", "-c", "yes loud | head -c 60000000"])));
    const until = Date.now() + 3000;
    while (Date.now() < until);
    await say("read nothing");
  };`);
    const before = await residentMb(daemon.pid);
    let peak = before;
    const { turnId } = await prompt(daemon, id, "go");
    await eventually(
      "the turn's end",
      async () => {
        peak = Math.max(peak, await residentMb(daemon.pid));
        return !(await show(daemon, id)).busy;
      },
      40_000,
    );
    expect(await ended(daemon, id, turnId)).toMatchObject({ outcome: "completed" });
    expect(peak - before).toBeLessThan(400);
  },
  60_000,
);

proves.concurrent(
  "D4",
  "a driver that writes an invalid message with the right mark fails only its own turn",
  async () => {
    const forgeries = [
      "this is no json",
      "null",
      "[]",
      "{}",
      '{"kind":"call"}',
      '{"kind":"call","id":"x","method":7,"args":"none"}',
      '{"kind":"call","id":1,"method":"run","args":{"length":1}}',
      '{"kind":"fail","code":{"a":1},"message":[]}',
      '{"kind":"abort"}',
    ];
    const sendForged = async (forged: string): Promise<void> => {
      const { id } = await driven(`export default async ({ say }) => {
      const seen = [];
      const write = process.stdout._write.bind(process.stdout);
      process.stdout._write = (chunk, encoding, done) => { seen.push(String(chunk)); write(chunk, encoding, done); };
      await say("hello");
      const mark = seen.join("").slice(0, 24);
      await new Promise((resolve) => process.stdout.write(mark + ${JSON.stringify(forged)} + "\\n", resolve));
      await new Promise((resolve) => setTimeout(resolve, 500));
    };`);
      const { turnId } = await prompt(daemon, id, "go");
      expect({ forged, ...(await ended(daemon, id, turnId)) }).toMatchObject({ forged, outcome: "failed" });
    };
    await Promise.all(forgeries.map(sendForged));
    expectOk(await daemon.call("GET", "/api/status"));
  },
);

proves.concurrent("D5", "a driver's children are ended, however it detached them", async () => {
  const mark = `orphan-${randomUUID()}`;
  const { id } = await driven(`import { spawn } from "node:child_process";
  export default async ({ say }) => {
    for (const detached of [true, false]) {
      const child = spawn("setsid", ["sh", "-c", "trap '' TERM HUP; : ${mark}; sleep 1000"], { detached, stdio: "ignore", env: {} });
      child.unref();
    }
    await new Promise((resolve) => setTimeout(resolve, 3000));
    await say("leaving");
  };`);
  const { turnId } = await prompt(daemon, id, "go");
  await running(mark);
  expect(await ended(daemon, id, turnId)).toMatchObject({ outcome: "completed" });
  expect(await processesWith(mark)).toEqual([]);
});

proves.concurrent(
  "D5",
  "a driver that returns without waiting for its last calls: they are still carried out",
  async () => {
    const { id } = await driven(
      `export default async ({ say, event }) => { void say("parting words"); void event("last", 1); };`,
    );
    expect(await turn(daemon, id, "go")).toMatchObject({ outcome: "completed" });
    expect(await linesOf(daemon, id)).toContain("parting words");
    expect(await eventsOf(daemon, id, "types=x.last")).toHaveLength(1);
  },
);

proves.concurrent("D6", "a driver's stdout reaches watchers, and its calls after the turn are refused", async () => {
  const { id } = await driven(
    `export default async ({ stream }) => { console.log("plain"); console.error("to stderr"); await stream("streamed"); };`,
  );
  const reader = await readStream(daemon, `/sessions/${id}/stream`);
  await turn(daemon, id, "go");
  await reader.until("the end", ({ event, data }) => event === "event" && data["type"] === "turn.ended@1");
  const printed = reader.items.flatMap(({ event, data }) => (event === "delta" ? [String(data["text"])] : [])).join("");
  for (const text of ["plain\n", "to stderr\n", "streamed"]) expect(printed).toContain(text);
});

proves("D7", "a driver removed from the configuration: the session's waiting turn fails by name", async () => {
  const file = await plantDriver("export default () => new Promise(() => setInterval(() => undefined, 1000));");
  expectOk(await daemon.call("PUT", "/api/config", { config: { drivers: { mine: { file } } } }));
  const { id } = await start(daemon, { adapter: "mine" });
  const running = await prompt(daemon, id, "never ends");
  const waiting = await prompt(daemon, id, "waits", { queue: true });
  expectOk(await daemon.call("PUT", "/api/config", { config: { drivers: null } }));
  expectOk(await daemon.call("POST", `/sessions/${id}/interrupt`));
  expect(await ended(daemon, id, running.turnId)).toMatchObject({ outcome: "interrupted" });
  expect(await ended(daemon, id, waiting.turnId)).toMatchObject({ outcome: "failed" });
  expect((await failureOf(id)).code).toBe("not_installed");
  expectRefusal(await daemon.call("POST", `/sessions/${id}/prompt`, { prompt: "x" }), 501, "not_installed");
  expectOk(await daemon.call("POST", `/sessions/${id}/kill`));
});

proves("D7", "after all these drivers the log passes its check and the daemon works", async () => {
  const { id } = await start(daemon);
  await prompt(daemon, id, "say done");
  await idle(daemon, id);
  await expectSound(daemon);
});
