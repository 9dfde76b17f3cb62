import { execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { type Answer, newHome, startDaemon, type TestDaemon } from "../support/daemon.ts";
import { proves } from "../support/proves.ts";
import { whenTestEnds } from "../support/test-end.ts";
import { GOVERNED_WRITES } from "./support/governed-writes.ts";
import {
  eventsOf,
  eventually,
  expectOk,
  expectRefusal,
  expectSound,
  idle,
  newFolder,
  PATIENCE,
  pendingOf,
  prompt,
  type Session,
  start,
  turn,
} from "./support/talk.ts";

vi.setConfig(PATIENCE);

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
  /** A request that must not reuse the key. */
  readonly other: Readonly<Record<string, unknown>>;
  /** Members of the answer that say what was done; the session itself may have changed since. */
  readonly same: readonly string[];
}

type Body = Readonly<Record<string, unknown>>;

const session = async (on: TestDaemon): Promise<Session> => {
  const one = await start(on, { cwd: join(on.home, "..") });
  await turn(on, one.id, "say hello");
  return one;
};
/** Of the own engine. */
const own = async (on: TestDaemon): Promise<Session> => {
  const one = await start(on, { adapter: "nomos", model: "demo/script", cwd: join(on.home, "..") });
  await turn(on, one.id, "say hello");
  return one;
};
const external = async (on: TestDaemon): Promise<{ readonly id: string; readonly turnId: string }> => {
  const { id } = expectOk(await on.call<{ id: string }>("POST", "/sessions/external", { pid: longLived() }), 201);
  const begun = await on.call<{ turnId: string }>("POST", `/sessions/${id}/turns`, { input: "task" });
  return { id, turnId: expectOk(begun, 201).turnId };
};
const longLived = (): number => {
  const agent = spawn("sleep", ["1000"]);
  whenTestEnds(() => void agent.kill("SIGKILL"));
  return agent.pid ?? 0;
};
const agent = async (on: TestDaemon): Promise<string> => {
  const slug = `a-${randomUUID().slice(0, 8)}`;
  expectOk(await on.call("POST", "/api/agents", { slug, driver: "demo" }), 201);
  return slug;
};
const place = async (on: TestDaemon): Promise<string> => {
  const slug = `w-${randomUUID().slice(0, 8)}`;
  expectOk(await on.call("POST", "/api/workspaces", { slug, path: join(on.home, "..") }), 201);
  return slug;
};
const newRepository = async (): Promise<string> => {
  const repo = await newFolder();
  const identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
  execFileSync("git", ["init", "--quiet", repo]);
  execFileSync("git", ["-C", repo, ...identity, "commit", "--quiet", "--allow-empty", "-m", "first"]);
  return repo;
};
/** A worktree that outlived its session. */
const keptTree = async (on: TestDaemon): Promise<Session> => {
  const repo = await newRepository();
  const tree = await start(on, { adapter: "demo", cwd: repo, worktree: true });
  await turn(on, tree.id, "write kept.txt kept");
  expectOk(await on.call("POST", `/sessions/${tree.id}/kill`, {}));
  return tree;
};
/** Sessions in worktrees of one repository, each with work to land, and the landing of the first under way. */
const landables = async (on: TestDaemon): Promise<readonly [string, string, string]> => {
  const repo = await newRepository();
  const made: string[] = [];
  for (const name of ["a", "b", "c"]) {
    const tree = await start(on, { adapter: "demo", cwd: repo, worktree: true });
    await turn(on, tree.id, `write ${name}.txt ${name}`);
    made.push(tree.id);
  }
  const [first = "", second = "", third = ""] = made;
  return [first, second, third];
};
/** A landing that waits because somebody holds it. */
const held = async (on: TestDaemon, id: string): Promise<string> => {
  const queued = expectOk(await on.call<{ id: string }>("POST", `/sessions/${id}/land`, { checks: [["sleep", "2"]] }));
  await on.call("POST", `/api/landings/${queued.id}/hold`);
  return queued.id;
};
/** Held behind one that is checked. */
const twoHeld = async (on: TestDaemon): Promise<readonly [string, string]> => {
  const [first, second, third] = await landables(on);
  expectOk(await on.call("POST", `/sessions/${first}/land`, { checks: [["sleep", "2"]] }));
  return [await held(on, second), await held(on, third)];
};
const fanOut = async (on: TestDaemon): Promise<string> => {
  const body = { prompt: "write a.txt a", agents: ["demo", "demo"], cwd: await newRepository() };
  const { id } = expectOk(await on.call<{ id: string }>("POST", "/api/fan-outs", body), 201);
  expectOk(await on.call("GET", `/api/fan-outs/${id}/wait`));
  return id;
};
const manifest = (id: string, description = "installs, and speaks no protocol"): string =>
  JSON.stringify({
    ...{ id, name: "Tiny", description, protocol: "acp", bin: "tiny-agent" },
    install: [{ method: "npm", packages: [join(import.meta.dirname, "../fixtures/tiny-agent")] }],
  });
