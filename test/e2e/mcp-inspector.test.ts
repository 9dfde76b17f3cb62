import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { outsideProgram } from "../../tools/outside-program.ts";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";

/** Null where it is not in the cache and cannot be fetched. */
const inspector = await outsideProgram("@modelcontextprotocol/inspector").catch((reason: unknown) => {
  console.warn(`skipped: the inspector cannot be fetched (${String(reason)})`);
  return null;
});

const INSPECT_MAX_MS = 120_000;

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

async function inspect(...args: readonly string[]): Promise<unknown> {
  const target = [`${daemon.url}/mcp`, "--transport", "http", "--header", `Authorization: Bearer ${daemon.token}`];
  const { stdout } = await promisify(execFile)(process.execPath, [inspector ?? "", "--cli", ...target, ...args]);
  return JSON.parse(stdout);
}

test.skipIf(inspector === null)(
  "the MCP inspector lists, calls and reads",
  async () => {
    const { tools } = Object(await inspect("--method", "tools/list"));
    expect(tools.map(({ name }: { name: string }) => name)).toContain("agent_start");
    const started = await inspect(
      "--method",
      "tools/call",
      "--tool-name",
      "session_start",
      "--tool-arg",
      "adapter=demo",
    );
    expect(started).toMatchObject({ structuredContent: { adapterSlug: "demo" } });
    const { resources } = Object(await inspect("--method", "resources/list"));
    expect(resources.map(({ uri }: { uri: string }) => uri).join()).toContain("nomos://sessions/");
    const { prompts } = Object(await inspect("--method", "prompts/list"));
    expect(prompts).toMatchObject([{ name: "session_handoff" }]);
  },
  INSPECT_MAX_MS,
);
