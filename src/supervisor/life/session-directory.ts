import { join, relative, sep } from "node:path";
import { NomosError, refusalError } from "../../contract/index.ts";
import {
  DEFAULT_WORKSPACE,
  didYouMean,
  type Ground,
  isWithinGround,
  parseGround,
  spellGround,
  type Workspace,
  type Workspaces,
} from "../../domains/index.ts";
import { type Files, isInside } from "../../host/index.ts";
import { isRefusal, type SessionSpec } from "../../kernel/index.ts";
import { FORKS } from "../files/session-files.ts";

/** Where a session works: its directory, ground and workspace. */
export type Place = Pick<SessionSpec, "workspace" | "ground" | "cwd">;

export interface PlaceInput {
  readonly workspaceSlug?: string | undefined;
  readonly ground?: string | undefined;
  readonly cwd?: string | undefined;
  /** The caller may name a directory only if it lies in a workspace. */
  readonly onlyRegistered?: boolean | undefined;
}

export interface PlaceSources {
  /** The real path, without links. */
  readonly home: string;
  readonly files: Pick<Files, "directory">;
  readonly defaultCwd: string;
  readonly workspaces: () => Promise<Workspaces>;
}

/**
 * For a session that a person starts. Order: ground, directory, workspace slug, active workspace, the daemon's directory.
 */
export async function placeOf(input: PlaceInput, sources: PlaceSources): Promise<Place> {
  if (input.ground !== undefined && input.cwd !== undefined)
    throw new NomosError("invalid_request", { reason: "a `ground` names the directory; leave out `cwd`" });
  const { list, active } = await sources.workspaces();
  const named = (slug: string | null | undefined) => list.find((one) => one.slug === slug);
  const ground = input.ground === undefined ? null : groundOf(input.ground);
  if (ground !== null && ground.workspace !== DEFAULT_WORKSPACE) {
    const workspace = named(ground.workspace);
    if (workspace === undefined) {
      const slugs = list.map((one) => one.slug);
      const message = `There is no workspace \`${ground.workspace}\`.${didYouMean(ground.workspace, slugs)}`;
      throw new NomosError("workspace_not_found", { slug: ground.workspace }, { message });
    }
    return placeIn(workspace, ground, sources);
  }
  if (ground !== null && ground.below.length > 0)
    throw new NomosError("invalid_ground", { ground: input.ground ?? "", reason: "the default workspace has no path" });
  if (input.cwd !== undefined) {
    const place = nameOf(await directory(input.cwd, sources), list, named(input.workspaceSlug));
    return registered(place, input, input.cwd);
  }
  const workspace = named(input.workspaceSlug) ?? named(active);
  if (workspace !== undefined) return placeIn(workspace, { workspace: workspace.slug, below: [] }, sources);
  const place = nameOf(await directory(sources.defaultCwd, sources), [], undefined);
  // The daemon's directory must be in a workspace too: it may be the person's home directory.
  return registered(place, input, null);
}

function registered(place: Place, { onlyRegistered }: PlaceInput, cwd: string | null): Place {
  if (onlyRegistered !== true || place.workspace !== DEFAULT_WORKSPACE) return place;
  throw new NomosError("denied", { rules: ["cwd_unregistered"], cwd });
}

/**
 * For a session's child: the parent's ground or a place below it, checked by name and by real path. The active workspace and
 * later registrations do not matter.
 */
export async function placeBelow(
  parent: Place,
  asked: string | undefined,
  sources: Pick<PlaceSources, "home" | "files">,
): Promise<Place> {
  const outer = groundOf(parent.ground);
  const inner = asked === undefined ? outer : groundOf(asked);
  if (!isWithinGround(outer, inner)) throw outside(parent, asked);
  const path = join(parent.cwd, ...inner.below.slice(outer.below.length));
  const [root, cwd] = [await sources.files.directory(parent.cwd), await sources.files.directory(path)];
  if (root !== parent.cwd) throw outside(parent, asked);
  if (cwd === null) throw new NomosError("cwd_missing", { ground: spellGround(inner) });
  if (!isInside(root, cwd)) throw outside(parent, asked);
  if (![FORKS, "worktrees"].some((name) => isInside(join(sources.home, name), root))) refuseHidden(cwd, sources.home);
  return { workspace: parent.workspace, ground: spellGround(inner), cwd };
}

async function placeIn(workspace: Workspace, ground: Ground, sources: PlaceSources): Promise<Place> {
  const root = await directory(workspace.path, sources);
  const cwd = await directory(join(root, ...ground.below), sources);
  if (!isInside(root, cwd)) throw new NomosError("path_outside", { ground: spellGround(ground) });
  return { workspace: workspace.slug, ground: spellGround(ground), cwd };
}

/** The workspace of a directory: the requested one if it contains the directory, else the innermost. */
function nameOf(cwd: string, list: readonly Workspace[], wanted: Workspace | undefined): Place {
  const around = list.filter(({ path }) => isInside(path, cwd)).toSorted((a, b) => b.path.length - a.path.length);
  const workspace = around.find((one) => one === wanted) ?? around[0];
  if (workspace === undefined)
    return { workspace: DEFAULT_WORKSPACE, ground: spellGround({ workspace: DEFAULT_WORKSPACE, below: [] }), cwd };
  const below = relative(workspace.path, cwd).split(sep).filter(Boolean);
  const spelled = groundOrNull(spellGround({ workspace: workspace.slug, below }));
  return { workspace: workspace.slug, ground: spellGround(spelled ?? { workspace: workspace.slug, below: [] }), cwd };
}

/** The real path, links followed. Inside the home only folders for sessions' work are allowed. */
export async function directory(path: string, { files, home }: Pick<PlaceSources, "files" | "home">): Promise<string> {
  const found = await files.directory(path);
  if (found === null)
    throw new NomosError("cwd_missing", { cwd: path }, { message: `There is no directory \`${path}\`.` });
  refuseHidden(found, home, path);
  return found;
}

function refuseHidden(found: string, home: string, cwd = found): void {
  const isOurs = ["workspaces", "worktrees", FORKS].some((name) => found.startsWith(join(home, name) + sep));
  if (isInside(home, found) && !isOurs) throw new NomosError("cwd_hidden", { cwd });
}

function groundOf(text: string): Ground {
  const parsed = parseGround(text);
  if (isRefusal(parsed)) throw refusalError(parsed);
  return parsed;
}

/** Null for a directory whose name cannot be written as a ground. */
function groundOrNull(text: string): Ground | null {
  const parsed = parseGround(text);
  return isRefusal(parsed) ? null : parsed;
}

function outside(parent: Place, asked: string | undefined): NomosError {
  return new NomosError("cwd_outside_parent", { ground: asked ?? parent.ground, parent: parent.ground });
}
