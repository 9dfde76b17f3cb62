import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../../support/daemon.ts";
import { proves } from "../../support/proves.ts";
import { whenTestEnds } from "../../support/test-end.ts";
import { CALLER, callAs } from "../support/caller.ts";
import { plantDriver } from "../support/driver-file.ts";
import { addAgent, startWithAgents } from "../support/fake-agents.ts";
import {
  eventsOf,
  expectOk,
  expectRefusal,
  linesOf,
  newFolder,
  PATIENCE,
  type Refused,
  type Session,
  start,
  turn,
} from "../support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
let file: string;
beforeAll(async () => {
  daemon = await startWithAgents({});
  file = join(daemon.home, "..", "shows.ts");
  await writeFile(file, SHOWS);
});
afterAll(() => daemon[Symbol.asyncDispose]());

/** Writes what its processes hold into files, where nothing is redacted. The prompt is a list of variables. */
const SHOWS = `import { writeFileSync } from "node:fs";
export default async ({ input, say, tools }) => {
  for (const name of input.split(" ")) {
    writeFileSync("driver-" + name, process.env[name] ?? "none");
    const { outcome, message } = await tools.run('printf %s "\${' + name + ':-none}" > command-' + name);
    await say(outcome + " " + (message ?? ""));
  }
};`;

const canary = () => `canary-${randomBytes(12).toString("hex")}`;
const seal = async (name: string, more: object = {}, as: Record<string, string> = {}): Promise<string> => {
  const value = canary();
  expectOk(await daemon.call("POST", "/api/secrets", { name, value, ...more }, as), 201);
  return value;
};
const shows = async (body: object): Promise<Session> => start(daemon, { adapter: "script", file, ...body });
const heldBy = async ({ cwd }: { readonly cwd: string }, name: string) => ({
  driver: await readFile(join(cwd, `driver-${name}`), "utf8"),
  command: await readFile(join(cwd, `command-${name}`), "utf8"),
});
const change = async (config: object) => expectOk(await daemon.call("PUT", "/api/config", { config }));

proves("USE-1", "a session's processes hold its secrets as variables, those of a neighbour hold none", async () => {
  const value = await seal("DEPLOY_KEY");
  const other = await seal("bound.key", { bind: [{ host: "api.example.org", env: "BOUND_KEY" }] });
  const mine = await shows({ secrets: ["DEPLOY_KEY", "bound.key"] });
  const neighbour = await shows({ cwd: mine.cwd });
  await turn(daemon, mine.id, "DEPLOY_KEY BOUND_KEY");
  expect(await heldBy(mine, "DEPLOY_KEY")).toEqual({ driver: value, command: value });
  expect(await heldBy(mine, "BOUND_KEY")).toEqual({ driver: other, command: other });
  await turn(daemon, neighbour.id, "DEPLOY_KEY");
  expect(await heldBy(mine, "DEPLOY_KEY")).toEqual({ driver: "none", command: "none" });
  const [opened] = await eventsOf(daemon, mine.id);
  expect(opened?.data["spec"]).toMatchObject({ secrets: ["DEPLOY_KEY", "bound.key"] });
  const { body } = await daemon.call<{ uses: number; lastUsedAt: string }>("GET", "/api/secrets/DEPLOY_KEY");
  expect(body.lastUsedAt).toBeTruthy();
});

proves("USE-1", "an agent's process that serves many sessions serves no other one when it holds secrets", async () => {
  const value = await seal("AGENT_KEY");
  await addAgent(daemon, "many", [], { capabilities: { many_sessions: true } });
  const cwd = await newFolder();
  const said = async (id: string, name: string) => {
    await turn(daemon, id, `env ${name}`);
    return (await linesOf(daemon, id)).filter((line) => line.startsWith(`env ${name}=`)).at(-1);
  };
  const holder = await start(daemon, { adapter: "many", cwd, secrets: ["AGENT_KEY"] });
  const others = [await start(daemon, { adapter: "many", cwd }), await start(daemon, { adapter: "many", cwd })];
  expect(await said(holder.id, "AGENT_KEY")).toMatch(/^env AGENT_KEY=\[redacted:vault:[0-9a-f]{12}\]$/);
  for (const { id } of others) expect(await said(id, "AGENT_KEY")).toBe("env AGENT_KEY=");
  expect(JSON.stringify(await eventsOf(daemon, holder.id))).not.toContain(value);
});