const driver = async (on: TestDaemon): Promise<string> => {
  const slug = `d-${randomUUID().slice(0, 8)}`;
  expectOk(await on.call("POST", "/api/drivers", { manifest: manifest(slug) }), 201);
  return slug;
};
const mcpServer = async (on: TestDaemon): Promise<string> => {
  const name = `m-${randomUUID().slice(0, 8)}`;
  expectOk(await on.call("POST", "/api/mcp-servers", { name, argv: ["true"] }), 201);
  return name;
};
const question = async (on: TestDaemon): Promise<string> => {
  const { id } = await session(on);
  await prompt(on, id, "ask may I?");
  return (await pendingOf(on, id)).id;
};
const post = (path: string, body: Body, other: Body, same: readonly string[]): Call => ({
  method: "POST",
  path,
  body,
  other,
  same,
});

/** All writes, by syscall name; a new one must be added here. */
const WRITES: { readonly [syscall: string]: (on: TestDaemon) => Promise<Call> } = {
  "session.start": async (on) => {
    const body = { adapter: "demo", cwd: join(on.home, ".."), prompt: "say once" };
    return post("/sessions/agent", body, { ...body, prompt: "say twice" }, ["id", "name"]);
  },
  "workspace.add": async (on) => {
    const slug = `w-${randomUUID().slice(0, 8)}`;
    const path = join(on.home, "..");
    return post("/api/workspaces", { slug, path, label: "a" }, { slug, path, label: "b" }, ["slug", "path"]);
  },
  "workspace.use": async (on) => post(`/api/workspaces/${await place(on)}/use`, {}, {}, ["slug", "path"]),
  "workspace.remove": async (on) => ({
    method: "DELETE",
    path: `/api/workspaces/${await place(on)}`,
    other: {},
    same: ["ok", "slug"],
  }),
  "worktree.attach": async (on) => {
    const { id } = await keptTree(on);
    const body = { adapter: "demo", label: "a" };
    return post(`/api/worktrees/${id}/attach`, body, { ...body, label: "b" }, ["id", "name", "cwd"]);
  },
  "worktree.remove": async (on) => {
    const { id, cwd } = await keptTree(on);
    await rm(join(cwd, "kept.txt"));
    return { method: "DELETE", path: `/api/worktrees/${id}`, other: {}, same: ["ok", "id"] };
  },
  "worktree.apply": async (on) => {
    const { id } = await keptTree(on);
    return post(`/sessions/${id}/worktree/apply`, {}, { dryRun: true }, ["ok", "id", "repository"]);
  },
  "worktree.gc": async (on) => {
    const { cwd } = await keptTree(on);
    await rm(join(cwd, "kept.txt"));
    return post("/api/worktrees/gc", {}, {}, ["removed"]);
  },
  "session.land": async (on) => {
    const [id] = await landables(on);
    return post(`/sessions/${id}/land`, {}, { how: "squash" }, ["id", "sessionId", "into", "state"]);
  },
  "landing.hold": async (on) => {
    const [first, second] = await landables(on);
    expectOk(await on.call("POST", `/sessions/${first}/land`, { checks: [["sleep", "2"]] }));
    const { id } = expectOk(await on.call<{ id: string }>("POST", `/sessions/${second}/land`, {}));
    return post(`/api/landings/${id}/hold`, { reason: "a" }, { reason: "b" }, ["id", "held"]);
  },
  "landing.release": async (on) => {
    const [id] = await twoHeld(on);
    return post(`/api/landings/${id}/release`, {}, {}, ["id"]);
  },
  "landing.move": async (on) => {
    const [first, second] = await twoHeld(on);
    return post(`/api/landings/${second}/move`, { before: first }, { before: second }, ["id", "state"]);
  },
  "landing.eject": async (on) => {
    const [id] = await twoHeld(on);
    return post(`/api/landings/${id}/eject`, { reason: "a" }, { reason: "b" }, ["id", "state", "reason"]);
  },
  "fan-out.start": async () => {
    const body = { prompt: "write a.txt a", agents: ["demo", "demo"], cwd: await newRepository() };
    return post("/api/fan-outs", body, { ...body, prompt: "write a.txt b" }, ["id", "name", "base"]);
  },
  "fan-out.land": async (on) => {
    const id = await fanOut(on);
    return post(`/api/fan-outs/${id}/land`, { session: "best" }, { session: "demo" }, ["id", "landing"]);
  },
  "fan-out.drop": async (on) => {
    const id = await fanOut(on);
    return post(`/api/fan-outs/${id}/drop`, { all: true }, { all: true, dryRun: true }, ["id"]);
  },
  "session.prompt": async (on) => {
    const { id } = await session(on);
    return post(`/sessions/${id}/prompt`, { prompt: "say x" }, { prompt: "say y" }, ["ok", "id", "turnId", "queued"]);
  },
  "session.interrupt": async (on) => {
    const { id } = await session(on);
    await prompt(on, id, "sleep 60000");
    return post(`/sessions/${id}/interrupt`, {}, {}, ["ok", "id", "wasBusy"]);
  },
  "session.suspend": async (on) => {
    const { id } = await session(on);
    return post(`/sessions/${id}/suspend`, { reason: "a" }, { reason: "b" }, ["id", "state"]);
  },
  "session.resume": async (on) => {
    const { id } = await session(on);
    expectOk(await on.call("POST", `/sessions/${id}/suspend`));
    return post(`/sessions/${id}/resume`, {}, {}, ["id"]);
  },
  "session.hibernate": async (on) => post(`/sessions/${(await session(on)).id}/hibernate`, {}, {}, ["id", "state"]),
  "session.kill": async (on) => {
    const { id } = await session(on);
    return post(`/sessions/${id}/kill`, { reason: "a" }, { reason: "b" }, ["ok", "id"]);
  },
  "session.forget": async (on) => {
    const { id } = await session(on);
    return { method: "DELETE", path: `/sessions/${id}`, other: {}, same: ["ok", "id"] };
  },
  "session.label": async (on) => {
    const { id } = await session(on);
    return post(`/sessions/${id}/label`, { label: "a" }, { label: "b" }, ["id", "label"]);
  },
  "session.prune": async () => post("/api/sessions/prune", { label: "nobody's" }, { label: "other" }, ["forgotten"]),
  "session.rename": async (on) => {
    const { id } = await session(on);
    return post(`/sessions/${id}/rename`, { title: "a" }, { title: "b" }, ["id", "title"]);
  },
  "session.fork": async (on) => {
    const { id, head } = await session(on);
    return post(`/sessions/${id}/fork`, { label: "a" }, { at: head }, ["id", "name", "forkedFrom"]);
  },
  "session.rewind": async (on) => {
    const { id } = await session(on);
    const [first, second] = await eventsOf(on, id);
    return post(`/sessions/${id}/rewind`, { to: first?.id }, { to: second?.id }, ["id"]);
  },
  "session.mark": async (on) => {
    const { id, head } = await session(on);
    const marked = { event: head, label: "a" };
    return post(`/sessions/${id}/marks`, marked, { ...marked, label: "b" }, ["id", "eventId", "label"]);
  },
  "session.snapshot": async (on) => {
    const { id } = await session(on);
    return post(`/sessions/${id}/snapshot`, {}, {}, ["id", "snapshot"]);
  },
  "session.erase": async (on) => {
    const { id } = await session(on);
    const [said] = await eventsOf(on, id, "types=message.completed");
    const events = [said?.id];
    return post(`/sessions/${id}/erase`, { events, reason: "a" }, { events, reason: "b" }, ["ok", "erased"]);
  },
  "session.configure": async (on) => {
    const { id } = await session(on);
    return post(`/sessions/${id}/configure`, {}, { options: {} }, ["id"]);
  },
  "session.compact": async (on) => {
    const { id } = await own(on);
    return post(`/sessions/${id}/compact`, { focus: "a" }, { focus: "b" }, ["id", "name"]);
  },
  "session.switch": async (on) => {
    const { id } = await own(on);
    return post(`/sessions/${id}/switch`, { agent: "demo" }, { agent: "script" }, ["id", "agent"]);
  },
  "session.note": async (on) => {
    const { id } = await session(on);
    return post(`/sessions/${id}/note`, { text: "a" }, { text: "b" }, ["ok", "id"]);
  },
  "session.ask": async (on) => {
    const { id } = await session(on);
    await prompt(on, id, "sleep 60000");
    await eventually("a running turn", async () => (await eventsOf(on, id, "types=turn.started")).length === 2);
    const body = (asked: string) => ({ question: asked, wait: false });
    return post(`/sessions/${id}/ask`, body("a"), body("b"), ["approvalId", "status"]);
  },
  "session.open": async () => {
    const pid = longLived();
    return post("/sessions/external", { pid, label: "a" }, { pid, label: "b" }, ["id", "name"]);
  },
  "session.finish": async (on) => {
    const { id } = await external(on);
    return post(`/sessions/${id}/finish`, { exitCode: 0 }, { exitCode: 1 }, ["id", "exitCode"]);
  },
  "turn.begin": async (on) => {
    const { id, turnId } = await external(on);
    expectOk(await on.call("POST", `/sessions/${id}/turns/${turnId}/end`, {}));
    return post(`/sessions/${id}/turns`, { input: "a" }, { input: "b" }, ["id", "turnId"]);
  },
  "turn.end": async (on) => {
    const { id, turnId } = await external(on);
    const path = `/sessions/${id}/turns/${turnId}/end`;
    return post(path, { outcome: "completed" }, { outcome: "failed" }, ["id", "turnId", "eventId"]);
  },
  "turn.say": async (on) => {
    const { id, turnId } = await external(on);
    return post(`/sessions/${id}/turns/${turnId}/messages`, { text: "a" }, { text: "b" }, ["ids"]);
  },
  "event.add": async (on) => {
    const { id } = await session(on);
    const events = (payload: number) => ({ events: [{ type: "note", payload }] });
    return post(`/sessions/${id}/events`, events(1), events(2), ["ids"]);
  },
  "artifact.write": async (on) => {
    const { id } = await session(on);
    const same = ["artifactId", "path", "version", "eventId"];
    return post(`/sessions/${id}/artifacts`, { path: "a", content: "x" }, { path: "a", content: "y" }, same);
  },
  "todo.replace": async (on) => {
    const { id } = await session(on);
    const items = (text: string) => ({ items: [{ text, status: "open" }] });
    return { method: "PUT", path: `/sessions/${id}/todo`, body: items("a"), other: items("b"), same: ["items"] };
  },
  "approval.approve": async (on) =>
    post(`/api/approvals/${await question(on)}/approve`, { option: "yes" }, { option: "no" }, ["id", "status"]),
  "approval.reject": async (on) =>
    post(`/api/approvals/${await question(on)}/reject`, { reason: "a" }, { reason: "b" }, ["id", "status"]),
  "agent.create": async () => {
    const slug = `b-${randomUUID().slice(0, 8)}`;
    return post("/api/agents", { slug, driver: "demo" }, { slug, driver: "script" }, ["slug", "driver", "createdAt"]);
  },
  "agent.delete": async (on) => {
    const slug = await agent(on);
    return { method: "DELETE", path: `/api/agents/${slug}`, other: {}, same: ["ok", "slug"] };
  },
  "agent.default": async (on) => post(`/api/agents/${await agent(on)}/default`, {}, {}, ["slug"]),
  "driver.add": async () => {
    const slug = `d-${randomUUID().slice(0, 8)}`;
    return post("/api/drivers", { manifest: manifest(slug) }, { manifest: manifest(slug, "x") }, ["ok", "slug"]);
  },
  "driver.install": async (on) => post(`/api/drivers/${await driver(on)}/install`, {}, {}, ["slug", "installed"]),
  "driver.remove": async (on) => {
    const slug = await driver(on);
    return { method: "DELETE", path: `/api/drivers/${slug}`, other: {}, same: ["ok", "slug"] };
  },
  "model.add": async () => {
    const name = `p-${randomUUID().slice(0, 8)}`;
    const body = { name, api: "ollama", model: "a" };
    return post("/api/models", body, { ...body, model: "b" }, ["name", "api"]);
  },
  "model.test": async () =>
    post("/api/models/test", { model: "demo/script" }, { model: "demo/other" }, ["ok", "model"]),
  "model.default": async () => ({
    method: "PUT",
    path: "/api/models/default",
    body: { model: "demo/script" },
    other: { model: "demo/other" },
    same: ["default"],
  }),
  "model.remove": async (on) => {
    const name = `p-${randomUUID().slice(0, 8)}`;
    expectOk(await on.call("POST", "/api/models", { name, api: "ollama" }), 201);
    return { method: "DELETE", path: `/api/models/${name}`, other: {}, same: ["ok", "name"] };
  },
  "model.update": async () => post("/api/models/update", { reset: true }, { file: "/none" }, ["version"]),
  "mcp-server.add": async () => {
    const body = { name: `m-${randomUUID().slice(0, 8)}`, argv: ["true"] };
    return post("/api/mcp-servers", body, { ...body, argv: ["false"] }, ["name"]);
  },
  "mcp-server.test": async (on) => post(`/api/mcp-servers/${await mcpServer(on)}/test`, {}, {}, ["ok", "name"]),
  "mcp-server.remove": async (on) => {
    const name = await mcpServer(on);
    return { method: "DELETE", path: `/api/mcp-servers/${name}`, other: {}, same: ["ok", "name"] };
  },
  "sandbox.run": async (on) => {
    const body = { argv: ["true"], cwd: join(on.home, "..") };
    return post("/api/sandbox/run", body, { ...body, argv: ["false"] }, ["timedOut"]);
  },
  "audit.export": async (on) => {
    const to = join(on.home, "..", `export-${randomUUID()}`);
    return post("/api/audit/export", { to }, { to: `${to}-other` }, ["path", "size"]);
  },
  "system.backup": async (on) => {
    const to = join(on.home, "..", `backup-${randomUUID()}`);
    return post("/api/backup", { to }, { to: `${to}-other` }, ["path", "events"]);
  },
  "secret.set": async () => {
    const body = { name: `S${randomUUID().slice(0, 8)}`, value: `fake-${randomUUID()}` };
    return post("/api/secrets", body, { ...body, value: `fake-${randomUUID()}` }, ["name", "fingerprint"]);
  },
  "secret.import": async () => {
    const entries = [{ name: `S${randomUUID().slice(0, 8)}`, value: `fake-${randomUUID()}` }];
    return post("/api/secrets/import", { entries }, { entries: [{ name: "OTHER", value: randomUUID() }] }, [
      "imported",
    ]);
  },
  "secret.adopt": async () => post("/api/plaintext-keys/move", {}, {}, ["moved"]),
  "secret.rotate": async (on) => {
    const path = `/api/secrets/${await sealed(on)}`;
    const body = { value: `fake-${randomUUID()}` };
    return { method: "PUT", path, body, other: { value: `fake-${randomUUID()}` }, same: ["name", "fingerprint"] };
  },
  "secret.bind": async (on) => {
    const body = { bind: [{ host: "a.example" }] };
    return post(`/api/secrets/${await sealed(on)}/bind`, body, { bind: [] }, ["name", "bind"]);
  },
  "secret.remove": async (on) => {
    const path = `/api/secrets/${await sealed(on)}`;
    return { method: "DELETE", path, other: {}, same: ["ok", "name"] };
  },
  "secret.unlock": async () => post("/api/vault/unlock", {}, { passphrase: "another one" }, ["state"]),
  "secret.rekey": async () => post("/api/vault/rekey", { to: "file" }, { to: "keyring" }, ["state"]),
  "secret.recover": async () => post("/api/vault/recover", { discard: true }, {}, ["state"]),
  "secret.scan": async () => post("/api/secrets/scan", { limit: 7 }, { limit: 8 }, ["looked", "places"]),
  "system.gc": async () => post("/api/gc", { maxAgeDays: 300 }, { maxAgeDays: 301 }, ["sessions", "blobs"]),
  "config.set": async () => ({
    method: "PUT",
    path: "/api/config",
    body: { config: { turnTimeoutMs: 500_000 } },
    other: { config: { turnTimeoutMs: 600_000 } },
    same: ["config"],
  }),
  "dashboard.open": async () => post("/api/dashboard/links", { label: "a" }, { label: "b" }, []),
  "dashboard.leave": async () => post("/api/dashboard/sign-out", {}, {}, ["ok", "tokenId"]),
  "token.issue": async () => {
    const body = { capabilities: ["session.read"], label: "a" };
    return post("/api/tokens", body, { ...body, label: "b" }, ["tokenId", "capabilities"]);
  },
  "token.revoke": async (on) => {
    const issued = await on.call<{ tokenId: string }>("POST", "/api/tokens", { capabilities: ["session.read"] });
    const path = `/api/tokens/${expectOk(issued, 201).tokenId}`;
    return { method: "DELETE", path, other: {}, same: ["ok", "tokenId"] };
  },
  ...GOVERNED_WRITES,
};
/** The name of a new secret. */
async function sealed(on: TestDaemon): Promise<string> {
  const name = `S${randomUUID().slice(0, 8)}`;
  expectOk(await on.call("POST", "/api/secrets", { name, value: `fake-${randomUUID()}` }), 201);
  return name;
}

