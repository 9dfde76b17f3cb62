import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { needs } from "../support/needs.ts";
import { proves } from "../support/proves.ts";
import { whenTestEnds } from "../support/test-end.ts";
import {
  ended,
  eventsOf,
  eventually,
  expectOk,
  expectRefusal,
  expectSound,
  newFolder,
  PATIENCE,
  pendingOf,
  prompt,
  show,
  start,
} from "./support/talk.ts";

vi.setConfig(PATIENCE);

const MB = 1_048_576;

proves.skipIf(!needs("mount"))(
  "Q7",
  "the disk fills up: new work is refused, running turns go on, and freed space lifts it by itself",
  async () => {
    const { daemon, home, fill, makeRoom } = await onSmallDisk(64 * MB, 16 * MB);
    const [asking, running, idle] = [await start(daemon), await start(daemon), await start(daemon)];
    const asked = await prompt(daemon, asking.id, "ask may I\nsay answered");
    const { id: approval } = await pendingOf(daemon, asking.id);
    const turn = await prompt(daemon, running.id, `sleep 4000\nrun head -c 3000000 /dev/urandom | base64\nsay done`);
    await fill(12 * MB);
    await levelOf(daemon, "low");

    for (const [path, body] of [
      ["/sessions/agent", { adapter: "demo" }],
      [`/sessions/${idle.id}/prompt`, { prompt: "say no" }],
      [`/sessions/${idle.id}/fork`, {}],
      [`/sessions/${idle.id}/events`, { events: [{ type: "tick", payload: 1 }] }],
      [`/sessions/${idle.id}/artifacts`, { path: "a", content: "b" }],
    ] as const) {
      const error = expectRefusal(await daemon.call("POST", path, body), 507, "disk_low");
      expect(error.remedy).toContain("nomos gc");
    }
    const { exitCode, stdout } = await daemon.cli("status");
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/disk.*low/i) });
    expect((await daemon.call("GET", "/api/metrics")).text).toMatch(/^nomos_disk_low 1$/m);
    expect((await eventsOf(daemon, idle.id)).length).toBeGreaterThan(0);
    expectOk(await daemon.call("POST", `/api/approvals/${approval}/approve`, {}));
    expect(await ended(daemon, asking.id, asked.turnId)).toMatchObject({ outcome: "completed" });
    expectOk(await daemon.call("POST", `/sessions/${idle.id}/kill`));

    expect(await ended(daemon, running.id, turn.turnId)).toMatchObject({ outcome: "completed" });
    const output = await eventsOf(daemon, running.id, "types=effect.output");
    expect(output.length).toBeGreaterThan(0);
    for (const { data } of output) expect(data).toMatchObject({ blob: null });
    expect(JSON.stringify(output)).toContain("the disk is almost full");

    await makeRoom();
    await levelOf(daemon, "enough");
    expectOk(await daemon.call("POST", `/sessions/${running.id}/prompt`, { prompt: "say again" }));
    await expectSound(daemon);
    const log = await readFile(join(home, "logs/daemon.log"), "utf8");
    expect(log).toContain("the disk is almost full");
    expect(log).toContain("there is room on the disk again");
  },
);

proves.skipIf(!needs("mount"))(
  "Q7",
  "disk scarce: the rest is reserved for ending things; running turns fail by name, and a start works",
  async () => {
    const { daemon, home, fill, makeRoom } = await onSmallDisk(160 * MB, 100 * MB);
    const { id } = await start(daemon);
    const lines = Array.from({ length: 200 }, () => "sleep 100\nsay more").join("\n");
    const { turnId } = await prompt(daemon, id, lines);
    await fill(20 * MB);
    await levelOf(daemon, "scarce");
    expect(await ended(daemon, id, turnId)).toMatchObject({ outcome: "failed" });
    const end = (await eventsOf(daemon, id, "types=turn.ended")).at(-1);
    expect(end?.data["error"]).toMatchObject({ code: "disk_low" });
    await daemon.stop();
    const again = await startDaemon({ home, args: ["--tour"] });
    expect(await show(again, id)).toMatchObject({ busy: false });
    expectOk(await again.call("POST", `/sessions/${id}/kill`));
    await makeRoom();
    await expectSound(again);
  },
);

async function levelOf(daemon: TestDaemon, level: string): Promise<void> {
  await eventually(`a disk that is ${level}`, async () => {
    const { disk } = expectOk(await daemon.call<{ disk: { level: string } }>("GET", "/api/status"));
    return disk.level === level;
  });
}

/** A daemon on its own file system; the limit is set so that an empty one has room. */
async function onSmallDisk(sizeBytes: number, limitBytes: number) {
  const at = join(await newFolder(), "disk");
  await mkdir(at);
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${sizeBytes}`, "tmpfs", at]);
  whenTestEnds(() => {
    execFileSync("umount", ["--lazy", at]);
  });
  const home = join(at, "home");
  await mkdir(home, { mode: 0o700 });
  await writeFile(join(home, "config.json"), JSON.stringify({ limits: { diskFreeBytes: limitBytes } }));
  const daemon = await startDaemon({ home });
  const filler = join(at, "filler");
  return {
    daemon,
    home,
    /** Fills the disk until only this much is left. */
    fill: async (leftBytes: number): Promise<void> => {
      const { disk } = expectOk(await daemon.call<{ disk: { freeBytes: number } }>("GET", "/api/status"));
      await writeFile(filler, randomBytes(Math.max(0, Math.floor(disk.freeBytes - leftBytes))));
    },
    makeRoom: () => rm(filler, { force: true }),
  };
}
