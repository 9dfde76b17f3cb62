import { type Stats, statSync } from "node:fs";
import { UNREACHABLE, unless } from "../errno.ts";
import { HostError } from "../host-error.ts";
import { type HeldPlace, holdPlace, identityAt, isSame } from "../sandbox/own-place.ts";
import { mountPointsOf, seenAt } from "../sandbox/verify-mounts.ts";
import type { HiddenPath } from "./hidden-paths.ts";

/** The directories that were checked for a start, held open until the sandbox is mounted. */
export interface CheckedPlaces extends Disposable {
  readonly home: HeldPlace;
  readonly cwd: HeldPlace;
  /** Parts of the home that are mounted over its cover. */
  readonly mounted: readonly HeldPlace[];
}

/** Opens real paths that were checked a moment ago; refuses one that has become a link. */
export function holdChecked(home: string, cwd: string, mounted: readonly string[]): CheckedPlaces {
  using held = new DisposableStack();
  const hold = (path: string): HeldPlace => held.use(holdPlace(path) ?? refuse(path));
  const places = { home: hold(home), cwd: hold(cwd), mounted: mounted.map(hold) };
  const kept = held.move();
  return { ...places, [Symbol.dispose]: () => kept.dispose() };
}

/**
 * What differs from the check in the sandbox whose first process is `init`; null when nothing does. bubblewrap mounts
 * by name and follows links: after the check, an agent could replace a directory by a link to the home, and the whole
 * home would be mounted instead of the part that the process may see.
 *
 * `inside`: the processes in the sandbox, whose current directory is the working directory.
 */
export function unlikeChecked(
  init: number,
  inside: readonly number[],
  hidden: readonly HiddenPath[],
  { home, cwd, mounted }: CheckedPlaces,
): string | null {
  const points = mountPointsOf(init);
  const uncovered = hidden.find(({ path }) => !points.has(path));
  if (uncovered !== undefined) return `${uncovered.path} is not hidden`;
  if (!isSame(identityAt(home.path), home.is)) return `${home.path} was moved`;
  const other = mounted.find(({ path, is }) => !points.has(path) || !isSame(seenAt(init, path), is));
  if (other !== undefined) return `${other.path} is not the directory that was checked`;
  const standing = inside.flatMap((pid) => directoryOf(pid) ?? []);
  const isInPlace = standing.length > 0 && standing.every((one) => isSame(one, cwd.is));
  return isInPlace ? null : `${cwd.path} is not the directory that was checked`;
}

function directoryOf(pid: number): Stats | null {
  return unless([...UNREACHABLE, "ESRCH"], () => statSync(`/proc/${pid}/cwd`));
}

function refuse(path: string): never {
  throw new HostError("cwd_missing", `${path} was moved or replaced while a process was about to start in it`, {
    remedy: "start it again",
    details: { path },
  });
}
