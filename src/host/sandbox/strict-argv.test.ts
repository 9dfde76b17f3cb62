import { lstatSync, readdirSync, statSync } from "node:fs";
import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import type { Planned, SandboxPlan } from "./planned.ts";
import { strictArgv } from "./strict-argv.ts";

const why = "test";
const bind = (path: string, access: "read" | "write", from = path): Planned => ({
  kind: "bind",
  path,
  from,
  access,
  why,
});
const EMPTY: SandboxPlan = { system: [], shown: [], etc: "/etc", cwd: "/work", temp: null, home: null, door: null };

/** The arguments without those for files in /proc, which differ between machines. */
function argvOf(plan: Partial<SandboxPlan>, seccompFd: number | null = 3): string {
  const argv = strictArgv({ bwrapPath: "bwrap", plan: { ...EMPTY, ...plan }, argv: ["sh", "-c", "true"], seccompFd });
  return argv.join(" ").replaceAll(/ --ro-bind \/dev\/null \/proc\/\S+/g, "");
}

const OWN =
  "bwrap --unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup --unshare-net " +
  "--disable-userns --die-with-parent --new-session --cap-drop ALL --hostname sandbox";
const PROC = "--proc /proc --ro-bind /proc/sys /proc/sys --dev /dev";
const TEMP = "--perms 1777 --tmpfs /tmp --dir /var --symlink /tmp /var/tmp";
const HOME = "--perms 0700 --tmpfs /run/nomos/home";
const END = "--remount-ro / --chdir /work -- sh -c true";

proves.where(process.platform === "linux")(
  "WL-1",
  "an empty plan: own namespaces, no rights, a filter, no files",
  () => {
    expect(argvOf({})).toBe(`${OWN} --seccomp 3 --tmpfs / ${PROC} ${TEMP} ${HOME} ${END}`);
    expect(argvOf({}, null)).toBe(`${OWN} --tmpfs / ${PROC} ${TEMP} ${HOME} ${END}`);
  },
);

proves.where(process.platform === "linux")(
  "WL-2",
  "what is read-only or covered in the plan is so in the sandbox",
  () => {
    const system: Planned[] = [bind("/usr", "read"), { kind: "link", path: "/bin", to: "usr/bin", why }];
    const shown: Planned[] = [
      bind("/work", "write"),
      bind("/work/held", "read", "/outside"),
      { kind: "cover", path: "/work/dark", of: "directory", why },
      { kind: "cover", path: "/work/key", of: "file", why },
      bind("/work/dark/open", "read"),
    ];
    expect(argvOf({ system, shown })).toBe(
      [
        `${OWN} --seccomp 3 --tmpfs /`,
        "--ro-bind /usr /usr --symlink usr/bin /bin",
        `${PROC} ${TEMP} ${HOME}`,
        "--bind /work /work --ro-bind /outside /work/held",
        "--perms 0555 --tmpfs /work/dark --ro-bind /dev/null /work/key --ro-bind /work/dark/open /work/dark/open",
        `--remount-ro /work/dark ${END}`,
      ].join(" "),
    );
  },
);

proves.where(process.platform === "linux")(
  "WL-1",
  "a cover in the system is sealed before anything else is shown",
  () => {
    const system: Planned[] = [{ kind: "cover", path: "/usr/closed", of: "directory", why }];
    expect(argvOf({ system })).toContain("--tmpfs /usr/closed --remount-ro /usr/closed --proc /proc");
  },
);

proves.where(process.platform === "linux")(
  "WL-1",
  "its own temp directory, HOME and door are mounted where it looks",
  () => {
    expect(argvOf({ temp: "/t", home: "/h", door: "/d" })).toBe(
      `${OWN} --seccomp 3 --tmpfs / ${PROC} --bind /t /tmp --dir /var --symlink /tmp /var/tmp --bind /h /run/nomos/home --bind /d /run/nomos/door.sock ${END}`,
    );
  },
);

proves.where(process.platform === "linux")("WL-1", "files of the whole machine in /proc are covered", () => {
  const argv = strictArgv({ bwrapPath: "bwrap", plan: EMPTY, argv: [], seccompFd: null });
  const covered = argv.flatMap((word, at) => (word === "/dev/null" ? [argv[at + 1]] : []));
  const known = ["sysrq-trigger", "kcore", "keys", "mtrr"].map((name) => `/proc/${name}`);
  const isFile = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
  // Which files only root may read differs between kernels.
  const forRoot = readdirSync("/proc")
    .map((name) => `/proc/${name}`)
    .filter((path) => path !== "/proc/kmsg" && isFile(path) && (statSync(path).mode & 0o004) === 0);
  const here = [...known.filter(isFile), ...forRoot];
  expect(here.filter((path) => !covered.includes(path))).toEqual([]);
  for (const open of ["/proc/cpuinfo", "/proc/meminfo", "/proc/kmsg", "/proc/1", "/proc/self", "/proc/sys"])
    expect(covered).not.toContain(open);
});
