import { expect, test } from "vitest";
import { everyday, mcpServersHere, textOf } from "../../../test/support/mcp-servers-here.ts";
import { proves } from "../../../test/support/proves.ts";

const pids = (notes: readonly string[]): readonly string[] => notes.filter((line) => line.startsWith("pid"));
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await what())) await new Promise((resolve) => setTimeout(resolve, 20));
}

proves("MS-1", "case 33: twenty sessions at once share one process, which ends after the last has left", async () => {
  await using here = await mcpServersHere({ every: everyday() });
  const sessions = Array.from({ length: 20 }, (_, at) => `s${at}`);
  const said = await Promise.all(sessions.map((id) => here.call("mcp__every__count", {}, id)));
  const notes = pids(await here.notes());
  expect(notes).toHaveLength(1);
  const pid = Number(notes[0]?.slice("pid ".length));
  expect(new Set(said.map(textOf)).size).toBe(20);
  expect((await here.servers.list())[0]).toMatchObject({ state: "connected", sessions: 20, processes: 1, tools: 10 });
  for (const id of sessions.slice(1)) await here.servers.release(id);
  expect(isAlive(pid)).toBe(true);
  await here.servers.release("s0");
  await until(() => !isAlive(pid));
  expect((await here.servers.list())[0]).toMatchObject({ state: "idle", sessions: 0 });
});

proves("MS-1", "a private server has a process for each session, which ends with it", async () => {
  await using here = await mcpServersHere({ every: { ...everyday(), shared: false } });
  await Promise.all(["a", "b", "a"].map((id) => here.tools(id)));
  const [first, second, third] = pids(await here.notes()).map((line) => Number(line.slice("pid ".length)));
  expect(third).toBeUndefined();
  await here.servers.release("a");
  const alive = [first ?? 0, second ?? 0].filter(isAlive);
  expect(alive).toHaveLength(1);
});

proves("MS-1", "each call says which session it is of", async () => {
  await using here = await mcpServersHere({ every: everyday() });
  expect(textOf(await here.call("mcp__every__who", {}, "one"))).toContain("one in ");
  expect(textOf(await here.call("mcp__every__who", {}, "two"))).toContain("two in ");
});

proves(
  "MS-2",
  "case 33: a server that dies in a call: the call fails by name, and the next one has a new process",
  async () => {
    await using here = await mcpServersHere({ every: everyday() });
    await expect(here.call("mcp__every__die")).rejects.toThrow(/every: .*exit code 9; the call was under way/);
    expect((await here.notes()).filter((line) => line === "died")).toHaveLength(1);
    await until(async () => (await here.tools()).tools.length > 0);
    expect(textOf(await here.call("mcp__every__count"))).toContain("call 1 of");
    expect(pids(await here.notes())).toHaveLength(2);
  },
);

proves("MS-2", "a call that changes nothing is sent once more when the server dies in it", async () => {
  await using here = await mcpServersHere({ every: everyday() });
  expect(textOf(await here.call("mcp__every__die-once"))).toBe("alive");
});

proves("MS-3", "a server that dies at its start is named with what it printed, without its secrets", async () => {
  const settings = { bad: { ...everyday("--dies-at-start"), env: { API_KEY: { env: "MY_KEY" } } }, every: everyday() };
  await using here = await mcpServersHere(settings, { environment: { MY_KEY: "very-secret-value" } });
  const { tools, problems } = await here.tools();
  expect(tools).toHaveLength(10);
  expect(problems.join()).toContain("bad: it ended with exit code 3. It printed: no config here");
  expect(problems.join()).not.toContain("very-secret-value");
  expect((await here.servers.list()).find(({ name }) => name === "bad")).toMatchObject({ state: "failed" });
  expect((await here.tools()).problems.join()).toContain("tried again later");
});

proves("MS-3", "a server that never answers does not hold up a turn, and is given up by name", async () => {
  await using here = await mcpServersHere({ mute: everyday("--silent") }, { limits: { waitMs: 50, startMs: 1_500 } });
  expect((await here.tools()).problems).toEqual(["mute is still starting: its tools come with a later turn"]);
  await until(async () => (await here.servers.list())[0]?.state === "failed");
  expect((await here.tools()).problems.join()).toContain("mute: it did not answer within 1500 ms");
});

