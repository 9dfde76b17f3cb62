import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { mcpClient } from "../support/mcp-client.ts";
import { proves } from "../support/proves.ts";
import { type Bench, setUpBench } from "../support/worktree-bench.ts";
import { eventually, expectOk, expectRefusal, PATIENCE, type Session, start, turn, UUID } from "./support/talk.ts";

vi.setConfig(PATIENCE);

interface Landing {
  readonly id: string;
  readonly sessionId: string;
  readonly sessionName: string;
  readonly into: string;
  readonly state: string;
  readonly ok?: boolean;
  readonly commit?: string;
  readonly ahead?: number;
  readonly behind?: { readonly sessionName: string };
  readonly held?: string;
  readonly findings: readonly { readonly rule: string; readonly message: string; readonly remedy: string }[];
}
type Headers = Readonly<Record<string, string>>;

/** Landings of these branches wait for as long as a test needs. */
const SLOW = [["sleep", "30"]];

let daemon: TestDaemon;
let bench: Bench;
beforeAll(async () => {
  daemon = await startDaemon({ outlivesTest: true });
  // Agents that mend what was refused make their sessions busy.
  expectOk(await daemon.call("PUT", "/api/config", { config: { landing: { attemptsMax: 1 } } }));
  bench = setUpBench();
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  bench[Symbol.dispose]();
});

const land = (id: string, body: object = {}, headers: Headers = {}) =>
  daemon.call<Landing>("POST", `/sessions/${id}/land`, body, headers);
const post = (path: string, body: object = {}, headers: Headers = {}) =>
  daemon.call<Landing>("POST", `/api/landings/${path}`, body, headers);
const show = async (id: string) => expectOk(await daemon.call<Landing>("GET", `/api/landings/${id}`));
const list = async (query: string, headers: Headers = {}) =>
  expectOk(
    await daemon.call<{ landings: Landing[]; next: string | null }>("GET", `/api/landings${query}`, undefined, headers),
  );

async function working(script: string, title = "A task"): Promise<Session> {
  const session = await start(daemon, { adapter: "demo", cwd: bench.repo, worktree: true, title });
  await turn(daemon, session.id, script);
  return session;
}

const tip = (branch = "main") => bench.git(bench.repo, "rev-parse", branch).trim();

proves(
  "LAND-60",
  "a landing is answered when it is queued, and seen as it goes; a repeated call answers the same",
  async () => {
    const session = await working("write one.txt 1", "Add one");
    const key = { "idempotency-key": `land-${session.id}` };
    const queued = expectOk(await land(session.name, { message: "Add one" }, key));
    expect(Object.keys(queued).toSorted()).toEqual(
      [
        ...[
          "attempt",
          "attemptsMax",
          "changedAt",
          "checks",
          "dryRun",
          "findings",
          "how",
          "id",
          "into",
          "message",
          "ok",
        ],
        ...["queuedAt", "repository", "sessionId", "sessionName", "state", "turnId"],
      ].toSorted(),
    );
    expect(queued).toMatchObject({
      ...{ sessionId: session.id, sessionName: session.name, into: "main", state: "queued", how: "merge", ok: true },
      ...{ dryRun: false, findings: [], checks: [], attempt: 1, repository: bench.repo, message: "Add one" },
    });
    expect(queued.id).toMatch(UUID);
    const landed = expectOk(await daemon.call<Landing>("GET", `/api/landings/${queued.id}/wait`));
    expect(landed).toMatchObject({
      ok: true,
      id: queued.id,
      state: "landed",
      commit: tip(),
      files: 1,
      added: 1,
      removed: 0,
    });
    expect(await show(session.name)).toEqual({ ...landed, ok: undefined });
    expect(expectOk(await land(session.name, { message: "Add one" }, key))).toEqual(queued);
    expect(bench.git(bench.repo, "log", "-1", "--format=%B")).toContain(`Nomos-Session: ${session.id}`);
    expect(bench.git(bench.repo, "status", "--porcelain")).toBe("");
    expectRefusal(await land(session.id), 409, "nothing_to_land");
  },
);

