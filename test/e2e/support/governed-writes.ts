import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestDaemon } from "../../support/daemon.ts";
import { startOn } from "./governed.ts";
import { eventsOf, eventually, expectOk, newFolder, prompt } from "./talk.ts";

type Body = Readonly<Record<string, unknown>>;

/** A write, a request that must not reuse its key, and the members of the answer that say what was done. */
export interface GovernedWrite {
  readonly method: "POST" | "PUT";
  readonly path: string;
  readonly body: Body;
  readonly other: Body;
  readonly same: readonly string[];
}

type Prepare = (on: TestDaemon) => Promise<GovernedWrite>;

const post = (path: string, body: Body, other: Body, same: readonly string[]): GovernedWrite => ({
  ...{ method: "POST", path, body, same },
  other: Object.keys(other).length === 0 ? other : { ...body, ...other },
});

/** What changes laws and tickets. */
export const GOVERNED_WRITES: { readonly [syscall: string]: Prepare } = {
  "governance.init": async () =>
    post("/api/governance/init", { cwd: await plain() }, { dryRun: true }, ["root", "isNew", "commit", "files"]),
  "governance.deinit": async (on) =>
    post("/api/governance/deinit", { cwd: await governed(on) }, { force: true }, ["root", "commit", "files"]),
  "governance.upgrade": async (on) => {
    const cwd = await governed(on);
    const config = join(cwd, ".nomos/config.yaml");
    writeFileSync(config, 'version: 1\nbranch: "main"\n');
    git(cwd, "commit", "-qam", "fewer settings");
    return post("/api/governance/upgrade", { cwd }, { dryRun: true }, ["root", "files", "commit"]);
  },
  "governance.gc": async (on) =>
    post("/api/governance/gc", { cwd: await lawful(on), days: 0 }, { days: 1 }, ["files", "refs"]),
  "governance.build": async (on) => post("/api/governance/build", { cwd: await lawful(on) }, {}, ["file", "rules"]),
  "governance.compose": async (on) =>
    post("/api/governance/compose", { cwd: await lawful(on) }, {}, ["file", "signer"]),
  "governance.import": async () => {
    const cwd = await plain();
    mkdirSync(join(cwd, ".exo"));
    writeFileSync(join(cwd, ".exo/CONSTITUTION.md"), "# Rules\n");
    return post("/api/governance/import", { cwd, from: "exo" }, { dryRun: true }, ["written", "kept", "leftOut"]);
  },
  "ticket.create": async (on) => {
    const body = { cwd: await lawful(on), kind: "task", title: "Once" };
    return post("/api/tickets", body, { title: "Twice" }, ["id", "title", "createdAt"]);
  },
  "ticket.edit": async (on) => {
    const { cwd, id } = await task(on);
    const written = post(`/api/tickets/${id}`, { cwd, title: "Once" }, { title: "Twice" }, ["id", "title"]);
    return { ...written, method: "PUT" };
  },
  "ticket.plan": async (on) => {
    const body = { cwd: await lawful(on), text: "### EPIC-1: Sign in\n* T1: Ask\n" };
    return post("/api/tickets/plan", body, { dryRun: true }, ["dryRun", "tickets"]);
  },
  "ticket.next": async (on) => {
    const { cwd } = await task(on);
    return post("/api/tickets/next", { cwd, claim: true }, { claim: false }, ["fence", "until", "because"]);
  },
  "ticket.lease": async (on) => {
    const { cwd, id } = await task(on);
    return post(`/api/tickets/${id}/lease`, { cwd, minutes: 5 }, { minutes: 6 }, ["id", "fence", "until"]);
  },
  "ticket.heartbeat": async (on) => {
    const { cwd, id, fence } = await leased(on);
    return post(`/api/tickets/${id}/heartbeat`, { cwd, fence }, {}, ["id", "fence"]);
  },
  "ticket.release": async (on) => {
    const { cwd, id, fence } = await leased(on);
    return post(`/api/tickets/${id}/release`, { cwd, fence }, { fence: fence + 1 }, ["ok", "id"]);
  },
  "ticket.close": async (on) => {
    const { cwd, id } = await settledIntent(on);
    return post(`/api/tickets/${id}/close`, { cwd }, { witnesses: { A: "b" } }, ["ok", "id", "evidence"]);
  },
  "ticket.archive": async (on) => {
    const { cwd, id } = await task(on);
    return post(`/api/tickets/${id}/archive`, { cwd, reason: "a" }, { reason: "b" }, ["id", "status"]);
  },
  "session.amend": async (on) => {
    const { cwd, id } = await task(on, { scope: { allow: ["src/**"] } });
    const session = await startOn(on, cwd, id, "say hello");
    await prompt(on, session.id, "sleep 60000");
    await eventually("a running turn", async () => (await eventsOf(on, session.id, "types=turn.started")).length === 2);
    const body = { paths: ["README.md"], reason: "a" };
    return post(`/sessions/${session.id}/amend`, body, { reason: "b" }, ["status", "approvalId", "paths"]);
  },
  "session.handover": async (on) => {
    const { cwd, id } = await task(on);
    const session = await startOn(on, cwd, id, "say hello");
    return post(`/sessions/${session.id}/handoff`, { summary: "a" }, { summary: "b" }, ["id", "work"]);
  },
};

function git(cwd: string, ...args: readonly string[]): void {
  execFileSync("git", ["-C", cwd, ...args]);
}

async function plain(): Promise<string> {
  const repo = await newFolder();
  execFileSync("git", ["init", "--quiet", "--initial-branch=main", repo]);
  git(repo, "config", "user.name", "a");
  git(repo, "config", "user.email", "a@b");
  git(repo, "commit", "--quiet", "--allow-empty", "-m", "first");
  return repo;
}

async function governed(on: TestDaemon): Promise<string> {
  const cwd = await plain();
  expectOk(await on.call("POST", "/api/governance/init", { cwd }));
  return cwd;
}

const shared = new WeakMap<TestDaemon, Promise<string>>();

/** One repository for all whose writes leave its law alone. */
function lawful(on: TestDaemon): Promise<string> {
  const made = shared.get(on) ?? governed(on);
  shared.set(on, made);
  return made;
}

interface Task {
  readonly cwd: string;
  readonly id: string;
}

async function task(on: TestDaemon, more: Body = {}): Promise<Task> {
  const cwd = await lawful(on);
  const body = { cwd, kind: "task", title: "Do it", ...more };
  return { cwd, id: expectOk(await on.call<{ id: string }>("POST", "/api/tickets", body), 201).id };
}

/** Nothing below it is open. */
async function settledIntent(on: TestDaemon): Promise<Task> {
  const { cwd, id } = await task(on, { kind: "intent", brainDump: "In" });
  const body = { cwd, kind: "task", title: "Part of it", parent: id };
  const part = expectOk(await on.call<{ id: string }>("POST", "/api/tickets", body), 201);
  expectOk(await on.call("POST", `/api/tickets/${part.id}/archive`, { cwd, reason: "nobody needs it" }));
  return { cwd, id };
}

async function leased(on: TestDaemon): Promise<Task & { readonly fence: number }> {
  const { cwd, id } = await task(on);
  const lease = await on.call<{ fence: number }>("POST", `/api/tickets/${id}/lease`, { cwd });
  return { cwd, id, fence: expectOk(lease).fence };
}
