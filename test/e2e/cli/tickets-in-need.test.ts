import { expect, vi } from "vitest";
import { startDaemon } from "../../support/daemon.ts";
import { setUpGoverned, ticket } from "../../support/governed-bench.ts";
import { needs } from "../../support/needs.ts";
import { proves } from "../../support/proves.ts";
import { openPty } from "../../support/pty.ts";
import { finish, startOn, T1, worksOn } from "../support/governed.ts";
import { eventually, expectOk, PATIENCE } from "../support/talk.ts";

vi.setConfig(PATIENCE);

proves.skipIf(!needs("bwrap"))(
  "GW-20",
  "an agent says that its ticket is done without proof: ps, status and the board name it with the command that helps",
  async () => {
    await using daemon = await startDaemon();
    using bench = await setUpGoverned();
    bench.tickets(ticket(T1));
    const { id, name } = await startOn(daemon, bench.repo, T1, "say hello");
    expect((await daemon.cli("ps")).stdout).not.toContain("cannot close");
    expectOk(await daemon.call("POST", `/sessions/${id}/prompt`, { prompt: "sleep 1500" }));
    expect(expectOk(await finish(daemon, id, { summary: "All of it.", status: "done" }))).toMatchObject({
      asked: true,
    });
    await eventually("the refusal", async () =>
      (await worksOn(daemon, bench.repo, T1)).find(({ refused }) => refused?.code === "unproven"),
    );
    const ps = await daemon.cli("ps");
    expect(ps.stdout).toMatch(new RegExp(`\\n${name}: cannot close ${T1}: .* Next: nomos ticket proof ${T1}\\n`));
    expect((await daemon.cli("ps", "--quiet")).stdout.trim()).toBe(name);
    expect((await daemon.cli("status")).stdout).toMatch(new RegExp(`${T1}.*cannot close.*nomos ticket proof ${T1}`));
    const pty = openPty({ home: daemon.home, cwd: bench.repo, args: [], columns: 120 });
    await pty.until(/1 needs you/);
    await pty.until(new RegExp(`tickets +${name} cannot close ${T1}`));
  },
);
