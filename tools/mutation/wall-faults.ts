import type { Fault } from "./fault.ts";

const ARGV = ["src/host/sandbox/strict-argv.test.ts"];

/** In the walls around a session, and in the snapshots of its files. */
export const WALL_FAULTS: readonly Fault[] = [
  {
    name: "snapshots do not list what is gone",
    file: "src/host/snapshots/diff/compare.ts",
    from: 'if (old !== null) yield* alone(objects, path, old, "before");',
    to: "",
    project: "unit",
    tests: ["src/supervisor/files", "src/host/snapshots"],
  },
  {
    name: "a read-only mount is writable",
    file: "src/host/sandbox/strict-argv.ts",
    from: 'one.access === "write" ? "--bind" : "--ro-bind"',
    to: 'one.access === "write" ? "--bind" : "--bind"',
    project: "unit",
    tests: ARGV,
  },
  {
    name: "the root of a sandbox stays writable",
    file: "src/host/sandbox/strict-argv.ts",
    from: '...["--remount-ro", "/", "--chdir", plan.cwd],',
    to: '...["--chdir", plan.cwd],',
    project: "unit",
    tests: ARGV,
  },
  {
    name: "the system call filter is left out",
    file: "src/host/sandbox/strict-argv.ts",
    from: "...(seccompFd === null ? [] :",
    to: "...(seccompFd !== null || seccompFd === null ? [] :",
    project: "unit",
    tests: ARGV,
  },
  {
    name: "mounts are not compared with their plan",
    file: "src/host/sandbox/verify-mounts.ts",
    from: "if (problem !== null) return",
    to: 'if (problem === "") return',
    project: "unit",
    tests: ["src/host/sandbox/verify-mounts.test.ts"],
  },
  {
    name: "a rewind forgets one file",
    file: "src/host/snapshots/restore/restore-plan.ts",
    from: "of pairs(listed(objects, old), listed(objects, now))) {",
    to: "of [...pairs(listed(objects, old), listed(objects, now))].slice(1)) {",
    project: "unit",
    tests: ["src/host/snapshots"],
  },
  {
    name: "settings of the kernel stay writable",
    file: "src/host/sandbox/strict-argv.ts",
    from: '"--ro-bind", "/proc/sys", "/proc/sys"',
    to: '"--bind", "/proc/sys", "/proc/sys"',
    project: "unit",
    tests: ARGV,
  },
  {
    name: "a file with a name outside of the directory stays writable",
    file: "src/host/sandbox/strict-plan.ts",
    from: 'access: "read", why: HELD',
    to: 'access: "write", why: HELD',
    project: "unit",
    tests: ["src/host/sandbox/strict-plan.test.ts"],
  },
  {
    name: "one public address lets a name lead to a private one",
    file: "src/host/sandbox/network/egress.ts",
    from: "!addresses.every(isPublicAddress)",
    to: "!addresses.some(isPublicAddress)",
    project: "unit",
    tests: ["src/host/sandbox/network/network.test.ts"],
  },
  {
    name: "a directory on the way through a read-only one becomes writable",
    file: "src/host/sandbox/strict-plan.ts",
    from: "const outer = [path, ...above(path)].map((folder) => byPath.get(folder)).find((mount) => mount !== undefined);",
    to: 'const outer = mounts.find((one) => one.access === "write" && isInside(one.path, path));',
    project: "unit",
    tests: ["src/host/sandbox/strict-plan.test.ts"],
  },
];
