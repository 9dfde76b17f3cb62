import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { TestDaemon } from "../support/daemon.ts";
import { startWithAgents } from "./support/fake-agents.ts";
import { eventually, expectOk, expectRefusal, newFolder, PATIENCE, prompt, show, start, turn } from "./support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  const missing = { command: "/nowhere/agent" };
  const nameless = { command: "no-such-agent-program" };
  daemon = await startWithAgents({ fake: [], stillborn: ["--die-in", "initialize"] });
  const drivers = expectOk(await daemon.call<{ config: { drivers: object } }>("GET", "/api/config")).config.drivers;
  expectOk(await daemon.call("PUT", "/api/config", { config: { drivers: { ...drivers, missing, nameless } } }));
});
afterAll(() => daemon[Symbol.asyncDispose]());

const spawn = async (body: object) =>
  daemon.call<{ id: string }>("POST", "/sessions/agent", { adapter: "demo", cwd: await newFolder(), ...body });

describe("spawns that are refused before there is a session", () => {
  test("a command that does not exist is refused", async () => {
    for (const [adapter, program] of [
      ["missing", "/nowhere/agent"],
      ["nameless", "no-such-agent-program"],
    ] as const) {
      const { message, details } = expectRefusal(await spawn({ adapter }), 501, "not_installed");
      expect(message).toContain(`drivers.${adapter}.command`);
      expect(details).toEqual({ driver: adapter, program });
    }
  });

  test("a mode, a model or an option for a driver that has none is refused", async () => {
    expectRefusal(await spawn({ mode: "bold" }), 400, "unknown_mode");
    expectRefusal(await spawn({ model: "large" }), 400, "unknown_model");
    expectRefusal(await spawn({ options: { speed: "high" } }), 400, "unknown_option");
    const { id } = await start(daemon);
    expectRefusal(await daemon.call("POST", `/sessions/${id}/configure`, { mode: "bold" }), 400, "unknown_mode");
  });

  test("an unknown agent is refused, whoever asks", async () => {
    for (const agent of ["nobody", "ws://agents/nobody", "../nobody"])
      expectRefusal(await spawn({ agent }), 400, "invalid_agent");
  });
});

test("an image for a text-only driver fails the turn by name", async () => {
  const { id } = await start(daemon);
  const attachments = [{ kind: "image", name: "a.png", data: "iVBORw0KGgo=" }];
  const { turnId } = await prompt(daemon, id, "say looked", { attachments });
  await eventually("the end", async () => !(await show(daemon, id)).busy);
  const path = `/sessions/${id}/events?types=turn.ended`;
  const { events } = expectOk(await daemon.call<{ events: { data: object }[] }>("GET", path));
  expect(events[0]?.data).toMatchObject({ turnId, outcome: "failed", error: { code: "content_unsupported" } });
});

test("a session's token cannot fork: a fork is nobody's child", async () => {
  const { id } = await start(daemon);
  const capabilities = ["session.read", "session.fork", "session.spawn"];
  const { secret } = expectOk(
    await daemon.call<{ secret: string }>("POST", "/api/tokens", { capabilities, sessionId: id }),
    201,
  );
  const answer = await fetch(`${daemon.url}/sessions/${id}/fork`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: "{}",
  });
  expect(answer.status).toBe(403);
  expect(await answer.json()).toMatchObject({ error: { code: "delegation_denied" } });
  expectOk(await daemon.call("POST", `/sessions/${id}/fork`, {}), 201);
});

test("a workspace in the home, or in a missing directory, is refused", async () => {
  const add = (path: string) => daemon.call("POST", "/api/workspaces", { slug: "bad", path });
  expectRefusal(await add(daemon.home), 400, "cwd_hidden");
  expectRefusal(await add(join(daemon.home, "logs")), 400, "cwd_hidden");
  expectRefusal(await add("/nowhere/at/all"), 400, "cwd_missing");
  const folder = join(await newFolder(), "fine");
  await mkdir(folder);
  expectOk(await daemon.call("POST", "/api/workspaces", { slug: "fine", path: folder }), 201);
});

test("`since` is another name for `after`", async () => {
  const { id } = await start(daemon);
  await turn(daemon, id, "say one\nsay two");
  const page = async (query: string) =>
    expectOk(await daemon.call<{ events: { seq: number }[] }>("GET", `/sessions/${id}/events?${query}`)).events;
  const [, second] = await page("");
  expect(await page(`since=${second?.seq}`)).toEqual(await page(`after=${second?.seq}`));
  expect((await page(`since=${second?.seq}`)).length).toBe((await page("")).length - 2);
});

test("an agent's last words on stderr become output lines without line breaks", async () => {
  const { id } = expectOk(await spawn({ adapter: "stillborn", prompt: "say hi" }), 201);
  await eventually("its end", async () => (await show(daemon, id)).status === "error");
  const path = `/sessions/${id}/output`;
  const { lines } = expectOk(await daemon.call<{ lines: { line: string; stream: string }[] }>("GET", path));
  expect(lines.some(({ line, stream }) => line === "dying in initialize" && stream === "stderr")).toBe(true);
  expect(lines.every(({ line }) => !line.includes("\n"))).toBe(true);
});