proves(
  "LAND-60",
  "a caller that waits gets the outcome; a refusal is an answer with findings, and the branch stays",
  async () => {
    const good = await working("write two.txt 2");
    expect(expectOk(await land(good.id, { waitMs: 30_000, how: "squash" }))).toMatchObject({
      ok: true,
      state: "landed",
      commit: tip(),
    });
    const bad = await working("write three.txt 3");
    const before = tip();
    const refused = expectOk(await land(bad.id, { waitMs: 30_000, checks: [["false"]] }));
    expect(refused).toMatchObject({ ok: false, state: "refused", findings: [{ rule: "check" }] });
    for (const finding of refused.findings) expect(finding.remedy).not.toBe("");
    expect(tip()).toBe(before);
    const dry = expectOk(await land(bad.id, { dryRun: true }));
    expect(dry).toMatchObject({
      ok: true,
      dryRun: true,
      id: null,
      state: "landed",
      into: "main",
      files: 1,
      added: 1,
      findings: [],
    });
    expect(expectOk(await land(bad.id, { dryRun: true, checks: [["false"]] }))).toMatchObject({
      ok: false,
      state: "refused",
      id: null,
    });
    expect(tip()).toBe(before);
    expect((await list(`?session=${bad.name}`)).landings.filter(({ state }) => state === "queued")).toEqual([]);
  },
);

proves("LAND-61", "a person holds, releases, moves and ejects what waits; what is over cannot be changed", async () => {
  bench.git(bench.repo, "branch", "queue");
  const sessions = await Promise.all([1, 2, 3].map((at) => working(`write q${at}.txt ${at}`)));
  const [a, b, c] = await sessions.reduce<Promise<Landing[]>>(async (before, { id }) => {
    const done = await before;
    return [...done, expectOk(await land(id, { into: "queue", checks: SLOW }))];
  }, Promise.resolve([]));
  if (a === undefined || b === undefined || c === undefined) throw new Error("no landings");
  await eventually("the first is checked", async () => (await show(a.id)).state === "checking");
  expectRefusal(await land(a.sessionId, { into: "queue" }), 409, "landing_exists");
  await eventually("the check is told", async () => Reflect.get(await show(a.id), "checking") === "sleep 30");
  expect(await show(c.id)).toMatchObject({ ahead: 2, behind: { id: b.id, sessionName: b.sessionName } });
  expect(expectOk(await post(`${b.sessionName}/hold`, { reason: "not yet" }))).toMatchObject({
    state: "queued",
    held: "not yet",
  });
  expect(expectOk(await post(`${b.id}/hold`))).toMatchObject({ held: "not yet" });
  expect(await daemon.call("GET", `/api/landings/${b.id}/wait?timeoutMs=10`)).toMatchObject({ status: 408 });
  expect(expectOk(await post(`${b.id}/release`))).not.toHaveProperty("held");
  expect(expectOk(await post(`${c.id}/move`, { before: b.id }))).toMatchObject({ state: "queued" });
  expect(await show(c.id)).toMatchObject({ ahead: 1, behind: { id: a.id } });
  expect(await show(b.id)).toMatchObject({ ahead: 2, behind: { id: c.id } });
  expectRefusal(await post(`${c.id}/move`, { before: c.id }), 409, "landing_unmovable");
  expectRefusal(await post(`${c.id}/move`), 400, "invalid_request");
  const key = { "idempotency-key": "eject-c" };
  const ejected = expectOk(await post(`${c.id}/eject`, { reason: "later" }, key));
  expect(ejected).toMatchObject({ state: "ejected", reason: "later" });
  expect(expectOk(await post(`${c.id}/eject`, { reason: "later" }, key))).toEqual(ejected);
  for (const verb of ["hold", "release", "eject"]) expectRefusal(await post(`${c.id}/${verb}`), 409, "landing_settled");
  for (const id of [b.id, a.id]) expectOk(await post(`${id}/eject`));
  for (const { id, sessionId } of [a, b, c]) {
    expect((await show(sessionId)).state).toBe("ejected");
    expect(
      (await list(`?session=${sessionId}&state=ejected&into=queue&cwd=${bench.repo}`)).landings.map((one) => one.id),
    ).toEqual([id]);
  }
  expect((await list("?state=open")).landings).toEqual([]);
  expect((await list(`?cwd=${bench.directory}/elsewhere`)).landings).toEqual([]);
  const { landings, next } = await list("?into=queue&limit=2");
  expect(landings.map(({ id }) => id)).toEqual([c.id, b.id]);
  expect((await list(`?into=queue&limit=2&after=${next}`)).landings.map(({ id }) => id)).toEqual([a.id]);
  expect(tip("queue")).not.toBe("");
});

