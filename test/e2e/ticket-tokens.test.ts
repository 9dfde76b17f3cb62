import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { setUpGoverned, ticket } from "../support/governed-bench.ts";
import { proves } from "../support/proves.ts";
import { CALLER, callAs } from "./support/caller.ts";
import { fenceOf, T1, T2 } from "./support/governed.ts";
import { expectOk, idle, newFolder, PATIENCE, pendingOf, type Session } from "./support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

/** What the session was told may stand before the calls. */
const TOLD_CALLER = CALLER.replace("JSON.parse(input)", "JSON.parse(input.slice(input.indexOf('[[\"')))");

async function working(cwd: string, more: object = {}): Promise<Session> {
  const file = join(await newFolder(), "caller.ts");
  await writeFile(file, TOLD_CALLER);
  const body = { adapter: "script", file, cwd, sandbox: "off", ...more };
  const session = expectOk(await daemon.call<Session>("POST", "/sessions/agent", body), 201);
  // A session on a ticket begins by itself.
  await idle(daemon, session.id);
  return session;
}

proves(
  "GT-26",
  "a session's token looks at its own ticket and keeps its lease, wherever it says it is; nothing else",
  async () => {
    using bench = await setUpGoverned();
    using other = await setUpGoverned();
    bench.tickets(ticket(T1), ticket(T2));
    other.tickets(ticket(T2));
    const { id } = await working(bench.repo, { ticket: T1 });
    const fence = fenceOf(bench, T1);
    const at = (path: string, cwd: string): string => `/api/tickets${path}?cwd=${encodeURIComponent(cwd)}`;
    const cwd = bench.repo;
    const answers = await callAs(daemon, id, [
      ["GET", `/api/tickets/${T1}`],
      ["GET", "/api/tickets/self"],
      ["GET", at("", cwd)],
      ["GET", at("", other.repo)],
      ["POST", `/api/tickets/${T1}/heartbeat`, { fence }],
      ["GET", at(`/${T2}`, cwd)],
      ["GET", at(`/${T2}`, other.repo)],
      ["POST", `/api/tickets/${T2}/heartbeat`, { cwd, fence: 1 }],
      ["POST", `/api/tickets/${T1}/heartbeat`, { fence: fence + 1 }],
      ["GET", at("/all/overlaps", cwd)],
      ["GET", at("/all/check", cwd)],
      ["POST", "/api/tickets", { cwd, kind: "task", title: "Mine" }],
      ["PUT", `/api/tickets/${T1}`, { cwd, scope: { allow: ["**"] } }],
      ["POST", `/api/tickets/${T1}/close`, { cwd, fence }],
      ["POST", `/api/tickets/${T1}/release`, { cwd, fence }],
      ["POST", `/api/tickets/${T2}/lease`, { cwd }],
      ["POST", `/api/tickets/${T1}/archive`, { cwd, reason: "x" }],
      ["POST", "/api/tickets/next", { cwd, claim: true }],
      ["POST", "/api/tickets/plan", { cwd, text: "* T1: x" }],
    ]);
    expect(answers.map(([status]) => status)).toEqual([
      ...[200, 200, 200, 200, 200],
      ...[403, 403, 403, 409],
      ...[403, 403, 403, 403, 403, 403, 403, 403, 403, 403],
    ]);
    for (const at of [0, 1]) expect(answers[at]?.[1]).toMatchObject({ id: T1, lease: { sessionId: id, fence } });
    for (const at of [2, 3]) expect(answers[at]?.[1]).toMatchObject({ tickets: [{ id: T1 }], faults: [] });
  },
);

proves("GT-26", "a session without a ticket sees none", async () => {
  using bench = await setUpGoverned();
  bench.tickets(ticket(T1));
  const { id } = await working(await newFolder());
  const cwd = encodeURIComponent(bench.repo);
  const answers = await callAs(daemon, id, [
    ["GET", `/api/tickets?cwd=${cwd}`],
    ["GET", `/api/tickets/${T1}?cwd=${cwd}`],
    ["POST", `/api/tickets/${T1}/heartbeat`, { cwd: bench.repo, fence: 1 }],
  ]);
  expect(answers.map(([status]) => status)).toEqual([403, 403, 403]);
});

proves(
  "GW-4",
  "what its shell may not write a session asks for: a yes outlives the turn and holds from the next",
  async () => {
    using bench = await setUpGoverned();
    bench.commit("docs/how.md", "old\n");
    bench.tickets(ticket(T1));
    const { id } = await working(bench.repo, { ticket: T1, sandbox: "strict" });
    const ask = (...paths: string[]) => ["POST", `/sessions/${id}/amend`, { paths, reason: "It tells how." }] as const;
    const answers = await callAs(daemon, id, [
      ask("docs/how.md"),
      ask("docs/how.md"),
      ask("src/main.ts"),
      ...[".nomos/config.yaml", "../out.txt", "docs/*", ".git/config"].map((path) => ask(path)),
      ["POST", "/sessions/01900000-0000-7000-8000-000000000000/amend", { paths: ["x"], reason: "x" }],
    ]);
    expect(answers.map(([status]) => status)).toEqual([200, 200, 200, 403, 400, 400, 400, 403]);
    expect(answers[0]?.[1]).toMatchObject({ status: "pending" });
    expect(answers[1]?.[1]).toEqual(answers[0]?.[1]);
    expect(answers[2]?.[1]).toMatchObject({ status: "allowed" });
    const pending = await pendingOf(daemon, id);
    expect(pending.action).toEqual({ verb: "scope.widen", resource: "docs/how.md" });
    expect(pending.question).toContain("It tells how.");
    expectOk(await daemon.call("POST", `/api/approvals/${pending.id}/approve`, {}));
    const [[status, answer] = []] = await callAs(daemon, id, [ask("docs/how.md")]);
    expect([status, answer]).toMatchObject([200, { status: "allowed" }]);
  },
);
