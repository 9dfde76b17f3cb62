import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { type Answer, newHome, startDaemon, type TestDaemon } from "../support/daemon.ts";
import { mcpClient } from "../support/mcp-client.ts";
import { proves } from "../support/proves.ts";
import { expectOk, expectRefusal, PATIENCE, start } from "./support/talk.ts";

vi.setConfig(PATIENCE);

/** What a viewer's token can see, and which names could confuse the daemon. */
const SECRET = "hunter2hunter2";
const STORED = {
  anchors: { witness: { url: `http://me:${SECRET}@127.0.0.1:9/log`, key: "none" } },
  drivers: {
    mine: { command: "/bin/true", args: ["acp", "--api-key", SECRET, `--key=${SECRET}`], env: { API_KEY: SECRET } },
    gemini: { env: { GEMINI_API_KEY: SECRET } },
  },
  future: { password: SECRET },
};
const manifest = JSON.stringify({
  ...{ id: "added", name: "added", description: "", protocol: "print", bin: "/bin/true", bin_args: ["-k", SECRET] },
  env: { TOKEN: SECRET },
  modes: [{ id: "m", env: { TOKEN: SECRET }, bin_args_append: [`--token=${SECRET}`] }],
  print: { schema: "claude", args: ["--password", SECRET] },
});

let daemon: TestDaemon;
let viewer: Readonly<Record<string, string>>;
let viewerToken: string;
beforeAll(async () => {
  const home = await newHome();
  await mkdir(home, { recursive: true, mode: 0o700 });
  await writeFile(join(home, "config.json"), JSON.stringify(STORED));
  daemon = await startDaemon({ home, outlivesTest: true });
  expectOk(await daemon.call("POST", "/api/drivers", { manifest }), 201);
  const capabilities = ["session.list", "session.read", "agent.read", "audit.read", "system.read", "workspace.read"];
  viewerToken = expectOk(await daemon.call<{ secret: string }>("POST", "/api/tokens", { capabilities }), 201).secret;
  viewer = { authorization: `Bearer ${viewerToken}` };
});
afterAll(() => daemon[Symbol.asyncDispose]());

proves(
  "TK-5",
  "a viewer and the operator read everything: no secret of the configuration is in any answer",
  async () => {
    const { id } = await start(daemon);
    const paths = ["/api/config", "/api/drivers", "/api/drivers/mine", "/api/drivers/gemini", "/api/drivers/added"];
    const more = [
      "/api/status",
      "/api/doctor",
      "/api/metrics",
      "/api/agents",
      "/openapi.json",
      "/api/audit/checkpoint",
    ];
    for (const path of [...paths, ...more, `/sessions/${id}/sandbox`, "/api/audit/entries?limit=500"])
      for (const headers of [viewer, {}]) {
        const { status, text } = await daemon.call("GET", path, undefined, headers);
        expect([path, status]).toEqual([path, 200]);
        expect(text, path).not.toContain(SECRET);
      }
    const { text } = await daemon.call("GET", "/api/drivers/mine/check");
    expect(text).not.toContain(SECRET);
    const client = await mcpClient({ url: daemon.url, token: viewerToken }, "2025-11-25");
    expect(JSON.stringify(await client.callTool({ name: "config_show", arguments: {} }))).not.toContain(SECRET);
    for (const words of [["config"], ["config", "get", "drivers.mine.env.API_KEY"], ["driver", "show", "added"]])
      expect((await daemon.cli(...words)).stdout).not.toContain(SECRET);
    expect(await readFile(join(daemon.home, "logs", "daemon.log"), "utf8")).not.toContain(SECRET);
  },
);

