import { mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Answer, DelegationBench, SessionRecord } from "../bench/bench.ts";
import { codeIn, expect, member } from "../expect.ts";
import type { Case } from "./case.ts";
import type { Trial } from "./trial.ts";

/** Delegation: who may start whom, where, how deep and how many, and that nobody can bypass it. */
export const delegationCases: readonly Case[] = [
  {
    number: 35,
    title: "a session without an agent starts nothing",
    needs: ["delegation"],
    run: (trial) =>
      gated(trial, async ({ bench: { adapter, agent, tokenOf } }) => {
        await agent("aip46-worker", []);
        const parent = await trial.spawn({ adapter });
        const before = await trial.list();
        const token = await tokenOf(parent.id);
        refused(await trial.trySpawn({ adapter, agent: "aip46-worker" }, token), "delegation_denied");
        refused(await trial.trySpawn({ adapter }, token), "delegation_denied");
        expect(hasNoNew(await trial.list(), before), "a denied spawn left a session");
      }),
  },
  {
    number: 36,
    title: "the list is closed and goes by whom a name means",
    needs: ["delegation"],
    run: (trial) =>
      gated(trial, async ({ bench: { adapter, agent, tokenOf } }) => {
        await agent("aip46-worker", []);
        await agent("aip46-other", []);
        await agent("aip46-lead", ["aip://42/aip46-worker"]);
        const parent = await trial.spawn({ adapter, agent: "aip46-lead" });
        expect(parent.agentSlug === "aip46-lead", `agentSlug is ${parent.agentSlug}`);
        const token = await tokenOf(parent.id);
        const child = spawned(await trial.trySpawn({ adapter, agent: "aip46-worker" }, token));
        expect(child.parentSessionId === parent.id && child.depth === 1, "the child has no parent, or no depth");
        refused(await trial.trySpawn({ adapter, agent: "aip46-other" }, token), "delegation_denied");
        refused(await trial.trySpawn({ adapter, agent: "aip46-nobody" }, token), "invalid_agent");
      }),
  },
  {
    number: 37,
    title: "a session below works on its parent's ground or below, by name and by the real directory",
    needs: ["delegation", "workspaces", "machine"],
    run: (trial) => gated(trial, (scene) => onGround(trial, scene.bench)),
  },
  {
    number: 38,
    title: "depth and the number of living children are bounded; one that ends makes room",
    needs: ["delegation"],
    run: (trial) =>
      gated(trial, async ({ bench: { adapter, agent, tokenOf, limit } }) => {
        await agent("aip46-self", ["aip46-self"]);
        await limit({ depthMax: 1, childrenMax: 2 });
        const parent = await trial.spawn({ adapter, agent: "aip46-self" });
        const token = await tokenOf(parent.id);
        const spawn = () => trial.trySpawn({ adapter, agent: "aip46-self" }, token);
        const [first, second] = [spawned(await spawn()), spawned(await spawn())];
        refused(await spawn(), "child_quota_exceeded");
        await trial.post(`/sessions/${first.id}/kill`);
        spawned(await spawn());
        const deeper = await trial.trySpawn({ adapter, agent: "aip46-self" }, await tokenOf(second.id));
        refused(deeper, "max_depth_exceeded");
      }),
  },
  {
    number: 39,
    title: "no header, field, address or alias makes a session a root",
    needs: ["delegation"],
    run: (trial) =>
      gated(trial, async ({ bench: { adapter, tokenOf } }) => {
        const [one, victim] = [await trial.spawn({ adapter }), await trial.spawn({ adapter })];
        const token = await tokenOf(one.id);
        const before = await trial.list();
        const body = { ...trial.bench.spawnBody, adapter };
        const tries: readonly (() => Promise<Answer>)[] = [
          () => trial.trySpawn(body, null),
          () => trial.trySpawn(body, victim.id),
          () => trial.trySpawn({ adapter, parentSessionId: victim.id }, token),
          () => trial.trySpawn({ adapter, callerSessionId: victim.id }, token),
          () => trial.trySpawn({ adapter }, token),
          () => trial.post(`/sessions/agent?callerSessionId=${victim.id}`, { adapter }, { token }),
          () => trial.post("/mcp", INITIALIZE, { token: null, headers: ACCEPT }),
        ];
        for (const [at, attempt] of tries.entries()) {
          const { status } = await attempt();
          expect([400, 401, 403].includes(status), `attempt ${at + 1} is answered with ${status}`);
        }
        const tools = await trial.mcp(token);
        for (const name of ["agent_start", "start_agent_session"])
          expect((await tools.tool(name, { adapter })).isError, `${name} is not gated`);
        for (const name of ["agent_prompt", "prompt_agent_session"])
          expect((await tools.tool(name, { sessionId: victim.id, prompt: "x" })).isError, `${name} is not gated`);
        expect(hasNoNew(await trial.list(), before), "one of them made a session");
      }),
  },
  {
    number: 40,
    title: "what may be started is answered as a spawn is; nothing is answered without a token or to a foreign page",
    needs: ["delegation"],
    run: (trial) =>
      gated(trial, async ({ bench }) => {
        await outlookHolds(trial, bench);
        await strangersAreRefused(trial);
        const odd = await trial.trySpawn({ ...trial.bench.spawnBody, "x-unknown": { deep: [1] } });
        expect(odd.status === 201, `an unknown member in a request is answered with ${odd.status}`);
      }),
  },
];

