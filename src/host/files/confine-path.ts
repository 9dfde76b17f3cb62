import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { unless } from "../errno.ts";
import { HostError } from "../host-error.ts";
import { isInside } from "./path-inside.ts";

/**
 * The real path of `path` (absolute, or relative to `root`), with every `..` and link resolved, including dangling
 * links. Refuses `path_outside` unless the result is `root` or below it. The file need not exist.
 *
 * Valid only at this moment: a process that can write below `root` can add a link afterwards. Use the result at once,
 * and only where no process of another trust level runs in the same tree.
 */
export function confinePath(root: string, path: string): string {
  if (path.includes("\0") || root.includes("\0")) {
    throw new HostError("path_invalid", "a path cannot contain a NUL byte", { remedy: "remove the NUL byte" });
  }
  const base = realpathSync(root);
  const place = followLinks(isAbsolute(path) ? path : `${base}/${path}`, path);
  if (isInside(base, place)) return place;
  throw new HostError("path_outside", `${path} lies outside ${root}`, {
    remedy: `name a path below ${root}`,
    details: { root: base, path, place },
  });
}

/** Where an absolute path leads at this moment, wherever that is. The file need not exist. */
export function realPlace(path: string): string {
  return followLinks(path, path);
}

/** As in Linux: a path with more links counts as a loop. */
const LINKS_MAX = 40;

/** Resolves links like the kernel, but allows missing parts, on which `realpath` fails. */
function followLinks(absolute: string, asGiven: string): string {
  const pending = absolute.split("/");
  let place = "/";
  let links = 0;
  for (let part = pending.shift(); part !== undefined; part = pending.shift()) {
    if (part === "" || part === ".") continue;
    if (part === "..") {
      place = dirname(place);
      continue;
    }
    const next = join(place, part);
    const target = linkTarget(next);
    if (target === null) {
      place = next;
      continue;
    }
    links += 1;
    if (links > LINKS_MAX) {
      throw new HostError("path_outside", `${asGiven} goes through too many links`, {
        remedy: "name the file itself, not a link to it",
        details: { path: asGiven, linksMax: LINKS_MAX },
      });
    }
    pending.unshift(...target.split("/"));
    if (isAbsolute(target)) place = "/";
  }
  return resolve(place);
}

function linkTarget(path: string): string | null {
  return unless(["ENOENT", "ENOTDIR"], () => (lstatSync(path).isSymbolicLink() ? readlinkSync(path) : null));
}
