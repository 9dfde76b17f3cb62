import { existsSync } from "node:fs";
import { readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, vi } from "vitest";
import type { TestDaemon } from "../../support/daemon.ts";
import { proves } from "../../support/proves.ts";
import { addAgent, startWithAgents } from "../support/fake-agents.ts";
import { processesWith } from "../support/processes.ts";
import {
  eventsOf,
  eventually,
  expectOk,
  expectRefusal,
  expectSound,
  linesOf,
  newFolder,
  PATIENCE,
  prompt,
  show,
  start,
  turn,
} from "../support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startWithAgents({ fake: [], gone: [] });
});
afterAll(() => daemon[Symbol.asyncDispose]());

const endOf = async (id: string) => {
  const ends = (await eventsOf(daemon, id)).filter(({ type }) => type === "turn.ended@1");
  return ends.at(-1)?.data as { outcome: string; error: { code: string; message: string } | null };
};

describe("a bad agent in the handshake", () => {
  for (const phase of ["initialize", "new"])
    proves.concurrent(
      "AG-6",
      `an agent that dies in ${phase} fails the turn, and the message quotes its last output`,
      async () => {
        await addAgent(daemon, `dies-${phase}`, ["--die-in", phase]);
        const { id } = await start(daemon, { adapter: `dies-${phase}` });
        expect(await turn(daemon, id, "say hi")).toMatchObject({ outcome: "interrupted" });
        const { error } = await endOf(id);
        expect(error).toMatchObject({ code: "agent_crashed" });
        expect(error?.message).toContain(`dying in ${phase}`);
        expect((await show(daemon, id)).state).toBe("error");
        expect((await linesOf(daemon, id)).join("\n")).toContain(`dying in ${phase}`);
        expect(await processesWith(id)).toEqual([]);
      },
    );

  proves("AG-6", "an agent that ends before it introduces itself is started again, at most twice", async () => {
    const folder = await newFolder();
    const trace = join(folder, "trace");
    const starts = async () =>
      (await readFile(trace, "utf8")).split("\n").filter((line) => line.endsWith(" initialize"));
    await addAgent(daemon, "trips", ["--die-first", join(folder, "tripped"), "--trace", trace]);
    const { id } = await start(daemon, { adapter: "trips" });
    expect(await turn(daemon, id, "say hi")).toMatchObject({ outcome: "completed" });
    expect(await starts()).toHaveLength(2);
    await addAgent(daemon, "never", ["--die-in", "initialize", "--trace", trace]);
    const never = await start(daemon, { adapter: "never" });
    expect(await turn(daemon, never.id, "say hi")).toMatchObject({ outcome: "interrupted" });
    expect(await starts()).toHaveLength(5);
    expect(await processesWith(never.id)).toEqual([]);
  });

  // A time limit for this step alone: the others are answered, if late on a busy machine.
  for (const [phase, step, limit] of [
    ["initialize", "initialize", "initializeMs"],
    ["new", "session/new", "openMs"],
    ["set", "session/set_mode", "setMs"],
  ] as const)
    proves.concurrent("AG-7", `an agent that hangs in ${phase} is ended after a named time`, async () => {
      await addAgent(daemon, `hangs-${phase}`, ["--hang-in", phase], { timeouts: { [limit]: 1500 } });
      const { id } = await start(daemon, { adapter: `hangs-${phase}`, ...(phase === "set" ? { mode: "bold" } : {}) });
      expect(await turn(daemon, id, "say hi")).toMatchObject({ outcome: "failed" });
      expect((await endOf(id)).error).toMatchObject({ code: "driver_timeout" });
      expect((await endOf(id)).error?.message).toContain(`\`${step}\` within 1500 ms`);
    });

  proves.concurrent(
    "AG-6",
    "a program that does not speak ACP, or speaks another version, is refused as that",
    async () => {
      await addAgent(daemon, "not-acp", ["--not-acp"]);
      const { id } = await start(daemon, { adapter: "not-acp" });
      await turn(daemon, id, "say hi");
      expect((await endOf(id)).error?.message).toContain("usage: frobnicate");
      await addAgent(daemon, "future", ["--protocol", "9"]);
      const other = await start(daemon, { adapter: "future" });
      await turn(daemon, other.id, "say hi");
      expect((await endOf(other.id)).error).toMatchObject({ code: "agent_version" });
      const check = expectOk(await daemon.call("GET", "/api/drivers/not-acp/check"));
      expect(check).toMatchObject({ ok: false, problem: { code: "agent_crashed" } });
      expect(expectOk(await daemon.call("GET", "/api/drivers/fake/check"))).toMatchObject({
        ok: true,
        agent: { name: "fake 1.2.3", loads: true, mcpHttp: true },
      });
    },
  );

  proves.concurrent(
    "AG-8",
    "an agent that is not installed, or not logged in, is refused with the remedy",
    async () => {
      const cwd = await newFolder();
      const missing = await daemon.call("POST", "/sessions/agent", { adapter: "copilot", cwd });
      expect(expectRefusal(missing, 501, "not_installed").message).toContain("nomos driver install copilot");
      expectRefusal(await daemon.call("POST", "/sessions/agent", { adapter: "no-such", cwd }), 501, "not_installed");
      await addAgent(daemon, "needs-login", ["--needs-login"], { auth: { login: ["run `fake login`"] } });
      const { id } = await start(daemon, { adapter: "needs-login" });
      await turn(daemon, id, "say hi");
      expect((await endOf(id)).error).toMatchObject({ code: "setup_required" });
      expect((await endOf(id)).error?.message).toContain("run `fake login`");
      await addAgent(daemon, "needs-key", [], { auth: { env: ["FAKE_KEY"], login: ["set FAKE_KEY"] } });
      const keyless = await daemon.call("POST", "/sessions/agent", { adapter: "needs-key", cwd });
      expectRefusal(keyless, 409, "setup_required");
      await addAgent(daemon, "logs-in", ["--needs-login"], { auth: { method: "key" } });
      const able = await start(daemon, { adapter: "logs-in" });
      expect(await turn(daemon, able.id, "say hi")).toMatchObject({ outcome: "completed" });
      await addAgent(daemon, "too-old", [], { version_check: { range: ">=99.0.0" } });
      expectRefusal(await daemon.call("POST", "/sessions/agent", { adapter: "too-old", cwd }), 501, "agent_version");
    },
  );

  proves.concurrent(
    "AG-8",
    "an invalid manifest is refused and the field named, and so is an invalid working directory",
    async () => {
      const add = (manifest: string) => daemon.call("POST", "/api/drivers", { manifest });
      expectRefusal(await add("{"), 400, "invalid_request");
      expect(expectRefusal(await add('{"id":"X"}'), 400, "invalid_request").message).toContain("protocol");
      expectRefusal(
        await add('{"id":"p","name":"p","description":"","protocol":"print","bin":"p"}'),
        400,
        "invalid_request",
      );
      const begin = (cwd: string) => daemon.call("POST", "/sessions/agent", { adapter: "fake", cwd });
      expectRefusal(await begin("/nowhere/at/all"), 400, "cwd_missing");
      expectRefusal(await begin(daemon.home), 400, "cwd_hidden");
      const [folder, real] = [await newFolder(), await newFolder()];
      await symlink(real, join(folder, "link"));
      expect(
        expectOk(
          await daemon.call<{ cwd: string }>("POST", "/sessions/agent", { adapter: "fake", cwd: join(folder, "link") }),
          201,
        ).cwd,
      ).toBe(real);
    },
  );
});

