import { realpathSync, type Stats, statSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname } from "node:path";
import { UNREACHABLE, unless } from "../errno.ts";
import { isInside } from "../files/path-inside.ts";
import { HostError } from "../host-error.ts";
import { everyNameOf, type HiddenPath } from "../processes/hidden-paths.ts";
import type { HeldFiles } from "./ground/held-files.ts";
import { type Identity, identityAt } from "./own-place.ts";
import type { Planned, SandboxPlan } from "./planned.ts";
import { programMounts } from "./program-mounts.ts";
import { systemParts } from "./system/system-parts.ts";
import { withoutClosed } from "./system/without-closed.ts";
import type { Mount, Walls } from "./walls.ts";

export interface PlanInput {
  /** Real path. */
  readonly cwd: string;
  readonly searchPath: string;
  readonly walls: Walls;
  /** The folder to show as /etc. */
  readonly etc: string;
  /** Paths in the other system folders that not everybody may read. */
  readonly closed: readonly HiddenPath[];
  /** Paths that must never be visible under any name: the product's home. */
  readonly hidden: readonly HiddenPath[];
  /** The person's own HOME. */
  readonly personHome: string | null;
  /** Finds paths in writable directories that must stay read-only. */
  readonly heldFiles: HeldFiles;
}

export function strictPlan({
  cwd,
  searchPath,
  walls,
  etc,
  closed,
  hidden,
  personHome,
  heldFiles,
}: PlanInput): SandboxPlan {
  const personHomes = homesOf(personHome);
  refuseWideOpen(cwd, personHomes);
  const system = systemParts().map(
    (part): Planned =>
      "link" in part
        ? { kind: "link", path: part.path, to: part.link, why: "the system" }
        : {
            kind: "bind",
            path: part.path,
            from: part.path === "/etc" ? etc : part.path,
            access: "read",
            why: "the system",
          },
  );
  const isSystem = (path: string) => system.some((part) => isInside(part.path, path));
  const kept = [
    ...(personHome === null ? [] : [personHome]),
    ...everyNameOf(personHomes),
    cwd,
    ...hidden.map(({ path }) => path),
  ];
  const programs = programMounts({ programs: walls.programs, searchPath, kept })
    .filter((path) => !isSystem(path) && !isInside(cwd, path))
    // Only entries of the PATH may contain links: whoever can change the PATH needs no link.
    .map((path): Mount => ({ path, from: realpathSync(path), access: "read", why: "programs" }));
  const mounts: Mount[] = [...programs, { path: cwd, access: "write", why: "the working directory" }, ...walls.mounts];
  const systemMounts = system.flatMap((part): Mount[] =>
    part.kind === "bind" ? [{ path: part.path, access: "read" }] : [],
  );
  const given = lastOfEach([...coversIn([...systemMounts, ...mounts], hidden), ...mounts]);
  return {
    system: [...system, ...withoutClosed(closed)],
    shown: inOrder(pinned(lastOfEach([...given, ...heldIn(given, heldFiles)]))).flatMap(planned),
    etc,
    cwd,
    temp: walls.temp,
    home: walls.home,
    door: walls.door?.socket ?? null,
  };
}

/** The HOME from the environment, and the one of the account. */
function homesOf(personHome: string | null): string[] {
  const named = [...(personHome === null ? [] : [personHome]), ...accountHome()];
  return named.flatMap((path) => unless(UNREACHABLE, () => realpathSync(path)) ?? []).filter((path) => path !== "/");
}

/** Empty when the account has no passwd entry, as in containers. */
function accountHome(): string[] {
  return unless(["ERR_SYSTEM_ERROR"], () => [userInfo().homedir]) ?? [];
}

const TOO_WIDE = ["/", "/bin", "/sbin", "/lib", "/lib64", "/proc", "/sys", "/dev", "/run", "/boot", "/var", "/home"];
const SYSTEM = ["/usr", "/etc"];

/**
 * Refuses a workspace that contains the system or the person's whole HOME, because nothing would be left to protect.
 * Checks every name of these directories, because mounts can give them others.
 */
function refuseWideOpen(cwd: string, personHomes: readonly string[]): void {
  const isWide = everyNameOf(TOO_WIDE).includes(cwd);
  const isSystem = everyNameOf(SYSTEM).some((path) => isInside(path, cwd) || isInside(cwd, path));
  if (!isWide && !isSystem && !everyNameOf(personHomes).some((path) => isInside(cwd, path))) return;
  throw new HostError(
    "sandbox_unavailable",
    `strict cannot wall off ${cwd}: it is the system, or holds a person's HOME`,
    {
      remedy: "work in a directory of its own, such as one below HOME",
      details: { cwd },
    },
  );
}

