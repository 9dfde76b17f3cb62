import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { needs } from "../../../test/support/needs.ts";
import { proves } from "../../../test/support/proves.ts";
import { readAll, rehearse } from "../../../test/support/rehearsal.ts";
import { createProcessHost } from "../processes/process-host.ts";
import { OFF_PIDS_MAX } from "../processes/resource-limits.ts";
import { findCgroups, type SandboxLimits } from "./cgroups.ts";
import { findBubblewrap } from "./find-bubblewrap.ts";

const found = needs("bwrap") ? await findBubblewrap(process.env["PATH"] ?? "") : { missing: "bwrap" };
const bwrapPath = "path" in found ? found.path : "";
const cgroups = findCgroups(`nomos-test-${process.pid}`);
const NONE: SandboxLimits = { memoryMb: null, pidsMax: null, cpus: null };

describe("a machine that delegates cgroup v2 to us", () => {
  function made(subtree: string) {
    const root = mkdtempSync(join(tmpdir(), "cgroup-"));
    const own = join(root, "user", "daemon");
    mkdirSync(own, { recursive: true });
    writeFileSync(join(root, "cgroup.controllers"), "cpu memory pids\n");
    writeFileSync(join(own, "cgroup.controllers"), "cpu memory pids\n");
    writeFileSync(join(own, "cgroup.subtree_control"), subtree);
    return { root, own };
  }

  test("a group gets the requested limits and nothing else", () => {
    const { root, own } = made("cpu memory pids\n");
    const there = findCgroups("nomos", root, "0::/user/daemon\n");
    expect({ by: there.by, holds: there.holds }).toEqual({ by: "cgroup v2", holds: ["memory", "pids", "cpu"] });
    const group = there.open("one", { memoryMb: 64, pidsMax: 32, cpus: 0.5 });
    group.add(4711);
    const read = (name: string) => readFileSync(join(own, "nomos-one", name), "utf8");
    expect(["memory.max", "memory.swap.max", "pids.max", "cpu.max", "cgroup.procs"].map(read)).toEqual([
      ...[String(64 * 1_048_576), "0", "32", "50000 100000", "4711"],
    ]);
    there.open("two", NONE);
    expect(readdirSync(join(own, "nomos-two"))).toEqual([]);
    there.sweep();
    expect(existsSync(join(own, "nomos-two"))).toBe(false);
  });

  test("a group without delegated controllers holds no limit, and says so", () => {
    const { root } = made("");
    // This ordinary file accepts any value; a kernel would refuse it. What the file holds afterwards decides.
    expect(findCgroups("nomos", root, "0::/elsewhere\n").by).toBeNull();
    expect(findCgroups("nomos", root, "").holds).toEqual([]);
  });
});

describe.skipIf(!needs("bwrap") || cgroups.holds.length < 3)("limits that this machine can hold", () => {
  const walls = { mounts: [], programs: [], home: null, temp: null, door: null };

  async function held(script: string, limits: Partial<SandboxLimits>) {
    await using stage = rehearse({ bwrapPath });
    await using host = createProcessHost({ home: stage.home, bwrapPath, cgroups, closedRoots: [], copiesEtc: false });
    const spec = stage.spec(["/bin/sh", "-c", script], { walls: { ...walls, limits: { ...NONE, ...limits } } });
    return await readAll(host.spawn(spec));
  }

  proves("WL-7", "a fork bomb is stopped by its limit, and the host is not affected", async () => {
    const { stdout, stderr } = await held("i=0; while [ $i -lt 200 ]; do sleep 5 & i=$((i+1)); done; echo $i", {
      pidsMax: 40,
    });
    expect(stdout + stderr).toMatch(/Cannot fork|fork: retry|Resource temporarily/);
  });

  proves("NB-8", "a fork bomb without walls is stopped too, and its group is removed", async () => {
    await using stage = rehearse({ bwrapPath });
    const opened: (number | null)[] = [];
    const few = {
      ...cgroups,
      open: (name: string, limits: SandboxLimits) => {
        opened.push(limits.pidsMax);
        return cgroups.open(name, { ...limits, pidsMax: 40 });
      },
    };
    await using host = createProcessHost({ home: stage.home, bwrapPath, cgroups: few });
    const bomb = "i=0; while [ $i -lt 200 ]; do sleep 5 & i=$((i+1)); done; echo $i";
    const { stdout, stderr } = await readAll(host.spawn(stage.spec(["/bin/sh", "-c", bomb])));
    expect(opened).toEqual([OFF_PIDS_MAX]);
    expect(stdout + stderr).toMatch(/Cannot fork|fork: retry|Resource temporarily/);
  });

  proves("WL-7", "memory is counted over all processes together", async () => {
    const eat = "head -c 60000000 /dev/zero | tail -c 60000000 > /dev/null && echo eaten";
    const script = `for i in 1 2 3 4; do (${eat}) & done; wait`;
    const eaten = async (memoryMb: number) => (await held(script, { memoryMb })).stdout.match(/eaten/g)?.length ?? 0;
    expect(await eaten(600)).toBe(4);
    expect(await eaten(64)).toBeLessThan(4);
  });

  proves("WL-7", "groups are removed with their processes", async () => {
    await held("true", { pidsMax: 40 });
    const own = `nomos-test-${process.pid}`;
    const left = findCgroups(own);
    const pids = /^\d+:pids:(.*)$/m.exec(readFileSync("/proc/self/cgroup", "utf8"))?.[1] ?? "/";
    const names = readdirSync(join("/sys/fs/cgroup/pids", pids)).filter((name) => name.startsWith(own));
    left.sweep();
    expect(names).toEqual([]);
  });
});