describe("a bad agent in a turn", () => {
  proves.concurrent("AG-9", "noise, broken text, wrong ids and invalid JSON do not disturb the turn", async () => {
    const { id } = await start(daemon, { adapter: "fake" });
    const text = "invalid-json\ninvalid-utf8\nwrong-id\nstderr to the side\nsay still here";
    expect(await turn(daemon, id, text)).toMatchObject({ outcome: "completed" });
    const lines = (await linesOf(daemon, id)).join("\n");
    expect(lines).toContain("a\ufffdb");
    expect(lines).toContain("still here");
    expect(lines).toContain("to the side");
    expect(lines).toContain("this is { no json");
  });

  proves.concurrent(
    "AG-10",
    "a line far over the limit ends the agent, not the daemon; the next prompt starts it again",
    async () => {
      const { id } = await start(daemon, { adapter: "fake" });
      expect(await turn(daemon, id, "long-line 50")).toMatchObject({ outcome: "interrupted" });
      expect((await endOf(id)).error?.message).toContain("broke the protocol");
      expect(await turn(daemon, id, "recall")).toMatchObject({ outcome: "completed" });
      expect((await linesOf(daemon, id)).join("\n")).toContain("I heard: long-line 50");
    },
  );

  proves("AG-10", "a flood is recorded in few pieces, and an endless one is ended", async () => {
    const { id } = await start(daemon, { adapter: "fake" });
    expect(await turn(daemon, id, "flood 8\nsay over")).toMatchObject({ outcome: "completed" });
    const messages = (await eventsOf(daemon, id)).filter(({ type }) => type === "message.completed@1");
    expect(messages.length).toBeLessThan(12);
    const bytes = messages.reduce((sum, { data }) => sum + Number(data["bytes"]), 0);
    expect(bytes).toBe(8 * 1_048_576 + "over".length);
    expect(messages.every(({ data }) => String(data["text"]).length < 20_000)).toBe(true);
    const other = await start(daemon, { adapter: "fake" });
    await turn(daemon, other.id, "flood 200");
    expect((await endOf(other.id)).error).toMatchObject({ code: "limit_reached" });
    expect(await turn(daemon, other.id, "say again")).toMatchObject({ outcome: "completed" });
  });

  proves.concurrent(
    "AG-11",
    "an agent that dies cuts its turn, which is not sent again; the next turn resumes it natively",
    async () => {
      const { id } = await start(daemon, { adapter: "fake" });
      await turn(daemon, id, "the word is plum");
      expect(await turn(daemon, id, "say before\ndie 9")).toMatchObject({ outcome: "interrupted" });
      expect((await endOf(id)).error).toMatchObject({ code: "agent_crashed" });
      expect(await turn(daemon, id, "recall")).toMatchObject({ outcome: "completed" });
      const events = await eventsOf(daemon, id);
      const attached = events.filter(({ type }) => type === "driver.attached@1").map(({ data }) => data);
      expect(attached).toMatchObject([{ continuity: "fresh" }, { continuity: "native" }]);
      expect(attached[0]?.["nativeId"]).toBe(attached[1]?.["nativeId"]);
      const said = (await linesOf(daemon, id)).filter((line) => line === "before");
      expect(said).toHaveLength(1);
      expect((await linesOf(daemon, id)).join("\n")).toContain("I heard: the word is plum | say before");
    },
  );

  proves.concurrent(
    "AG-12",
    "requests for files and terminals are never carried out, and each is in the log",
    async () => {
      const { id, cwd } = await start(daemon, { adapter: "fake" });
      const outside = join(cwd, "..", "escaped.txt");
      await turn(daemon, id, `fs ${outside}\nfs ${join(cwd, "inside.txt")}\nterminal touch ${outside}`);
      expect([existsSync(outside), existsSync(join(cwd, "inside.txt"))]).toEqual([false, false]);
      const denied = (await eventsOf(daemon, id)).filter(({ type }) => type === "gate.denied@1");
      expect(denied.map(({ data }) => data["verb"])).toEqual([
        "fs.write_text_file",
        "fs.write_text_file",
        "terminal.create",
      ]);
    },
  );
});