proves(
  "TK-5",
  "a client reads the configuration, changes one value and writes it back: no secret is lost",
  async () => {
    const stored = async () => JSON.parse(await readFile(join(daemon.home, "config.json"), "utf8"));
    const { config } = expectOk(await daemon.call<{ config: object }>("GET", "/api/config"));
    expectOk(await daemon.call("PUT", "/api/config", { config: { ...config, turnTimeoutMs: 60_000 } }));
    expect(await stored()).toEqual({ ...STORED, turnTimeoutMs: 60_000 });
    const set = await daemon.cli("config", "set", "drivers.mine.home", "/tmp");
    expect([set.exitCode, set.stdout]).toEqual([0, expect.not.stringContaining(SECRET)]);
    expect((await stored()).drivers.mine).toEqual({ ...STORED.drivers.mine, home: "/tmp" });
    const moved = { drivers: { evil: { env: { X: "[hidden]" } } } };
    expectRefusal(await daemon.call("PUT", "/api/config", { config: moved }), 400, "invalid_request");
  },
);

/** Refused with a code of the catalogue: a bug would give `internal`. */
const expectKnown = ({ status, text }: Answer<unknown>): void => {
  expect(status, text).toBeGreaterThanOrEqual(400);
  expect(text).not.toContain("internal");
};

const ODD = ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf", "__defineGetter__", "prototype"];

proves(
  "TK-13",
  "names like `constructor`, which every object inherits, are not found, or stored as they are",
  async () => {
    const { id } = await start(daemon);
    const client = await mcpClient({ url: daemon.url, token: daemon.token }, "2025-11-25");
    for (const name of ODD) {
      const path = `/sessions/${id}/artifacts/content?path=${name}`;
      expectRefusal(await daemon.call("GET", path), 404, "artifact_not_found");
      expectRefusal(await daemon.call("GET", `${path}&version=1`), 404, "artifact_not_found");
      for (const from of ["agents", "drivers", "worktrees", "workspaces", "tokens", "blobs", "docs"])
        expectKnown(await daemon.call("GET", `/api/${from}/${name}`));
      for (const [method, at, body] of [
        ["DELETE", `/api/tokens/${name}`, undefined],
        ["POST", "/sessions/agent", { adapter: name, cwd: "/tmp" }],
        ["POST", "/sessions/agent", { adapter: "demo", agent: name, cwd: "/tmp" }],
        ["POST", "/sessions/agent", { adapter: "demo", ground: `ws://workspaces/${name}` }],
        ["POST", `/api/approvals/${name}/approve`, {}],
        ["PUT", "/api/config", { config: { drivers: { x: { permissions: name } } } }],
      ] as const)
        expectKnown(await daemon.call(method, at, body));
      await expect(client.callTool({ name, arguments: {} })).rejects.toThrow();
      const cli = await daemon.cli(name);
      expect([name, cli.exitCode]).toEqual([name, 2]);
    }
  },
);

proves(
  "TK-13",
  "an artifact with such a name is written, read and listed; a body with such fields changes nothing",
  async () => {
    const { id } = await start(daemon);
    for (const path of ODD) {
      expectOk(await daemon.call("POST", `/sessions/${id}/artifacts`, { path, content: path }), 201);
      const read = await daemon.call("GET", `/sessions/${id}/artifacts/content?path=${path}`);
      expect(expectOk(read)).toMatchObject({ path, content: path, version: 1 });
    }
    const { artifacts } = expectOk(await daemon.call<{ artifacts: object[] }>("GET", `/sessions/${id}/artifacts`));
    expect(artifacts).toHaveLength(ODD.length);
    const body = `{"__proto__":{"capabilities":["*"],"sandbox":"off"},"capabilities":["session.list"],"constructor":{"x":1}}`;
    expect(expectOk(await daemon.call("POST", "/api/tokens", body), 201)).toMatchObject({
      capabilities: ["session.list"],
      sandbox: "strict",
    });
    const tools = `{"slug":"odd","driver":"demo","tools":{"__proto__":"auto","constructor":"never"}}`;
    const { status } = await daemon.call("POST", "/api/agents", tools);
    expect(status).toBeLessThan(500);
  },
);
