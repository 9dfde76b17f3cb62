import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { needs } from "../../../test/support/needs.ts";
import {
  ESCAPE,
  ESCAPE_UNMARKED,
  eventually,
  type Rehearsal,
  rehearse,
  runningOf,
} from "../../../test/support/rehearsal.ts";
import { sampled } from "../../../test/support/sampled.ts";
import { findBubblewrap } from "../sandbox/find-bubblewrap.ts";
import { findMarked, killMarked } from "./marker.ts";

const found = needs("bwrap") ? await findBubblewrap(process.env["PATH"] ?? "") : { missing: "bwrap" };
const bwrapPath = "path" in found ? found.path : "";

describe.skipIf(!needs("bwrap"))("kill -9 of the daemon, in bubblewrap", () => {
  test("kill -9 of the daemon in bubblewrap: the whole tree ends, also double forks with a cleaned environment", async () => {
    await using stage = rehearse({ bwrapPath });
    const daemon = await startDaemon(stage, bwrapPath, `${ESCAPE_UNMARKED} sleep 1000 & while :; do sleep 1; done`);
    await eventually(() => existsSync(join(stage.workspace, "escaped")));
    expect(runningOf(stage.instance).length).toBeGreaterThan(3);
    await killHard(daemon);
    await eventually(() => runningOf(stage.instance).length === 0);
  });

  test("kill -9 of the daemon while the program is stopped by SIGSTOP: it ends too", async () => {
    await using stage = rehearse({ bwrapPath });
    const daemon = await startDaemon(stage, bwrapPath, ": > started; kill -STOP $$");
    await eventually(() => existsSync(join(stage.workspace, "started")));
    await killHard(daemon);
    await eventually(() => runningOf(stage.instance).length === 0);
  });

  test("kill -9 before bubblewrap has bound itself to the daemon: the program does not start", async () => {
    await using stage = rehearse({ bwrapPath });
    const slow = join(stage.directory, "slow-bwrap");
    writeFileSync(slow, `#!/bin/sh\nsleep 0.3\nexec ${bwrapPath} "$@"\n`, { mode: 0o755 });
    const daemon = await startDaemon(stage, slow, ": > started; while :; do sleep 1; done");
    await killHard(daemon);
    expect(runningOf(stage.instance)).not.toEqual([]);
    await eventually(() => runningOf(stage.instance).length === 0);
    expect(existsSync(join(stage.workspace, "started"))).toBe(false);
  });

  test("kill -9 at any moment of the start: nothing stays alive", async () => {
    await using stage = rehearse({ bwrapPath });
    for (let delayMs = 0; delayMs < 16; delayMs += sampled(1, 3)) {
      const daemon = await startDaemon(stage, bwrapPath, "while :; do sleep 1; done");
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      await killHard(daemon);
      await eventually(() => runningOf(stage.instance).length === 0);
    }
  });
});

describe("kill -9 of the daemon, without a sandbox", () => {
  test("kill -9 without a sandbox leaves orphans; the next daemon ends those with its marker and no others", async () => {
    await using stage = rehearse({ bwrapPath: null });
    await using neighbour = rehearse({ bwrapPath: null });
    const other = neighbour.shell("sleep 1000");
    const daemon = await startDaemon(stage, null, `${ESCAPE} while :; do sleep 1; done`);
    await eventually(() => existsSync(join(stage.workspace, "escaped")));
    await killHard(daemon);
    expect(findMarked(`${stage.instance}:test`).length).toBeGreaterThan(1);
    expect(findMarked(stage.instance.slice(0, -1))).toEqual([]);
    expect(await killMarked(stage.instance)).toEqual([]);
    expect(runningOf(stage.instance)).toEqual([]);
    expect(findMarked(neighbour.instance)).toContain(other.pid);
  });

  test("an empty marker is refused: it would match every process", async () => {
    await using stage = rehearse({ bwrapPath: null });
    expect(() => findMarked("")).toThrow(expect.objectContaining({ code: "process_spec_invalid" }));
    expect(runningOf(stage.instance)).toEqual([]);
  });
});

/** Starts a Node process that runs `script` with this module; returns as soon as it has been started. */
async function startDaemon(stage: Rehearsal, bwrap: string | null, script: string): Promise<ChildProcess> {
  const program = `
    import { createProcessHost } from ${JSON.stringify(new URL("../index.ts", import.meta.url))};
    const host = createProcessHost(${JSON.stringify({ home: stage.home, bwrapPath: bwrap })});
    host.spawn(${JSON.stringify(stage.spec(["/bin/sh", "-c", script, stage.instance]))});
    process.stdout.write("asked");`;
  const daemon = spawn(process.execPath, ["--input-type=module", "-"], { stdio: ["pipe", "pipe", "inherit"] });
  daemon.stdin.end(program);
  await new Promise((resolve) => daemon.stdout.once("data", resolve));
  return daemon;
}

function killHard(daemon: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    daemon.once("exit", () => resolve());
    daemon.kill("SIGKILL");
  });
}