describe("a bad agent that is told to stop", () => {
  proves(
    "AG-13",
    "a cancelled turn's processes are gone, its late output is not recorded, and the agent stays",
    async () => {
      const { id, cwd } = await start(daemon, { adapter: "fake" });
      await turn(daemon, id, "pid");
      await prompt(daemon, id, "fork child.pid\nsay working\nsleep 60000\nsay too late");
      await eventually("its child", async () => existsSync(join(cwd, "child.pid")));
      const before = Date.now();
      expect(expectOk(await daemon.call("POST", `/sessions/${id}/interrupt`))).toMatchObject({ wasBusy: true });
      expect(Date.now() - before).toBeLessThan(4000);
      expect(await endOf(id)).toMatchObject({ outcome: "interrupted" });
      expect(await processesWith("child.pid")).toEqual([]);
      await turn(daemon, id, "pid");
      const lines = await linesOf(daemon, id);
      expect(lines).not.toContain("too late");
      expect(new Set(lines.filter((line) => line.startsWith("pid "))).size).toBe(1);
    },
  );

  proves(
    "AG-13",
    "an agent that ignores a cancel is killed with its processes, and resumed by the next prompt",
    async () => {
      await addAgent(daemon, "stubborn", ["--ignore-cancel"]);
      const { id, cwd } = await start(daemon, { adapter: "stubborn" });
      await prompt(daemon, id, "fork child.pid\nhang");
      await eventually("its child", async () => existsSync(join(cwd, "child.pid")));
      const before = Date.now();
      expectOk(await daemon.call("POST", `/sessions/${id}/interrupt`));
      expect(Date.now() - before).toBeLessThan(4000);
      expect(await processesWith(id)).toEqual([]);
      expect(await processesWith("child.pid")).toEqual([]);
      await turn(daemon, id, "say back");
      expect(await endOf(id)).toMatchObject({ outcome: "completed", error: null });
    },
  );

  proves("AG-13", "a killed session leaves no process, also between turns", async () => {
    const { id, cwd } = await start(daemon, { adapter: "fake" });
    await turn(daemon, id, "fork child.pid\nsay ready");
    expect((await processesWith(id)).length).toBeGreaterThan(0);
    expectOk(await daemon.call("POST", `/sessions/${id}/kill`));
    expect(await processesWith(id)).toEqual([]);
    expect(existsSync(join(cwd, "child.pid"))).toBe(true);
    expect(await processesWith("child.pid")).toEqual([]);
    expect((await show(daemon, id)).state).toBe("killed");
    await expectSound(daemon);
  });
});