/**
 * After `system.shutdown` no daemon is there to ask again. `dashboard.enter` uses a link up, and links end with the daemon:
 * whoever lost the answer takes a new link. So does a login. A tool's call is replayed within its turn, see mcp-servers.test.ts.
 */
const NOT_REPLAYED = ["system.shutdown", "dashboard.enter", "model.login", "mcp-server.login", "tool.call"];

const ask = (on: TestDaemon, key: string, { method, path, body }: Call): Promise<Answer<Body>> =>
  on.call<Body>(method, path, method === "DELETE" ? undefined : body, { "idempotency-key": key });
const chosen = (answer: Answer<Body>, { same }: Call) => ({
  status: answer.status,
  ...Object.fromEntries(same.map((name) => [name, answer.body[name]])),
});
const written = async (on: TestDaemon): Promise<number> =>
  expectOk(await on.call<{ events: number }>("GET", "/api/status")).events;

/** Includes what recovery still records, such as the snapshot of a cut turn. */
const settledCount = async (on: TestDaemon): Promise<number> => {
  let count = await written(on);
  await eventually("nothing more is recorded", async () => {
    const before = count;
    await sleep(QUIET_MS);
    count = await written(on);
    return count === before;
  });
  return count;
};
const QUIET_MS = 500;

proves(
  "H20",
  "an answer lost in a kill -9 and asked for again with its key: the same answer, nothing done twice",
  async () => {
    const home = await newHome();
    // The radar looks at worktrees in the background, and records what it finds.
    await mkdir(home, { recursive: true });
    await writeFile(join(home, "config.json"), JSON.stringify({ radar: { enabled: false } }));
    const before = await startDaemon({ home });
    const openApi = expectOk(
      await before.call<{ paths: Record<string, Record<string, unknown>> }>("GET", "/openapi.json"),
    );
    const writes = Object.values(openApi.paths)
      .flatMap((methods) => Object.values(methods))
      .filter((operation) => JSON.stringify(operation).includes("Idempotency-Key"))
      .map((operation) => String(Reflect.get(Object(operation), "operationId")));
    expect([...Object.keys(WRITES), ...NOT_REPLAYED].sort()).toEqual([...writes].sort());

    const calls: { name: string; key: string; call: Call; first: Answer<Body> }[] = [];
    for (const [name, prepare] of Object.entries(WRITES)) {
      const call = await prepare(before);
      const key = `${name}-${randomUUID()}`;
      const first = await ask(before, key, call);
      expect({ name, status: first.status, text: first.text }).toMatchObject({ status: expect.toBeOneOf([200, 201]) });
      calls.push({ name, key, call, first });
    }
    await before.kill9();

    const after = await startDaemon({ home });
    for (const { sessions } of [expectOk(await after.call<{ sessions: Session[] }>("GET", "/sessions?onlyAlive=1"))])
      for (const one of sessions.filter(
        ({ adapterSlug, waitingFor }) => adapterSlug === "demo" && waitingFor === undefined,
      ))
        await idle(after, one.id);
    const count = await settledCount(after);
    for (const { name, key, call, first } of calls) {
      const again = await ask(after, key, call);
      expect({ name, ...chosen(again, call) }).toEqual({ name, ...chosen(first, call) });
      expect({ name, events: await written(after) }).toEqual({ name, events: count });
    }
    for (const { name, key, call } of calls.filter(({ call: { other } }) => Object.keys(other).length > 0)) {
      const other = await ask(after, key, { ...call, body: call.other });
      expect({ name, status: other.status }).toEqual({ name, status: 409 });
      expectRefusal(other, 409, "idempotency_key_reused");
    }
    expect(await written(after)).toBe(count);
    await expectSound(after);
  },
  120_000,
);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

