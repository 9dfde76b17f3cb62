import { readFileSync, type Stats, statSync } from "node:fs";
import { UNREACHABLE, unless } from "../errno.ts";
import { identityAt, isSame } from "./own-place.ts";
import type { Planned, SandboxPlan } from "./planned.ts";

/**
 * What is not as planned in the sandbox whose first process is `pid`; null when all of it is. Between the plan and the
 * mounts somebody who may write in a directory on the way can rename it, or put a link there: so it is looked at again
 * when the mounts stand and nothing has been started in them.
 */
export function unlikePlan(pid: number, plan: SandboxPlan): string | null {
  const mounts = mountPointsOf(pid);
  for (const one of [...plan.system, ...plan.shown]) {
    const problem = one.kind === "link" ? null : unlike(pid, one, mounts.get(one.path));
    if (problem !== null) return `${one.path} ${problem}`;
  }
  return null;
}

/** Mount point -> options of the mount that lies on top there. */
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

/** What is not as planned about one mount, `options` being those of what is mounted there; null: nothing. */
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

/** What a process sees at a path of its own. */
export function seenAt(pid: number, path: string): Stats | null {
  return unless(UNREACHABLE, () => statSync(`/proc/${pid}/root${path}`));
}
