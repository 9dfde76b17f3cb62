import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
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

describe("a machine that delegates some of it", () => {
  /** A root with these files; a name that ends with a slash is an empty directory. */
  function made(files: Readonly<Record<string, string>>): string {
    const root = mkdtempSync(join(tmpdir(), "cgroup-"));
    onTestFinished(() => rmSync(root, { recursive: true }));
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(name.endsWith("/") ? join(root, name) : dirname(join(root, name)), { recursive: true });
      if (!name.endsWith("/")) writeFileSync(join(root, name), text);
    }
    return root;
  }
  const LIMITS: SandboxLimits = { memoryMb: 64, pidsMax: 32, cpus: 0.5 };

  test("cgroup v1: each controller has its own folder, and one that cannot be used is not held", () => {
    const root = made({ "memory/a/b/": "", "cpu/c/": "", "pids/": "" });
    const own = "9:name=systemd:/x\n5:memory:/a/b\n4:cpuacct,cpu:/c\n3:pids:/gone\n";
    const there = findCgroups("nomos", root, own);
    expect([there.by, there.holds]).toEqual(["cgroup v1", ["memory", "cpu"]]);
    there.open("one", LIMITS).add(4711);
    const files = (folder: string) =>
      Object.fromEntries(
        readdirSync(join(root, folder)).map((name) => [name, readFileSync(join(root, folder, name), "utf8")]),
      );
    expect(files("memory/a/b/nomos-one")).toEqual({ "memory.limit_in_bytes": "67108864", "cgroup.procs": "4711" });
    expect(files("cpu/c/nomos-one")).toEqual({ "cpu.cfs_quota_us": "50000", "cgroup.procs": "4711" });
    const odd = made({ "pids/a:b/": "" });
    expect(findCgroups("nomos", odd, "3:pids:/a:b\n").holds).toEqual(["pids"]);
  });

  test("cgroup v2: controllers that are missing below are asked for, and count only when the kernel gives them", () => {
    const offered = {
      "unified/cgroup.controllers": "cpu memory io\n",
      "unified/d/cgroup.controllers": "cpu memory io\n",
    };
    const asked = made({ ...offered, "unified/d/cgroup.subtree_control": "memory\n" });
    // An ordinary file holds what was written last; a kernel would add it.
    expect(findCgroups("nomos", asked, "0::/d\n").by).toBeNull();
    expect(readFileSync(join(asked, "unified/d/cgroup.subtree_control"), "utf8")).toBe("+cpu");
    const given = made({ ...offered, "unified/d/cgroup.subtree_control": "cpu memory\n" });
    const there = findCgroups("nomos", given, "0::/d\n");
    expect([there.by, there.holds]).toEqual(["cgroup v2", ["memory", "cpu"]]);
    there.open("one", LIMITS);
    expect(readdirSync(join(given, "unified/d/nomos-one")).toSorted()).toEqual([
      ...["cpu.max", "memory.max", "memory.swap.max"],
    ]);
    const none = made({
      "cgroup.controllers": "io\n",
      "d/cgroup.controllers": "io\n",
      "d/cgroup.subtree_control": "io\n",
    });
    expect(findCgroups("nomos", none, "0::/d\n").by).toBeNull();
    expect(readFileSync(join(none, "d/cgroup.subtree_control"), "utf8")).toBe("io\n");
  });

  test("a sweep removes this daemon's empty groups, and nobody else's", () => {
    const root = made({
      "pids/d/nomos-old/": "",
      "pids/d/nomos-busy/x": "",
      "pids/d/nomosother-1/": "",
      "pids/d/other/": "",
    });
    const there = findCgroups("nomos", root, "3:pids:/d\n");
    there.open("old", LIMITS);
    rmSync(join(root, "pids/d/nomos-old/pids.max"));
    there.sweep();
    expect(readdirSync(join(root, "pids/d")).toSorted()).toEqual(["nomos-busy", "nomosother-1", "other"]);
  });

  test("a group that still counts a process is removed a little later, and given up after two seconds", () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const root = made({ "pids/d/": "" });
    const there = findCgroups("nomos", root, "3:pids:/d\n");
    const [soon, never] = [there.open("soon", LIMITS), there.open("never", LIMITS)];
    for (const group of [soon, never]) group.close();
    vi.advanceTimersByTime(100);
    expect(readdirSync(join(root, "pids/d"))).toHaveLength(2);
    rmSync(join(root, "pids/d/nomos-soon/pids.max"));
    vi.advanceTimersByTime(100);
    expect([readdirSync(join(root, "pids/d")), vi.getTimerCount()]).toEqual([["nomos-never"], 1]);
    vi.advanceTimersByTime(1_700);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(200);
    expect(vi.getTimerCount()).toBe(0);
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