proves(
  "USE-2",
  "a name that is missing, somebody else's or no variable is refused before a session exists",
  async () => {
    const count = async () =>
      expectOk(await daemon.call<{ sessions: [] }>("GET", "/sessions?limit=1000")).sessions.length;
    const issued = await daemon.call<{ secret: string }>("POST", "/api/tokens", {
      capabilities: ["session.spawn", "session.read", "session.prompt", "secret.write", "secret.read"],
    });
    const as = { authorization: `Bearer ${expectOk(issued, 201).secret}` };
    await seal("OPERATORS_KEY");
    await seal("THEIR_KEY", {}, as);
    await seal("LD_PRELOAD");
    await seal("not.variable");
    const cwd = await newFolder();
    expectOk(await daemon.call("POST", "/api/workspaces", { slug: "shared", path: cwd }), 201);
    const before = await count();
    const refused = async (secrets: readonly string[], code: string, headers: Record<string, string> = {}) => {
      const body = { adapter: "demo", cwd, secrets };
      const answer = await daemon.call<Refused>("POST", "/sessions/agent", body, headers);
      expect(answer.body.error?.code, answer.text).toBe(code);
    };
    await refused(["NO_SUCH_KEY"], "secret_not_found");
    await refused(["OPERATORS_KEY"], "secret_not_found", as);
    await refused(["THEIR_KEY"], "secret_not_found");
    await refused(["LD_PRELOAD"], "secret_not_variable");
    await refused(["not.variable"], "secret_not_variable");
    expect(await count()).toBe(before);
  },
);

proves("USE-2", "a session below another gets what its parent has, and nothing else", async () => {
  const value = await seal("PARENT_KEY");
  await seal("UNHELD_KEY");
  await change({ drivers: { caller: { file: await plantDriver(CALLER) }, shows: { file } } });
  expectOk(await daemon.call("POST", "/api/agents", { slug: "below", driver: "shows" }), 201);
  expectOk(await daemon.call("POST", "/api/agents", { slug: "above", driver: "caller", delegatesTo: ["below"] }), 201);
  const parent = await start(daemon, { adapter: "caller", agent: "above", secrets: ["PARENT_KEY"] });
  const spawn = (secrets?: readonly string[]) =>
    ["POST", "/sessions/agent", { adapter: "shows", agent: "below", secrets }] as const;
  const [none, held, unheld, missing] = await callAs(daemon, parent.id, [
    ...[spawn(), spawn(["PARENT_KEY"]), spawn(["UNHELD_KEY"]), spawn(["NO_SUCH_KEY"])],
  ]);
  for (const answer of [unheld, missing]) expect(answer?.[1]).toMatchObject({ error: { code: "secret_not_found" } });
  const child = held?.[1] as Session;
  await turn(daemon, child.id, "PARENT_KEY UNHELD_KEY");
  expect(await heldBy(child, "PARENT_KEY")).toEqual({ driver: value, command: value });
  expect(await heldBy(child, "UNHELD_KEY")).toEqual({ driver: "none", command: "none" });
  const bare = none?.[1] as Session;
  await turn(daemon, bare.id, "PARENT_KEY");
  expect(await heldBy(bare, "PARENT_KEY")).toEqual({ driver: "none", command: "none" });
});

proves("USE-3", "a driver's variable comes from the vault; a missing one fails the turn by name", async () => {
  const value = await seal("DRIVER_KEY");
  const env = { API_KEY: { secret: "DRIVER_KEY" }, PLAIN: "plain-text" };
  await change({ drivers: { shows: { file, env } } });
  const { id, cwd } = await start(daemon, { adapter: "shows" });
  await turn(daemon, id, "API_KEY PLAIN");
  // The driver's process alone: commands of the agent do not get it.
  expect(await heldBy({ cwd }, "API_KEY")).toEqual({ driver: value, command: "none" });
  expect(await heldBy({ cwd }, "PLAIN")).toMatchObject({ driver: "plain-text" });
  const stored = await readFile(join(daemon.home, "config.json"), "utf8");
  expect(JSON.parse(stored)).toMatchObject({ drivers: { shows: { env: { API_KEY: { secret: "DRIVER_KEY" } } } } });
  expectOk(await daemon.call("DELETE", "/api/secrets/DRIVER_KEY"));
  expect(await turn(daemon, id, "API_KEY")).toMatchObject({ outcome: "failed" });
  expect((await linesOf(daemon, id)).join("\n")).toContain("There is no secret DRIVER_KEY.");
  await change({ drivers: { shows: { file } } });
});

