import { type Refusal, refuse } from "../../kernel/index.ts";

/** Where a session works, as AIP-46 spells it: a workspace and a path below it. Compared by parts, never as text. */
export interface Ground {
  readonly workspace: string;
  readonly below: readonly string[];
}

/** The workspace of sessions outside all registered ones. Not a boundary: its sessions share only the name. */
export const DEFAULT_WORKSPACE = "default";

const URI = "ws://workspaces/";
const COMPACT = "workspace:";
const SLUG = /^[a-z0-9][a-z0-9-]{0,63}$/;
const GROUND_CHARS_MAX = 1024;
const SEGMENTS_MAX = 64;

export function isWorkspaceSlug(text: string): boolean {
  return SLUG.test(text);
}

/** Parses `ws://workspaces/<slug>[/path]` or `workspace:<slug>[/path]`. An ambiguous path is refused. */
export function parseGround(text: string): Ground | Refusal {
  const off = (reason: string): Refusal =>
    refuse("invalid_ground", { ground: text.slice(0, GROUND_CHARS_MAX), reason });
  if (text.length > GROUND_CHARS_MAX) return off("it is too long");
  const body = text.startsWith(URI)
    ? text.slice(URI.length)
    : text.startsWith(COMPACT)
      ? text.slice(COMPACT.length)
      : null;
  if (body === null) return off(`it does not begin with ${URI}`);
  const [workspace = "", ...below] = body.replace(/\/$/, "").split("/");
  if (!isWorkspaceSlug(workspace)) return off("its workspace is no slug: lower case letters, digits and dashes");
  if (below.length > SEGMENTS_MAX) return off("its path is too deep");
  const odd = below.find((segment) => segment === "" || segment === "." || segment === ".." || ODD.test(segment));
  return odd === undefined ? { workspace, below } : off(`its path has the part ${JSON.stringify(odd)}`);
}

/** Some programs take a backslash or an escape for a separator, and control characters make unusable names. */
const ODD = /[\\%?#*\p{Cc}]/u;

export function spellGround({ workspace, below }: Ground): string {
  return `${URI}${[workspace, ...below].join("/")}`;
}

/** Whether one ground equals the other or is below it, by name. The real paths are checked separately. */
export function isWithinGround(outer: Ground, inner: Ground): boolean {
  return outer.workspace === inner.workspace && outer.below.every((segment, at) => inner.below[at] === segment);
}
