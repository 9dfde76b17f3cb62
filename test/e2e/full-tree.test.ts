import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { startDaemon } from "../support/daemon.ts";
import { needs } from "../support/needs.ts";
import { proves } from "../support/proves.ts";
import { whenTestEnds } from "../support/test-end.ts";
import { readWorld } from "../support/world.ts";
import {
  eventsOf,
  eventually,
  expectOk,
  expectRefusal,
  expectSound,
  newFolder,
  PATIENCE,
  start,
  turn,
} from "./support/talk.ts";

vi.setConfig(PATIENCE);

const MB = 1_048_576;

async function smallDisk(sizeBytes: number): Promise<string> {
  const at = join(await newFolder(), "disk");
  mkdirSync(at);
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${sizeBytes}`, "tmpfs", at]);
  whenTestEnds(() => void execFileSync("umount", ["--lazy", at]));
  return at;
}

proves.skipIf(!needs("bwrap", "mount"))(
  "SN-18",
  "a rewind without room on the disk changes neither files nor head, and works once there is room",
  async () => {
    const disk = await smallDisk(12 * MB);
    const cwd = join(disk, "tree");
    mkdirSync(cwd);
    writeFileSync(join(cwd, "large"), randomBytes(6 * MB));
    const daemon = await startDaemon();
    const { id } = await start(daemon, { adapter: "demo", cwd });
    const before = readWorld(cwd);
    await turn(daemon, id, "run rm large; echo small > small");
    const after = readWorld(cwd);
    writeFileSync(join(disk, "somebody"), randomBytes(10 * MB));
    const [started] = await eventsOf(daemon, id, "types=turn.started");
    const rewind = () => daemon.call("POST", `/sessions/${id}/rewind`, { to: started?.id });
    expectRefusal(await rewind(), 507, "disk_full");
    expect(readWorld(cwd)).toEqual(after);
    expect((await eventsOf(daemon, id, "types=restore.settled")).map(({ data }) => data["outcome"])).toEqual([
      "rolled_back",
    ]);
    rmSync(join(disk, "somebody"));
    expectOk(await rewind());
    expect(readWorld(cwd)).toEqual(before);
  },
);

proves.skipIf(!needs("mount"))(
  "SN-18",
  "no room for a snapshot on the home's disk: reported by name, the turn goes on, and the log is sound",
  async () => {
    const home = join(await smallDisk(24 * MB), "home");
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(join(home, "config.json"), JSON.stringify({ limits: { diskFreeBytes: 2 * MB } }));
    const daemon = await startDaemon({ home });
    const cwd = await newFolder();
    writeFileSync(join(cwd, "large"), randomBytes(40 * MB));
    const { id } = await start(daemon, { adapter: "demo", cwd });
    expect(await turn(daemon, id, "write done.txt done")).toMatchObject({ outcome: "completed" });
    const [skipped] = await eventsOf(daemon, id, "types=snapshot.skipped");
    expect(skipped?.data).toMatchObject({ code: "disk_full" });
    // By then the daemon may have noticed the low disk itself, and refuse before it tries.
    const refused = await daemon.call<{ error: { code: string } }>("POST", `/sessions/${id}/snapshot`, {});
    expect({ status: refused.status, code: refused.body.error.code }).toEqual({
      status: 507,
      code: expect.stringMatching(/^disk_(full|low)$/),
    });
    rmSync(join(cwd, "large"));
    // The disk was full for a moment: nothing new starts until it is measured again.
    const kept = async () => (await daemon.call("POST", `/sessions/${id}/snapshot`, {})).status === 200;
    await eventually("there is room again", kept);
    await turn(daemon, id, "say again");
    expect((await eventsOf(daemon, id, "types=snapshot.taken")).length).toBeGreaterThan(0);
    await expectSound(daemon);
  },
);
