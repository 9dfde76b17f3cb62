import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { mcpClient } from "../support/mcp-client.ts";
import { needs } from "../support/needs.ts";
import { proves } from "../support/proves.ts";
import { eventually, expectOk, PATIENCE, start, turn } from "./support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

const scrape = async (): Promise<string> => {
  const answer = await daemon.call("GET", "/api/metrics");
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  return answer.text;
};
const sampleOf = (text: string, series: string): number => {
  const line = text.split("\n").find((found) => found.startsWith(`${series} `));
  return line === undefined ? Number.NaN : Number(line.slice(series.length + 1));
};
const seriesOf = (text: string): readonly string[] =>
  text
    .split("\n")
    .flatMap((line) => (line === "" || line.startsWith("#") ? [] : [line.slice(0, line.lastIndexOf(" "))]));

proves.skipIf(!needs("promtool"))("Q10", "Prometheus' own linter finds no fault in the metrics", async () => {
  const { id } = await start(daemon);
  await turn(daemon, id, "say hello\nrun true");
  await daemon.call("GET", "/sessions/nobody");
  const checked = spawnSync("promtool", ["check", "metrics"], { input: await scrape(), encoding: "utf8" });
  expect({ status: checked.status, said: checked.stdout + checked.stderr }).toEqual({ status: 0, said: "" });
});

proves("Q10", "metrics count turns, events, errors, sessions, connections and free space", async () => {
  const before = await scrape();
  const { id } = await start(daemon);
  await turn(daemon, id, "say one");
  await turn(daemon, id, "fail two");
  for (let n = 0; n < 3; n += 1) await daemon.call("GET", "/sessions/00000000-0000-7000-8000-000000000000");
  await daemon.call("GET", "/api/status", undefined, { authorization: "Bearer wrong" });
  await mcpClient(daemon, "2025-11-25");
  const streaming = new AbortController();
  const opened = await fetch(`${daemon.url}/api/events`, {
    headers: { authorization: `Bearer ${daemon.token}` },
    signal: streaming.signal,
  });
  const after = await eventually("the census", async () => {
    const text = await scrape();
    return sampleOf(text, 'nomos_sessions{state="idle"}') > 0 ? text : null;
  });
  const grown = (series: string) => sampleOf(after, series) - (sampleOf(before, series) || 0);
  expect(grown('nomos_turns_ended_total{outcome="completed"}')).toBe(1);
  expect(grown('nomos_turns_ended_total{outcome="failed"}')).toBe(1);
  expect(grown('nomos_errors_total{code="session_not_found"}')).toBe(3);
  expect(grown('nomos_errors_total{code="unauthorized"}')).toBe(1);
  expect(grown("nomos_events_appended_total")).toBeGreaterThan(8);
  expect(grown("nomos_append_duration_seconds_count")).toBeGreaterThan(5);
  expect(sampleOf(after, 'nomos_append_duration_seconds_bucket{le="+Inf"}')).toBe(
    sampleOf(after, "nomos_append_duration_seconds_count"),
  );
  expect(sampleOf(after, 'nomos_connections{kind="sse"}')).toBe(1);
  expect(sampleOf(after, 'nomos_connections{kind="mcp"}')).toBe(1);
  for (const series of [
    "nomos_log_events",
    "nomos_database_bytes",
    'nomos_used_bytes{kind="events"}',
    'nomos_quota_bytes{scope="home"}',
    "nomos_disk_free_bytes",
    "nomos_disk_total_bytes",
    "process_resident_memory_bytes",
    "process_open_fds",
    'nomos_event_loop_lag_seconds{stat="max"}',
  ])
    expect({ series, isThere: sampleOf(after, series) > 0 }).toEqual({ series, isThere: true });
  expect(sampleOf(after, "nomos_disk_low")).toBe(0);
  streaming.abort();
  await opened.body?.cancel().catch(() => undefined);
  await eventually("closed", async () => sampleOf(await scrape(), 'nomos_connections{kind="sse"}') === 0);
});

proves("Q10", "no session, path or text creates a new series", async () => {
  const first = await start(daemon);
  await turn(daemon, first.id, "say warm\nfail up");
  await daemon.call("GET", "/sessions/nobody");
  // The age of a checkpoint is measured once there is one.
  expectOk(await daemon.call("GET", "/api/audit/checkpoint", undefined, { accept: "application/json" }));
  const before = seriesOf(await scrape());
  for (let n = 0; n < 15; n += 1) {
    const { id } = await start(daemon, { label: `label ${n}` });
    await turn(daemon, id, `say ${n}\nfail odd-${n}`);
    await daemon.call("GET", `/sessions/nobody-${n}`);
    await daemon.call("POST", `/sessions/${id}/events`, { events: [{ type: `kind${n}`, payload: n }] });
  }
  expect(seriesOf(await scrape()).toSorted()).toEqual(before.toSorted());
  expect(before.length).toBeLessThan(150);
  expect(before.join("\n")).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}|nobody|label/);
});

proves(
  "Q10",
  "only a principal that may read the system can read metrics; the command line prints them too",
  async () => {
    const issue = async (capability: string): Promise<string> =>
      expectOk(await daemon.call<{ secret: string }>("POST", "/api/tokens", { capabilities: [capability] }), 201)
        .secret;
    const as = async (secret: string) =>
      (await daemon.call("GET", "/api/metrics", undefined, { authorization: `Bearer ${secret}` })).status;
    expect(await as(await issue("system.read"))).toBe(200);
    expect(await as(await issue("session.read"))).toBe(403);
    expect(await as("nothing")).toBe(401);
    const { stdout, exitCode } = await daemon.cli("system", "metrics");
    expect({ exitCode, isText: stdout.includes("# TYPE nomos_sessions gauge") }).toEqual({ exitCode: 0, isText: true });
  },
);
