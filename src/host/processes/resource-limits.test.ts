import { execFileSync } from "node:child_process";
import { chmodSync, chownSync } from "node:fs";
import { release } from "node:os";
import { expect, test } from "vitest";
import { needs } from "../../../test/support/needs.ts";
import { proves } from "../../../test/support/proves.ts";
import { readAll, rehearse } from "../../../test/support/rehearsal.ts";
import { findBubblewrap } from "../sandbox/find-bubblewrap.ts";
import { isCountedApart, limitScript, limitsHeld, OFF_PIDS_MAX, pidsScript } from "./resource-limits.ts";

/** The test does not care how the process fails, only that it does not get the memory. */
const HUNGRY =
  "console.log('up'); const kept = []; for (let n = 0; n < 40; n += 1) kept.push(Buffer.alloc(50e6, 1)); console.log('fed')";
const limits = { memoryMb: 1000, openFilesMax: 123 };
const sandbox = await findBubblewrap(process.env["PATH"] ?? "");

for (const bwrapPath of "path" in sandbox ? [sandbox.path, null] : [null])
  proves.skipIf(!limitsHeld() || (bwrapPath !== null && !needs("bwrap")))(
    "AG-23",
    `a process ${bwrapPath === null ? "without" : "with"} a sandbox is held to its limits of memory and files, and writes no core file`,
    async () => {
      await using stage = rehearse({ bwrapPath });
      const asked = await readAll(stage.shell("ulimit -c; ulimit -n; ulimit -d", { limits }));
      expect(asked.stdout.trim().split("\n")).toEqual(["0", "123", String(1000 * 1024)]);
      const { stdout } = await readAll(stage.host.spawn(stage.spec([process.execPath, "-e", HUNGRY], { limits })));
      expect(stdout).toBe("up\n");
    },
  );

test("a system that cannot hold limits is detected", () => {
  expect([limitsHeld("linux"), limitsHeld("darwin")]).toEqual([true, false]);
  expect(limitScript({ memoryMb: null, openFilesMax: null })).toBe("ulimit -c 0 2>/dev/null; ");
});

const isRootWithWalls = process.getuid?.() === 0 && "path" in sandbox && isCountedApart(release());

proves.skipIf(!isRootWithWalls)(
  "NB-8",
  "an ordinary user's sandbox is held to a number of processes without a cgroup",
  async () => {
    const bwrapPath = "path" in sandbox ? sandbox.path : "";
    await using stage = rehearse({ bwrapPath });
    for (const path of [stage.directory, stage.home, stage.workspace]) {
      chownSync(path, ORDINARY, ORDINARY);
      chmodSync(path, 0o755);
    }
    const walls = { mounts: [], programs: [], home: null, temp: null, door: null };
    const limits = { memoryMb: null, pidsMax: 40, cpus: null };
    // The fork bomb stops by itself at 200, with or without a limit.
    const bomb = "i=0; while [ $i -lt 200 ]; do sleep 5 & i=$((i+1)); done; echo $i";
    const program = `
      import { createProcessHost } from ${JSON.stringify(new URL("../index.ts", import.meta.url))};
      const host = createProcessHost(${JSON.stringify({ home: stage.home, bwrapPath })});
      const run = async (script, more) => {
        const spec = { cwd: ${JSON.stringify(stage.workspace)}, env: { PATH: "/usr/bin:/bin" }, stdin: "none", ...more };
        for await (const { bytes } of host.spawn({ argv: ["/bin/sh", "-c", script], ...spec }).output)
          process.stdout.write(bytes);
      };
      await run("ulimit -p 2>/dev/null || ulimit -u", {});
      await run(${JSON.stringify(bomb)}, ${JSON.stringify({ walls: { ...walls, limits } })});
      process.exit(0);`;
    const argv = [`--reuid=${ORDINARY}`, `--regid=${ORDINARY}`, "--clear-groups", process.execPath];
    const told = execFileSync("setpriv", [...argv, "--input-type=module", "-"], {
      input: program,
      encoding: "utf8",
      cwd: "/",
    });
    expect(told).toMatch(new RegExp(`^${OFF_PIDS_MAX}\\n`));
    expect(told).toMatch(/Cannot fork|fork: retry|Resource temporarily/);
  },
);

test("where processes are counted per account, and for root, no process limit is set", () => {
  expect([isCountedApart("5.13.9"), isCountedApart("5.14.0-x"), isCountedApart("6.1.0"), isCountedApart("?")]).toEqual(
    limitsHeld() ? [false, true, true, false] : [false, false, false, false],
  );
  expect(pidsScript(null, "/usr/bin/bwrap")).toBe("");
});

/** An account that nothing else uses. */
const ORDINARY = 54_321;
