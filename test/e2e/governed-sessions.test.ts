import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { setUpGoverned, ticket } from "../support/governed-bench.ts";
import { proves } from "../support/proves.ts";
import { expectOk, PATIENCE, type Session } from "./support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

const T1 = "TKT-20260101-000000-AAAA";

const open = async (cwd: string, id: string, prompt: string, more: object = {}): Promise<Session> =>
  expectOk(
    await daemon.call<Session>("POST", "/sessions/agent", { adapter: "demo", cwd, ticket: id, prompt, ...more }),
    201,
  );

proves(
  "GW-2",
  "a session on a ticket: strict, in its own worktree, within the ticket's scope, under its lease",
  async () => {
    using bench = await setUpGoverned();
    bench.tickets(ticket(T1));
    const session = await open(bench.repo, T1, "say hello");
    expect(session).toMatchObject({ title: `Do ${T1}`, sandbox: "strict" });
    expect(session.cwd).not.toBe(bench.repo);
    expect(bench.git(bench.repo, "for-each-ref", "--format=%(contents)", `refs/nomos/leases/${T1}`)).toContain(
      session.id,
    );
  },
);
