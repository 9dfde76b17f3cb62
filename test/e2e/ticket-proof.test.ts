import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { type GovernedBench, setUpGoverned, ticket } from "../support/governed-bench.ts";
import { needs } from "../support/needs.ts";
import { proves } from "../support/proves.ts";
import { expectOk, expectRefusal, PATIENCE, type Session } from "./support/talk.ts";

vi.setConfig(PATIENCE);

interface Proof {
  readonly proven: boolean;
  readonly missing: readonly string[];
  readonly kept?: string;
  readonly closed?: { readonly event: string; readonly same: boolean };
  readonly evidence?: { readonly landing?: string; readonly checks?: readonly (readonly string[])[] };
}

const ID = "TKT-20260101-000000-AAAA";
const CHECK = ["test", "-s", "src/a.ts"];

let daemon: TestDaemon;
let bench: GovernedBench;
beforeAll(async () => {
  daemon = await startDaemon();
  bench = await setUpGoverned();
  bench.tickets(ticket(ID, { checks: [CHECK] }));
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  bench[Symbol.dispose]();
});

const proof = async (): Promise<Proof> => {
  const query = new URLSearchParams({ cwd: bench.repo });
  return expectOk(await daemon.call<Proof>("GET", `/api/tickets/${ID}/proof?${query}`));
};
const close = () => daemon.call("POST", `/api/tickets/${ID}/close`, { cwd: bench.repo });

proves.skipIf(!needs("bwrap"))(
  "GT-40",
  "the proof of a ticket: what is missing before its work lands, the landing and its checks after; forged evidence is told",
  async () => {
    expect(await proof()).toMatchObject({ proven: false, missing: [expect.stringContaining("landed on main")] });
    const refusal = expectRefusal(await close(), 409, "unproven");
    expect(refusal.details["missing"]).toEqual((await proof()).missing);
    const order = { adapter: "demo", cwd: bench.repo, ticket: ID, prompt: "write src/a.ts 1" };
    const { id } = expectOk(await daemon.call<Session>("POST", "/sessions/agent", order), 201);
    expectOk(await daemon.call("GET", `/sessions/${id}/wait`));
    const landed = await daemon.call<{ id: string; state: string }>("POST", `/sessions/${id}/land`, { waitMs: 60_000 });
    expect(expectOk(landed).state).toBe("landed");
    expect(await proof()).toMatchObject({ proven: true, missing: [], evidence: { landing: landed.body.id } });
    expectOk(await daemon.call("POST", `/sessions/${id}/finish`, { summary: "Done.", status: "done" }));
    const closed = await proof();
    expect(closed).toMatchObject({ proven: true, closed: { same: true }, evidence: { checks: [CHECK] } });
    const ref = `refs/nomos/evidence/${ID}`;
    const { git, repo } = bench;
    const said = git(repo, "log", "-1", "--format=%B", ref).replace(landed.body.id, "another");
    git(repo, "update-ref", ref, git(repo, "commit-tree", git(repo, "rev-parse", `${ref}^{tree}`), "-m", said));
    expect(await proof()).toMatchObject({ closed: { same: false } });
    git(repo, "update-ref", "-d", ref);
    const { kept, missing } = await proof();
    expect([kept, missing]).toEqual([undefined, []]);
  },
);
