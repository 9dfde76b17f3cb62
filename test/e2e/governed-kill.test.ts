import { setTimeout as sleep } from "node:timers/promises";
import { expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { type GovernedBench, setUpGoverned, ticket } from "../support/governed-bench.ts";
import { proves } from "../support/proves.ts";
import { sampled } from "../support/sampled.ts";
import { finish, handOver, isReleased, refText, type ShownWork, startOn, T1, worksOn } from "./support/governed.ts";
import { eventually, expectOk, expectSound, newFolder, PATIENCE, type Session } from "./support/talk.ts";

vi.setConfig({ ...PATIENCE, testTimeout: 600_000 });

const sessionsOf = async (daemon: TestDaemon): Promise<readonly Session[]> =>
  expectOk(await daemon.call<{ sessions: Session[] }>("GET", "/sessions?limit=1000")).sessions;
const openWork = async (daemon: TestDaemon, bench: GovernedBench): Promise<ShownWork | undefined> =>
  (await worksOn(daemon, bench.repo, T1)).find(({ state }) => state === "active" || state === "suspended");

/** Every work is settled; an open one has its session and its lease, and without one nobody holds the ticket. */
async function expectAgreed(daemon: TestDaemon, bench: GovernedBench): Promise<ShownWork | undefined> {
  await eventually("all work settled", async () => {
    const works = await worksOn(daemon, bench.repo, T1);
    return works.every(({ settled, state }) => settled && state !== "planned");
  });
  const open = await openWork(daemon, bench);
  const alive = (await sessionsOf(daemon)).filter(({ endedAt }) => endedAt === undefined).map(({ id }) => id);
  if (open === undefined) {
    expect(refText(bench, "leases", T1) === "" || isReleased(bench, T1)).toBe(true);
    return undefined;
  }
  expect(alive).toContain(open.sessionId);
  expect([refText(bench, "leases", T1).includes(open.sessionId), isReleased(bench, T1)]).toEqual([true, false]);
  return open;
}

const MOMENTS_MS = sampled(
  Array.from({ length: 40 }, (_, n) => n * 40),
  [0, 120, 300, 550, 900],
);

proves(
  "GW-14",
  "killed at any moment of an opening: the ticket is worked on or free, and no lease is left behind",
  async () => {
    using bench = await setUpGoverned();
    bench.tickets(ticket(T1));
    const home = await newFolder();
    for (const ms of MOMENTS_MS) {
      const first = await startDaemon({ home });
      const body = { adapter: "demo", cwd: bench.repo, ticket: T1, prompt: "say hello" };
      const cut = first.call("POST", "/sessions/agent", body).catch(() => null);
      await sleep(ms);
      await first.kill9();
      await cut;
      const second = await startDaemon({ home });
      const open = await expectAgreed(second, bench);
      const session = open?.sessionId ?? (await startOn(second, bench.repo, T1, "say hello")).id;
      expectOk(await second.call("POST", `/sessions/${session}/kill`, {}));
      await eventually("the lease given back", async () => isReleased(bench, T1));
      await expectSound(second);
      await second.kill9();
    }
  },
);

proves("GW-14", "killed at any moment of a finish or a handoff: it happened whole, or not at all", async () => {
  using bench = await setUpGoverned();
  bench.tickets(ticket(T1));
  const home = await newFolder();
  for (const [n, ms] of MOMENTS_MS.entries()) {
    const first = await startDaemon({ home });
    const session = await startOn(first, bench.repo, T1, "write src/a.ts one");
    const summary = `Summary ${n}.`;
    const wish = { summary, skipChecks: true, reason: "killed" };
    const call = n % 2 === 0 ? finish(first, session.id, wish) : handOver(first, session.id, { summary });
    const cut = call.catch(() => null);
    await sleep(ms);
    await first.kill9();
    await cut;
    const second = await startDaemon({ home });
    const open = await expectAgreed(second, bench);
    const work = (await worksOn(second, bench.repo, T1)).find(({ sessionId }) => sessionId === session.id);
    const path = `.nomos/mementos/${T1}/${session.id}.md`;
    const has = bench.git(bench.repo, "ls-tree", "-r", "--name-only", "main").split("\n").includes(path);
    expect([has, isReleased(bench, T1)]).toEqual([open === undefined, open === undefined]);
    expect(bench.git(bench.repo, "status", "--porcelain")).toBe("");
    if (open === undefined) expect(work).toMatchObject({ summary, settled: true });
    else expectOk(await finish(second, session.id, wish));
    await expectSound(second);
    await second.kill9();
  }
});
