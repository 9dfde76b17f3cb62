import { mkdtempSync, realpathSync, rmdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import type { Planned, SandboxPlan } from "./planned.ts";
import { mountPointsOf, seenAt, unlike, unlikePlan } from "./verify-mounts.ts";

const why = "test";
const provesHere = proves.where(process.platform === "linux");
/** This process stands for a sandbox: what it sees is what lies there. */
const PID = process.pid;
const bind = (path: string, access: "read" | "write", from = path) =>
  ({ kind: "bind", path, from, access, why }) as const;

provesHere("WL-2", "a mount is as planned only with the planned access, and with what was meant behind it", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "nomos-mounts-")));
  try {
    expect(unlike(PID, bind(folder, "write"), ["rw", "nosuid"])).toBeNull();
    expect(unlike(PID, bind(folder, "read"), ["ro"])).toBeNull();
    expect(unlike(PID, bind(folder, "read"), ["rw"])).toBe("is writable");
    expect(unlike(PID, bind(folder, "write"), ["ro"])).toBe("is read-only");
    expect(unlike(PID, bind(folder, "read"), undefined)).toBe("is not mounted");
    expect(unlike(PID, bind(folder, "read", "/"), ["ro"])).toBe("is not what lies there outside");
    const { dev, ino } = statSync("/");
    expect(unlike(PID, { ...bind(folder, "read"), is: { dev, ino } }, ["ro"])).toBe("is not what lies there outside");
  } finally {
    rmdirSync(folder);
  }
});

provesHere("WL-2", "a cover has to be read-only; what lies behind it does not matter", () => {
  const cover = { kind: "cover", path: "/nowhere", of: "directory", why } as const;
  expect(unlike(PID, cover, ["ro"])).toBeNull();
  expect(unlike(PID, cover, ["rw"])).toBe("is writable");
});

provesHere(
  "WL-2",
  "a plan is compared mount by mount, of the system and of what is shown; the first that differs is named",
  () => {
    const plan = (system: readonly Planned[], shown: readonly Planned[]): SandboxPlan => ({
      ...{ system, shown, etc: "/etc", cwd: "/", temp: null, home: null, door: null },
    });
    const own = mountPointsOf(PID).get("/proc")?.includes("ro") === true ? "read" : "write";
    const other = own === "read" ? "write" : "read";
    const link = { kind: "link", path: "/bin", to: "usr/bin", why } as const;
    expect(unlikePlan(PID, plan([link], [bind("/proc", own)]))).toBeNull();
    expect(unlikePlan(PID, plan([], [bind("/proc", other)]))).toMatch(/^\/proc is (?:writable|read-only)$/);
    expect(unlikePlan(PID, plan([bind("/no-mount", "read")], []))).toBe("/no-mount is not mounted");
    expect(seenAt(PID, "/no-such-path")).toBeNull();
  },
);
