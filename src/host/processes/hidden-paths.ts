import { readFileSync, type Stats, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { UNREACHABLE, unless } from "../errno.ts";
import { isInside } from "../files/path-inside.ts";

export interface HiddenPath {
  readonly path: string;
  readonly kind: "directory" | "file";
}

/**
 * Every path under which the bytes of `home` (a real path) can be reached now: itself, the same directory seen through
 * another mount, mounts of something inside it, and second mounts of /proc, which lead to the root directory of every
 * process of the host. Links need no cover of their own: they lead to a covered place.
 */
export function hiddenPaths(
  home: string,
  mountinfo: string = readFileSync("/proc/self/mountinfo", "utf8"),
): HiddenPath[] {
  const mounts = parseMounts(mountinfo);
  const paths = [home, ...sameDirectory(home, mounts), ...partsOf(home, mounts), ...otherProc(mounts)];
  const outermost = paths.filter((path) => !paths.some((other) => other !== path && isInside(other, path)));
  return [...new Set(outermost)].flatMap((path) => {
    const found = stat(path);
    // A home that is away for a moment has to be hidden too: then the mount fails, and nothing starts.
    if (path === home) return [{ path, kind: "directory" as const }];
    return found === null ? [] : [{ path, kind: found.isDirectory() ? ("directory" as const) : ("file" as const) }];
  });
}

/** Every path under which each of these can be reached now, through whatever mount. */
export function everyNameOf(
  paths: readonly string[],
  mountinfo: string = readFileSync("/proc/self/mountinfo", "utf8"),
): string[] {
  const mounts = parseMounts(mountinfo);
  return [...new Set(paths.flatMap((path) => [path, ...sameDirectory(path, mounts)]))];
}

/**
 * The directories on the way to what is hidden that nothing is mounted on. Such a one can be renamed, and with it moves
 * what is hidden, out from under the cover that the next sandbox puts over its old name.
 */
export function wayTo(
  hidden: readonly HiddenPath[],
  mountinfo: string = readFileSync("/proc/self/mountinfo", "utf8"),
): string[] {
  const points = new Set(parseMounts(mountinfo).map(({ point }) => point));
  const way = new Set<string>();
  for (const { path } of hidden)
    for (let folder = dirname(path); folder !== "/"; folder = dirname(folder)) way.add(folder);
  return [...way].filter((folder) => !points.has(folder)).toSorted((a, b) => a.length - b.length);
}

interface Mount {
  readonly device: string;
  /** The directory of the file system that is mounted. */
  readonly root: string;
  readonly point: string;
  readonly type: string;
}

function sameDirectory(home: string, mounts: readonly Mount[]): string[] {
  const place = placeOf(home, mounts);
  const itself = stat(home);
  return mounts
    .filter((mount) => mount.device === place?.device && isInside(mount.root, place.root))
    .map((mount) => join(mount.point, relative(mount.root, place?.root ?? "/")))
    .filter((path) => {
      // A mount may lie below another one and not be reachable: then something else is found there.
      const found = stat(path);
      return found !== null && found.dev === itself?.dev && found.ino === itself.ino;
    });
}

function partsOf(home: string, mounts: readonly Mount[]): string[] {
  const place = placeOf(home, mounts);
  return mounts
    .filter((mount) => mount.device === place?.device && mount.root !== place.root && isInside(place.root, mount.root))
    .map((mount) => mount.point);
}

function otherProc(mounts: readonly Mount[]): string[] {
  return mounts.filter((mount) => mount.type === "proc" && !isInside("/proc", mount.point)).map((mount) => mount.point);
}

/** Where `path` lies on its file system: device, and directory seen from that file system's own root. */
function placeOf(path: string, mounts: readonly Mount[]): { device: string; root: string } | null {
  const around = mounts.filter((mount) => isInside(mount.point, path));
  // The innermost; of several on one point the last, which lies on top.
  const mount = around.reduce<Mount | null>(
    (best, next) => (next.point.length >= (best?.point.length ?? 0) ? next : best),
    null,
  );
  return mount === null ? null : { device: mount.device, root: join(mount.root, relative(mount.point, path)) };
}

/** proc_pid_mountinfo(5): id parent device root point options [tags ...] - type source options. */
function parseMounts(mountinfo: string): Mount[] {
  return mountinfo.split("\n").flatMap((line) => {
    const [, , device, root, point, ...rest] = line.split(" ").map(decodeOctal);
    const type = rest[rest.indexOf("-") + 1];
    return device && root && point && type ? [{ device, root, point, type }] : [];
  });
}

/** Blanks and backslashes in a path are written as three octal digits. */
function decodeOctal(field: string): string {
  return field.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

function stat(path: string): Stats | null {
  return unless(UNREACHABLE, () => statSync(path));
}