proves("USE-4", "`sandbox explain` says which secrets a session holds, names only to their owner", async () => {
  await seal("SHOWN_KEY");
  await change({ drivers: { shows: { file, env: { API_KEY: { secret: "GONE_KEY" } } } } });
  const { id } = await start(daemon, { adapter: "shows", secrets: ["SHOWN_KEY"] });
  const { stdout } = await daemon.cli("sandbox", "explain", id);
  expect(stdout).toContain("a process that is given a secret holds it");
  expect(stdout).toContain("SHOWN_KEY  (its processes hold it as SHOWN_KEY)");
  expect(stdout).toContain("GONE_KEY  (its driver's process holds it as API_KEY; There is no secret GONE_KEY.)");
  const issued = await daemon.call<{ secret: string }>("POST", "/api/tokens", { capabilities: ["session.read"] });
  const as = { authorization: `Bearer ${expectOk(issued, 201).secret}` };
  const seen = await daemon.call("GET", `/sessions/${id}/sandbox`, undefined, as);
  expect(expectOk(seen)["secrets"]).toMatchObject([{ name: null }, { name: null }]);
  expect(seen.text).not.toMatch(/SHOWN_KEY|GONE_KEY/);
  await change({ drivers: { shows: { file } } });
});

proves(
  "USE-3",
  "a model's key is read from the vault for each request; list and test say what is wrong with it",
  async () => {
    const heard: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      heard.push(request.headers.authorization, request.headers["x-team"] as string | undefined);
      response.writeHead(401, { "content-type": "application/json" }).end('{"error":{"message":"no"}}');
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    whenTestEnds(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const [value, team] = [await seal("ACME_KEY"), await seal("TEAM_KEY")];
    const added = await daemon.cli(
      ...["model", "add", "acme", "--api", "openai-chat", "--base-url", `http://127.0.0.1:${port}/v1`],
      ...["--model", "large", "--key", "secret:ACME_KEY"],
    );
    expect(added.exitCode, added.stderr).toBe(0);
    const { config } = expectOk(
      await daemon.call<{ config: { models: { providers: { acme: object } } } }>("GET", "/api/config"),
    );
    const acme = { ...config.models.providers.acme, headers: { "x-team": { secret: "TEAM_KEY" } } };
    await change({ models: { ...config.models, providers: { acme } } });
    const tried = async () =>
      expectOk(await daemon.call<{ says: string }>("POST", "/api/models/test", { model: "acme/large" })).says;
    const listed = async () =>
      expectOk(await daemon.call<{ models: { name: string; key: unknown }[] }>("GET", "/api/models")).models.find(
        ({ name }) => name === "acme/large",
      )?.key;
    expect(await tried()).toContain("it comes from the secret ACME_KEY");
    expect(heard.slice(0, 2)).toEqual([`Bearer ${value}`, team]);
    expect(await listed()).toEqual({ source: "secret ACME_KEY", isThere: true });
    expectOk(await daemon.call("DELETE", "/api/secrets/ACME_KEY"));
    expect(await tried()).toBe(
      "The key comes from the secret ACME_KEY: There is no secret ACME_KEY. Run `nomos secret set ACME_KEY`.",
    );
    expect(await listed()).toEqual({
      source: "secret ACME_KEY",
      isThere: false,
      problem: "There is no secret ACME_KEY.",
    });
  },
);

proves(
  "USE-5",
  "secrets survive a restart and a fork; with the vault locked the turn says so, and runs later",
  async () => {
    await using own = await startDaemon({ outlivesTest: true });
    const value = canary();
    expectOk(await own.call("POST", "/api/secrets", { name: "LASTING_KEY", value }), 201);
    const session = await start(own, { adapter: "script", file, secrets: ["LASTING_KEY"] });
    await turn(own, session.id, "LASTING_KEY");
    const fork = expectOk(await own.call<Session>("POST", `/sessions/${session.id}/fork`, {}), 201);
    await turn(own, fork.id, "LASTING_KEY");
    expect(await heldBy(fork, "LASTING_KEY")).toEqual({ driver: value, command: value });
    await own.stop();
    const key = join(own.home, "keys", "vault.key");
    await rename(key, `${key}.away`);
    await using again = await startDaemon({ home: own.home, outlivesTest: true });
    expect(await turn(again, session.id, "LASTING_KEY")).toMatchObject({ outcome: "failed" });
    expect((await linesOf(again, session.id)).join("\n")).toContain("The vault is locked.");
    const refused = await again.call("POST", "/sessions/agent", {
      adapter: "demo",
      cwd: "/",
      secrets: ["LASTING_KEY"],
    });
    expectRefusal(refused, 503, "vault_locked");
    await rename(`${key}.away`, key);
    expectOk(await again.call("POST", "/api/vault/unlock", {}));
    expect(await turn(again, session.id, "LASTING_KEY")).toMatchObject({ outcome: "completed" });
    expect(await heldBy(session, "LASTING_KEY")).toEqual({ driver: value, command: value });
  },
);

proves(
  "USE-6",
  "`nomos run` says that a prompt held a secret, with --quiet and for a session that exists",
  async () => {
    const value = await seal("PASTED_KEY");
    const told = /secret.*\(vault\): the agent gets a mark in/;
    const first = await daemon.cli("run", "-q", "-a", "demo", "-C", await newFolder(), `use ${value}`);
    expect(first.stderr).toMatch(told);
    const { id } = await start(daemon);
    expect((await daemon.cli("run", "-q", "-s", id, `use ${value}`)).stderr).toMatch(told);
    expect((await daemon.cli("prompt", id, `use ${value}`)).stdout).toContain("secret in the prompt");
    const missing = await daemon.cli("run", "-a", "demo", "--secret", "NO_SUCH_KEY", "hello");
    expect(missing.stderr).toContain("There is no secret NO_SUCH_KEY.");
  },
);

proves(
  "USE-7",
  "`.env` goes into a worktree only where a person said so, and is named when it holds a secret",
  async () => {
    const value = await seal("ENV_FILE_KEY");
    const repo = await newFolder();
    const git = (...args: readonly string[]) => execFileSync("git", ["-C", repo, ...args], { env: GIT_ENVIRONMENT });
    await writeFile(join(repo, ".gitignore"), ".env\n");
    await writeFile(join(repo, ".env"), `KEY=${value}\n`);
    git("init", "--quiet");
    git("add", ".gitignore");
    git("commit", "--quiet", "-m", "first");
    const begin = async () =>
      expectOk(
        await daemon.call<Session & { warnings?: string[] }>("POST", "/sessions/agent", {
          ...{ adapter: "demo", cwd: repo, worktree: true },
        }),
        201,
      );
    const plain = await begin();
    expect(existsSync(join(plain.cwd, ".env"))).toBe(false);
    expect(plain.warnings).toBeUndefined();
    await change({ worktree: { carry: [".env*"] } });
    const carried = await begin();
    expect(existsSync(join(carried.cwd, ".env"))).toBe(true);
    expect(carried.warnings?.join()).toContain("hold secrets of the vault: .env.");
    await change({ worktree: null });
  },
);

proves("USE-8", "keys in config.json are found and moved into the vault; a move that was cut is finished", async () => {
  const [driver, header, server] = [canary(), canary(), canary()];
  const config = {
    drivers: { shows: { file, env: { API_TOKEN: driver, MODE: "careful", KEY_FILE: "/etc/keys/some-file" } } },
    models: {
      providers: {
        acme: { api: "openai-chat", baseUrl: "http://127.0.0.1:9/v1", headers: { "x-team-key": `Bearer ${header}` } },
      },
    },
    mcpServers: { notes: { command: "/bin/true", env: { NOTES_SECRET: server }, disabled: true } },
  };
  await change(config);
  const doctor = await daemon.cli("doctor");
  expect(doctor.stdout).toContain("a key lies in config.json: drivers.shows.env.API_TOKEN");
  expect(doctor.stdout).toContain("nomos secret import --config moves it, as API_TOKEN");
  expect(doctor.stdout).not.toMatch(/MODE|KEY_FILE/);
  // As if a move had been killed after the vault had the value and before the configuration was written.
  expectOk(await daemon.call("POST", "/api/secrets", { name: "API_TOKEN", value: driver }), 201);
  const moved = await daemon.cli("secret", "import", "--config");
  expect(moved.exitCode, moved.stderr).toBe(0);
  const stored = await readFile(join(daemon.home, "config.json"), "utf8");
  for (const value of [driver, header, server]) expect(stored).not.toContain(value);
  expect(JSON.parse(stored)).toMatchObject({
    drivers: { shows: { env: { API_TOKEN: { secret: "API_TOKEN" }, MODE: "careful" } } },
    models: { providers: { acme: { headers: { "x-team-key": { secret: "ACME_X_TEAM_KEY", prefix: "Bearer " } } } } },
    mcpServers: { notes: { env: { NOTES_SECRET: { secret: "NOTES_SECRET" } } } },
  });
  const { id, cwd } = await start(daemon, { adapter: "shows" });
  await turn(daemon, id, "API_TOKEN");
  expect(await heldBy({ cwd }, "API_TOKEN")).toMatchObject({ driver });
  expect((await daemon.cli("doctor")).stdout).not.toContain("a key lies in config.json");
  await change({ drivers: { shows: { file } }, models: null, mcpServers: null });
});

const PERSON = { NAME: "P", EMAIL: "p@example.org" };
const GIT_ENVIRONMENT = {
  PATH: process.env["PATH"],
  ...Object.fromEntries(
    Object.entries(PERSON).flatMap(([key, value]) => [
      [`GIT_AUTHOR_${key}`, value],
      [`GIT_COMMITTER_${key}`, value],
    ]),
  ),
};