proves("H21", "concurrent calls with the same key: carried out once, and all get that answer", async () => {
  for (const name of [
    "session.start",
    "session.prompt",
    "session.fork",
    "artifact.write",
    "event.add",
    "agent.create",
    "turn.say",
  ]) {
    const call = await (WRITES[name] as (on: TestDaemon) => Promise<Call>)(daemon);
    const key = randomUUID();
    const before = await written(daemon);
    const answers = await Promise.all(Array.from({ length: 12 }, () => ask(daemon, key, call)));
    for (const answer of answers)
      expect({ name, ...chosen(answer, call) }).toEqual({ name, ...chosen(answers[0] as Answer<Body>, call) });
    expect(answers[0]?.status).toBeOneOf([200, 201]);
    expect(await written(daemon)).toBeGreaterThan(before);
  }
});

proves("H21", "a refused call does not use up its key: when it can be done later, it is done", async () => {
  const { id } = await session(daemon);
  await prompt(daemon, id, "sleep 500");
  const key = { "idempotency-key": "later" };
  const call = () => daemon.call<{ turnId: string }>("POST", `/sessions/${id}/prompt`, { prompt: "say now" }, key);
  const refused = await Promise.all(Array.from({ length: 6 }, call));
  for (const answer of refused) expectRefusal(answer, 409, "session_busy");
  await idle(daemon, id);
  const done = await Promise.all(Array.from({ length: 6 }, call));
  expect(new Set(done.map((answer) => expectOk(answer).turnId)).size).toBe(1);
});

proves("H21", "a key belongs to its sender, and has a limited length", async () => {
  const { id } = await session(daemon);
  const issue = await daemon.call<{ secret: string }>("POST", "/api/tokens", {
    capabilities: ["session.*"],
    sandbox: "off",
  });
  const other = { authorization: `Bearer ${expectOk(issue, 201).secret}`, "idempotency-key": "shared" };
  const mine = expectOk(
    await daemon.call<{ turnId: string }>(
      "POST",
      `/sessions/${id}/prompt`,
      { prompt: "say a" },
      { "idempotency-key": "shared" },
    ),
  );
  await idle(daemon, id);
  const theirs = expectOk(
    await daemon.call<{ turnId: string }>("POST", `/sessions/${id}/prompt`, { prompt: "say a" }, other),
  );
  expect(theirs.turnId).not.toBe(mine.turnId);
  const long = { "idempotency-key": "k".repeat(201) };
  expectRefusal(await daemon.call("POST", `/sessions/${id}/label`, { label: "x" }, long), 400, "invalid_request");
});