const ACCEPT = { accept: "application/json, text/event-stream" };
const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "stranger", version: "1" } },
};

async function onGround(trial: Trial, { adapter, agent, tokenOf }: DelegationBench): Promise<void> {
  const { workspaces } = trial.bench;
  const folder = await realpath(await mkdtemp(join(tmpdir(), "aip46-")));
  const ground = join(folder, "ground");
  const elsewhere = join(folder, "elsewhere");
  try {
    await mkdir(join(ground, "sub"), { recursive: true });
    await mkdir(elsewhere);
    await symlink(elsewhere, join(ground, "out"));
    await workspaces?.add("aip46-ground", ground);
    await workspaces?.add("aip46-elsewhere", elsewhere);
    await agent("aip46-worker", []);
    await agent("aip46-lead", ["aip46-worker"]);
    const parent = await trial.spawn({ adapter, agent: "aip46-lead", ground: "ws://workspaces/aip46-ground" });
    const token = await tokenOf(parent.id);
    const spawn = (more: object) => trial.trySpawn({ adapter, agent: "aip46-worker", ...more }, token);
    await workspaces?.use("aip46-elsewhere");
    const same = spawned(await spawn({}));
    expect(same.ground === parent.ground && same.cwd === ground, `without a ground it is on ${same.ground}`);
    expect(
      spawned(await spawn({ ground: "ws://workspaces/aip46-ground/sub" })).cwd === join(ground, "sub"),
      "a place below is another one",
    );
    refused(await spawn({ ground: "ws://workspaces/aip46-elsewhere" }), "cwd_outside_parent");
    refused(await spawn({ ground: "ws://workspaces/aip46-ground/out" }), "cwd_outside_parent");
    for (const more of [{ cwd: elsewhere }, { ground: "ws://workspaces/aip46-ground/../aip46-elsewhere" }]) {
      const { status } = await spawn(more);
      expect(status >= 400 && status < 500, `${JSON.stringify(more)} is answered with ${status}`);
    }
  } finally {
    await workspaces?.remove("aip46-ground");
    await workspaces?.remove("aip46-elsewhere");
    await rm(folder, { recursive: true, force: true });
  }
}

async function outlookHolds(trial: Trial, { adapter, agent, tokenOf, outlook }: DelegationBench): Promise<void> {
  const grants: { readonly [slug: string]: readonly string[] } = {
    "aip46-a": ["aip46-b", "aip46-a"],
    "aip46-b": ["aip46-c"],
    "aip46-c": [],
  };
  for (const [slug, delegatesTo] of Object.entries(grants)) await agent(slug, delegatesTo);
  for (const slug of Object.keys(grants)) {
    const parent = await trial.spawn({ adapter, agent: slug });
    const said = await outlook(parent.id);
    const token = await tokenOf(parent.id);
    for (const wanted of Object.keys(grants)) {
      const { status } = await trial.trySpawn({ adapter, agent: wanted }, token);
      expect(
        (status === 201) === (said.get(wanted) === true),
        `${slug} starting ${wanted}: said ${said.get(wanted)}, was ${status}`,
      );
    }
  }
}

async function strangersAreRefused(trial: Trial): Promise<void> {
  const { id } = await trial.spawn();
  const routes: readonly (readonly [string, string])[] = [
    ["GET", "/sessions"],
    ["POST", "/sessions/agent"],
    ["GET", `/sessions/${id}`],
    ["POST", `/sessions/${id}/prompt`],
    ["POST", `/sessions/${id}/interrupt`],
    ["POST", `/sessions/${id}/kill`],
    ["DELETE", `/sessions/${id}`],
    ["GET", `/sessions/${id}/stream`],
  ];
  for (const [method, path] of routes) {
    const body = method === "POST" ? { body: {} } : {};
    const { status } = await trial.call(method, path, { ...body, token: null });
    expect(status === 401, `${method} ${path} without a token is answered with ${status}`);
  }
  const foreign = await trial.call("GET", "/sessions", { headers: { origin: "https://evil.example" } });
  expect(foreign.status === 403, `a foreign page is answered with ${foreign.status}`);
}

interface Scene {
  readonly bench: DelegationBench;
}

const LIMITS = { depthMax: 3, childrenMax: 8 };

async function gated(trial: Trial, work: (scene: Scene) => Promise<void>): Promise<void> {
  const { delegation } = trial.bench;
  if (delegation === null) return;
  await delegation.limit(LIMITS);
  try {
    await work({ bench: delegation });
  } finally {
    await delegation.limit(LIMITS);
  }
}

function refused(answer: Answer, code: string): void {
  expect(answer.status >= 400 && answer.status < 500, `answered with ${answer.status} instead of ${code}`);
  expect(codeIn(answer.body) === code, `refused as ${codeIn(answer.body)} instead of ${code}`);
}

function spawned(answer: Answer): SessionRecord {
  expect(answer.status === 201, `a spawn that is allowed: ${answer.status} ${codeIn(answer.body)}`);
  expect(typeof member(answer.body, "id") === "string", "a session without an id");
  return answer.body as SessionRecord;
}

/** No session that was not there before. One that has ended meanwhile may be missing. */
function hasNoNew(now: readonly SessionRecord[], before: readonly SessionRecord[]): boolean {
  const old = new Set(before.map(({ id }) => id));
  return now.every(({ id }) => old.has(id));
}