/**
 * If one mount is inside a writable other one, every directory on the way becomes a mount too. Otherwise the session
 * could rename such a directory and put a link in its place before the next process starts. Only where the writable one
 * is the innermost: a directory on the way through a read-only or hidden one stays as it is.
 */
function pinned(mounts: readonly PlannedMount[]): PlannedMount[] {
  const byPath = new Map(mounts.map((mount) => [mount.path, mount]));
  const onTheWay = new Set(mounts.flatMap(({ path }) => above(path)));
  const pins = [...onTheWay].flatMap((path): Mount[] => {
    const outer = [path, ...above(path)].map((folder) => byPath.get(folder)).find((mount) => mount !== undefined);
    return outer?.access === "write" && outer.path !== path ? [pinOf(path, outer)] : [];
  });
  return [...pins, ...mounts];
}

function pinOf(path: string, outer: Mount): Mount {
  const from = outer.from === undefined ? {} : { from: outer.from + path.slice(outer.path.length) };
  return { path, access: outer.access, ...from, why: `on the way to a mount in ${outer.path}` };
}

/** The directories that a path lies in. */
function above(path: string): string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folder !== "/"; folder = dirname(folder)) folders.push(folder);
  return folders;
}

/** A path inside a mount belongs to that mount. */
function heldIn(mounts: readonly Mount[], heldFiles: HeldFiles): PlannedMount[] {
  const writable = mounts.filter(({ path, from = path, access }) => access === "write" && from === path);
  const roots = writable.map(({ path }) => path).filter(isDirectory);
  const held = heldFiles.list({ roots, apart: new Set(mounts.map(({ path }) => path)) });
  return held.map(({ path, is }) => ({ path, access: "read", why: HELD, is }));
}

const HELD = "it has a name outside of the directory, or is set-id, or cannot be looked at";

interface PlannedMount extends Mount {
  readonly is?: Identity;
}

function isDirectory(path: string): boolean {
  return unless<Stats>(UNREACHABLE, () => statSync(path))?.isDirectory() ?? false;
}

/** Of several mounts on one path the last counts. */
function lastOfEach(mounts: readonly PlannedMount[]): PlannedMount[] {
  return [...new Map(mounts.map((mount) => [mount.path, mount])).values()];
}

/** Outer before inner. */
function inOrder(mounts: readonly PlannedMount[]): PlannedMount[] {
  return lastOfEach(mounts).toSorted((a, b) => depth(a.path) - depth(b.path));
}

function depth(path: string): number {
  return path.split("/").length;
}

function planned({ path, access, from = path, why = "asked for", is }: PlannedMount): Planned[] {
  const found = unless<Stats>(UNREACHABLE, () => statSync(from));
  if (access === "hidden")
    return found === null ? [] : [{ kind: "cover", path, of: found.isDirectory() ? "directory" : "file", why }];
  if (found === null)
    throw new HostError("sandbox_unavailable", `${from} does not exist, so it cannot be shown`, {
      remedy: "create it, or leave it out",
      details: { path: from },
    });
  refuseLinked(from);
  return [{ kind: "bind", path, from, access, why, ...(is === undefined ? {} : { is }) }];
}

/**
 * Throws unless a path is still real: a session with write access around it could have replaced a directory by a link
 * to somewhere else.
 */
function refuseLinked(path: string): void {
  if (identityAt(path) !== null) return;
  throw new HostError("sandbox_unavailable", `${path} is a link, or lies behind one`, {
    remedy: "put the directory back where it was, or name the real one",
    details: { path },
  });
}

/** Covers for hidden paths inside shown directories. A part of them may still be shown by a mount of its own. */
function coversIn(shown: readonly Mount[], hidden: readonly HiddenPath[]): Mount[] {
  return hidden.flatMap(({ path }) =>
    shown
      .filter(({ access }) => access !== "hidden")
      .filter((mount) => isInside(mount.from ?? mount.path, path))
      .map((mount): Mount => {
        const seen = mount.path + path.slice((mount.from ?? mount.path).length);
        return { path: seen, from: path, access: "hidden", why: "hidden from sessions" };
      }),
  );
}

/** Whether the plan makes a path visible inside. */
export function isShown(plan: SandboxPlan, path: string): boolean {
  const all = [...plan.system, ...plan.shown];
  const around = all.filter((one) => isInside(one.path, path)).toSorted((a, b) => depth(b.path) - depth(a.path));
  return around[0] !== undefined && around[0].kind !== "cover";
}