proves("MS-3", "a call without an answer is given up; after three of them the server starts anew", async () => {
  await using here = await mcpServersHere({ every: { ...everyday(), timeoutMs: 150 } });
  for (let at = 0; at < 3; at += 1)
    await expect(here.call("mcp__every__hang")).rejects.toThrow("every: it did not answer within 150 ms");
  await until(async () => pids(await here.notes()).length === 2 || (await here.tools()).tools.length === 0);
  await until(async () => (await here.tools()).tools.length > 0 && pids(await here.notes()).length === 2);
});

proves("MS-3", "a server with 10 MB of schema is refused by name, however it sends them", async () => {
  await using here = await mcpServersHere({
    vast: everyday("--schema-bytes", "10000000"),
    large: everyday("--schema-bytes", "2000000"),
  });
  const { tools, problems } = await here.tools();
  expect(tools).toEqual([]);
  expect(problems).toEqual([
    expect.stringContaining("large: the schemas of its tools are larger than 1048576 bytes"),
    expect.stringContaining("vast: the schemas of its tools are larger than 1048576 bytes"),
  ]);
});

proves("MS-3", "a server that floods is ended by name", async () => {
  await using here = await mcpServersHere({ every: everyday("--floods") });
  await here.tools();
  await until(() => here.logged.some((line) => line.includes("messages that nobody asked for")));
  const [pid] = pids(await here.notes()).map((line) => Number(line.slice("pid ".length)));
  await until(() => !isAlive(pid ?? 0));
});

proves("MS-3", "a large result is cut with a note, and a failed one is an error", async () => {
  await using here = await mcpServersHere({ every: everyday() });
  const large = textOf(await here.call("mcp__every__large", { bytes: 3_000_000 }));
  expect(large.length).toBeLessThan(1_100_000);
  expect(large).toContain("[cut: the result is larger than 1048576 bytes]");
  expect(await here.call("mcp__every__fail")).toMatchObject({ isError: true });
  expect(await here.call("mcp__every__echo", { wrong: 1 })).toMatchObject({ isError: true });
});

proves("MS-4", "a server that changes its tools: the next turn sees them", async () => {
  await using here = await mcpServersHere({ every: everyday() });
  await here.call("mcp__every__grow");
  await until(async () => (await here.tools()).tools.some(({ name }) => name === "mcp__every__grown"));
  expect(textOf(await here.call("mcp__every__grown"))).toBe("grown");
});

proves("MS-4", "odd letters in a tool's name are replaced, and the tool is still found", async () => {
  await using here = await mcpServersHere({ every: everyday() });
  const odd = (await here.tools()).tools.find(({ description }) => description === "Odd.");
  expect(odd?.name).toMatch(/^mcp__every__odd_name_with_letters_[0-9a-f]{8}$/);
  expect(textOf(await here.call(odd?.name ?? ""))).toBe("odd");
});

test("allow and deny choose tools; agents choose sessions; strict sessions need a word", async () => {
  await using here = await mcpServersHere({
    every: { ...everyday(), tools: { allow: ["e*", "count"], deny: ["co*"] }, agents: ["nomos"] },
  });
  expect((await here.tools()).tools.map(({ name }) => name)).toEqual(["mcp__every__echo"]);
  expect((await here.tools("s2", { agent: "claude" })).tools).toEqual([]);
  const strict = await here.tools("s3", { sandbox: "strict" });
  expect(strict.tools).toEqual([]);
  expect(strict.problems.join()).toContain("every runs outside of this session's walls");
});

test("settings that change or go end the old process", async () => {
  await using here = await mcpServersHere({ every: everyday() });
  await here.tools();
  const [pid] = pids(await here.notes()).map((line) => Number(line.slice("pid ".length)));
  await here.servers.remove("every");
  expect(isAlive(pid ?? 0)).toBe(false);
  expect((await here.tools()).tools).toEqual([]);
  await expect(here.servers.test("every")).rejects.toMatchObject({ code: "mcp_server_not_found" });
});

test("an aborted call rejects at once, and the server goes on", async () => {
  await using here = await mcpServersHere({ every: everyday() });
  await here.tools();
  const stop = new AbortController();
  const call = here.call("mcp__every__hang", {}, "s1", stop.signal);
  setTimeout(() => stop.abort(new Error("the turn was interrupted")), 100);
  await expect(call).rejects.toThrow("the turn was interrupted");
  expect(textOf(await here.call("mcp__every__count"))).toContain("call 1 of");
});