proves("LAND-62", "a session's own token sees no landings and lands, holds and ejects nothing", async () => {
  const mine = await working("write mine.txt 1");
  const other = await working("write other.txt 1");
  const landings = await Promise.all([mine, other].map(async ({ id }) => expectOk(await land(id, { waitMs: 30_000 }))));
  const [own, foreign] = landings;
  const asked = { capabilities: ["landing.*", "worktree.*", "session.*"], sessionId: mine.id };
  const { secret } = expectOk(await daemon.call<{ secret: string }>("POST", "/api/tokens", asked), 201);
  const as = { authorization: `Bearer ${secret}` };
  for (const { id } of [mine, other])
    for (const path of ["", `?session=${id}`, `/${own?.id}`, `/${foreign?.id}`, `/${own?.id}/wait`, `/${own?.id}/why`])
      expect((await daemon.call("GET", `/api/landings${path}`, undefined, as)).status).toBe(403);
  for (const id of ["self", mine.id, other.id]) expect((await land(id, {}, as)).status).toBe(403);
  for (const verb of ["hold", "release", "eject", "move"])
    expect((await post(`${own?.id}/${verb}`, { before: own?.id }, as)).status).toBe(403);
  const wide = expectOk(
    await daemon.call<{ secret: string }>("POST", "/api/tokens", { capabilities: ["landing.*"] }),
    201,
  );
  const scoped = { authorization: `Bearer ${wide.secret}` };
  expectRefusal(await land(mine.id, {}, scoped), 403, "sandbox_floor");
  expectRefusal(await post(`${own?.id}/eject`, {}, scoped), 403, "sandbox_floor");
});

proves("LAND-60", "MCP and the command line carry the same values", async () => {
  const { id, name } = await working("write mcp.txt 1", "Tell by MCP");
  const client = await mcpClient(daemon, "2025-11-25");
  const draft = await client.callTool({ name: "landing_draft", arguments: { id } });
  expect(draft.structuredContent).toMatchObject({ id, message: expect.stringMatching(/^Tell by MCP/) });
  const landed = await client.callTool({ name: "session_land", arguments: { id: name, waitMs: 30_000 } });
  expect(landed.structuredContent).toMatchObject({ ok: true, state: "landed", sessionName: name });
  const { landings } = (await client.callTool({ name: "landing_list", arguments: { session: name } }))
    .structuredContent as unknown as { landings: Landing[] };
  expect(landings).toEqual((await list(`?session=${id}`)).landings);
  const shown = (await daemon.cli("landing", "show", name, "--json")).json<Landing>();
  expect(shown).toEqual(landings[0]);
});

proves("LAND-60", "bad input is refused with a code and what to do", async () => {
  const plain = await start(daemon, { adapter: "demo", cwd: bench.repo });
  expectRefusal(await land(plain.id), 404, "worktree_not_found");
  const { id } = await working("write bad.txt 1");
  expectRefusal(await land(id, { into: "gone" }), 404, "branch_not_found");
  for (const body of [
    ...[
      { into: "" },
      { how: "ours" },
      { message: "" },
      { message: "x".repeat(20_001) },
      { checks: [[]] },
      { checks: [["a\0b"]] },
    ],
    ...[
      { checks: Array.from({ length: 17 }, () => ["true"]) },
      { waitMs: -1 },
      { dryRun: "maybe" },
      { into: "x".repeat(300) },
    ],
  ])
    expectRefusal(await land(id, body), 400, "invalid_request");
  expectRefusal(await daemon.call("GET", "/api/landings/nobody"), 404, "landing_not_found");
  expectRefusal(await daemon.call("GET", `/api/landings/${plain.name}`), 404, "landing_not_found");
  expectRefusal(await daemon.call("GET", "/api/landings?state=odd"), 400, "invalid_request");
  expectRefusal(await daemon.call("GET", "/api/landings?session=nobody"), 404, "session_not_found");
  expectRefusal(await post("nobody/eject"), 404, "landing_not_found");
  expectRefusal(await land("nobody"), 404, "session_not_found");
});
