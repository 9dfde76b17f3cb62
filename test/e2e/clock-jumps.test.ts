import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { expect, vi } from "vitest";
import { newHome, startDaemon, type TestDaemon } from "../support/daemon.ts";
import { proves } from "../support/proves.ts";
import {
  ended,
  eventsOf,
  eventually,
  expectOk,
  expectSound,
  idle,
  PATIENCE,
  pendingOf,
  prompt,
  show,
  start,
  turn,
} from "./support/talk.ts";

vi.setConfig(PATIENCE);

const YEAR_MS = 365 * 24 * 3_600_000;
const PRELOAD = pathToFileURL(join(import.meta.dirname, "../fixtures/jumping-clock.ts")).href;
/** An idle daemon uses almost no processor time; a spinning one uses a whole core. */
const BUSY_MS_MAX = 700;

interface Jumping {
  readonly daemon: TestDaemon;
  readonly jumpTo: (offsetMs: number) => Promise<void>;
}

async function startJumping(home: string): Promise<Jumping> {
  const clock = join(dirname(home), "clock");
  const daemon = await startDaemon({
    home,
    through: ["env", `NODE_OPTIONS=--import=${PRELOAD}`, `NOMOS_TEST_CLOCK=${clock}`],
  });
  return { daemon, jumpTo: (offsetMs) => writeFile(clock, String(offsetMs)) };
}

/** Processor time that the daemon has used so far. */
async function usedMs(pid: number): Promise<number> {
  const [, after = ""] = /\) (.*)/.exec(await readFile(`/proc/${pid}/stat`, "utf8")) ?? [];
  const fields = after.split(" ").map(Number);
  return ((fields[11] ?? 0) + (fields[12] ?? 0)) * 10;
}

proves(
  "NB-9",
  "the clock jumps a year ahead and two back while turns run and questions wait: nothing ends, expires, repeats or spins",
  async () => {
    const home = await newHome();
    const { daemon, jumpTo } = await startJumping(home);
    const ids: string[] = [];
    for (const offsetMs of [YEAR_MS, -YEAR_MS]) {
      const [working, asking, idling] = [await start(daemon), await start(daemon), await start(daemon)];
      const { turnId } = await prompt(daemon, working.id, "say before\nsleep 700\nsay after");
      const asked = await prompt(daemon, asking.id, "ask go on?\nsay asked");
      const question = await pendingOf(daemon, asking.id);
      const waiting = daemon.call<{ turn: { outcome: string } }>(
        "GET",
        `/sessions/${working.id}/wait?turnId=${turnId}&timeoutMs=30000`,
      );
      await jumpTo(offsetMs);
      expect(expectOk(await waiting).turn).toMatchObject({ outcome: "completed" });
      expect((await show(daemon, idling.id)).state).toBe("idle");
      const before = await usedMs(daemon.pid);
      await sleep(1000);
      expect((await usedMs(daemon.pid)) - before).toBeLessThan(BUSY_MS_MAX);
      expectOk(await daemon.call("POST", `/api/approvals/${question.id}/approve`, { option: question.options[0] }));
      expect(await ended(daemon, asking.id, asked.turnId)).toMatchObject({ outcome: "completed" });
      expect(await turn(daemon, idling.id, "say next\nrun echo hi")).toMatchObject({ outcome: "completed" });

      await prompt(daemon, working.id, "sleep 60000");
      await eventually("busy", async () => (await show(daemon, working.id)).busy);
      await jumpTo(offsetMs + YEAR_MS);
      expect(expectOk(await daemon.call("POST", `/sessions/${working.id}/interrupt`))).toMatchObject({ wasBusy: true });
      expect((await idle(daemon, working.id)).busy).toBe(false);
      await prompt(daemon, working.id, "run sleep 600");
      await eventually("busy", async () => (await show(daemon, working.id)).busy);
      await jumpTo(offsetMs);
      expectOk(await daemon.call("POST", `/sessions/${working.id}/kill`));
      const said = (await eventsOf(daemon, working.id)).filter(({ data }) => data["text"] === "after");
      expect(said).toHaveLength(1);
      for (const { id } of [working, asking, idling])
        ids.push(
          ...(await eventsOf(daemon, id)).toSorted((one, other) => one.seq - other.seq).map((event) => event.id),
        );
    }
    expect(new Set(ids).size).toBe(ids.length);
    await expectSound(daemon);

    await jumpTo(-3 * YEAR_MS);
    expect(await daemon.stop()).toBe(0);
    const again = await startJumping(home);
    const { id } = await start(again.daemon);
    expect(await turn(again.daemon, id, "say back in time")).toMatchObject({ outcome: "completed" });
    const later = (await eventsOf(again.daemon, id)).map((event) => event.id);
    expect(new Set([...ids, ...later]).size).toBe(ids.length + later.length);
    await expectSound(again.daemon);
  },
);
