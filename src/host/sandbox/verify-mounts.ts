import { readFileSync, type Stats, statSync } from "node:fs";
import { UNREACHABLE, unless } from "../errno.ts";
import { identityAt, isSame } from "./own-place.ts";
import type { Planned, SandboxPlan } from "./planned.ts";

/**
 * What differs from the plan in the sandbox whose first process is `pid`; null when nothing does. Between plan and
 * mount, somebody with write access could rename a directory or put a link there. So the mounts are checked before
 * anything is started in them.
 */
export function unlikePlan(pid: number, plan: SandboxPlan): string | null {
  const mounts = mountPointsOf(pid);
  for (const one of [...plan.system, ...plan.shown]) {
    const problem = one.kind === "link" ? null : unlike(pid, one, mounts.get(one.path));
    if (problem !== null) return `${one.path} ${problem}`;
  }
  return null;
}

/** Mount point -> options of the topmost mount there. */
export function mountPointsOf(pid: number): ReadonlyMap<string, readonly string[]> {
  const lines = readFileSync(`/proc/${pid}/mountinfo`, "utf8").split("\n");
  return new Map(
    lines.flatMap((line) => {
      const [, , , , point, options] = line.split(" ");
      return point === undefined || options === undefined ? [] : [[decodeOctal(point), options.split(",")] as const];
    }),
  );
}

function decodeOctal(field: string): string {
  return field.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

/** How one mount with these `options` differs from the plan; null when it does not. */
export function unlike(
  pid: number,
  one: Exclude<Planned, { kind: "link" }>,
  options: readonly string[] | undefined,
): string | null {
  if (options === undefined) return "is not mounted";
  const readOnly = options.includes("ro");
  if (readOnly !== (one.kind === "cover" || one.access !== "write")) return readOnly ? "is read-only" : "is writable";
  if (one.kind === "cover") return null;
  const [seen, meant] = [seenAt(pid, one.path), one.is ?? identityAt(one.from)];
  return isSame(seen, meant) ? null : "is not what lies there outside";
}

/** What a process sees at one of its paths. */
export function seenAt(pid: number, path: string): Stats | null {
  return unless(UNREACHABLE, () => statSync(`/proc/${pid}/root${path}`));
}
