import { readFileSync, type Stats, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { UNREACHABLE, unless } from "../errno.ts";
import { isInside } from "../files/path-inside.ts";

export interface HiddenPath {
  readonly path: string;
  readonly kind: "directory" | "file";
}

/**
 * Every path that currently leads to `home` (a real path): itself, other mounts of the same directory, mounts of
 * something inside it, and second mounts of /proc, which lead to the root directory of every process. Links need no
 * cover: they lead to a covered path.
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
    // Hide a home even while it is missing: the mount then fails, and nothing starts.
    if (path === home) return [{ path, kind: "directory" as const }];
    return found === null ? [] : [{ path, kind: found.isDirectory() ? ("directory" as const) : ("file" as const) }];
  });
}

/** Every path that currently leads to each of these, through any mount. */
export function everyNameOf(
  paths: readonly string[],
  mountinfo: string = readFileSync("/proc/self/mountinfo", "utf8"),
): string[] {
  const mounts = parseMounts(mountinfo);
  return [...new Set(paths.flatMap((path) => [path, ...sameDirectory(path, mounts)]))];
}

/**
 * Directories on the way to a hidden path that are not mount points. Such a directory could be renamed, which would
 * move the hidden path out from under the cover of the next sandbox.
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
      // Another mount may cover this one; then something else is found there.
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

/** Where `path` is on its file system: the device, and the directory relative to the file system's root. */
function placeOf(path: string, mounts: readonly Mount[]): { device: string; root: string } | null {
  const around = mounts.filter((mount) => isInside(mount.point, path));
  // The innermost mount; of several on one point the last, which is on top.
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
