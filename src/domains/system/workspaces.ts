import { type Decision, event, type FactOf, factsOf, refuse } from "../../kernel/index.ts";
import { DEFAULT_WORKSPACE } from "./ground.ts";

export const WORKSPACE_EVENTS = {
  /** Added, or changed under its slug. */
  "workspace.added@1": event<{ readonly slug: string; readonly path: string; readonly label: string | null }>({
    spaceNeed: "start",
    exact: true,
  }),
  "workspace.removed@1": event<{ readonly slug: string }>(),
  "workspace.used@1": event<{ readonly slug: string }>({ spaceNeed: "start" }),
};

export const WORKSPACE_LIMITS = { workspacesMax: { max: 200, of: "directories with a name" } };

const fact = factsOf(WORKSPACE_EVENTS);
type WorkspaceFact = FactOf<typeof WORKSPACE_EVENTS>;

/** A named directory for sessions to work in. */
export interface Workspace {
  readonly slug: string;
  readonly path: string;
  readonly label: string | null;
  readonly addedAt: string;
  readonly updatedAt: string;
}

export interface Workspaces {
  readonly list: readonly Workspace[];
  /** Used by sessions that name no directory. */
  readonly active: string | null;
}

export const NO_WORKSPACES: Workspaces = { list: [], active: null };

export function evolveWorkspaces(state: Workspaces, given: WorkspaceFact, at: string): Workspaces {
  switch (given.type) {
    case "workspace.added@1": {
      const before = state.list.find(({ slug }) => slug === given.data.slug);
      const added: Workspace = { ...given.data, addedAt: before?.addedAt ?? at, updatedAt: at };
      const list =
        before === undefined ? [...state.list, added] : state.list.map((one) => (one === before ? added : one));
      return { ...state, list };
    }
    case "workspace.removed@1": {
      const { slug: gone } = given.data;
      const list = state.list.filter(({ slug }) => slug !== gone);
      return { list, active: state.active === gone ? null : state.active };
    }
    case "workspace.used@1":
      return { ...state, active: given.data.slug };
  }
}

/** Adding a slug again changes it. The first workspace becomes active. */
export function addWorkspace(
  { list, active }: Workspaces,
  input: { readonly slug: string; readonly path: string; readonly label: string | null },
): Decision {
  if (input.slug === DEFAULT_WORKSPACE) return refuse("workspace_reserved", { slug: input.slug });
  const before = list.find(({ slug }) => slug === input.slug);
  if (before?.path === input.path && before.label === input.label) return [];
  if (before === undefined && list.length >= WORKSPACE_LIMITS.workspacesMax.max)
    return refuse("workspace_limit", { max: WORKSPACE_LIMITS.workspacesMax.max });
  const added = fact("workspace.added@1", input);
  return active === null && list.length === 0 ? [added, fact("workspace.used@1", { slug: input.slug })] : [added];
}

export function removeWorkspace({ list }: Workspaces, slug: string): Decision {
  return list.some((one) => one.slug === slug)
    ? [fact("workspace.removed@1", { slug })]
    : refuse("workspace_not_found", { slug });
}

export function useWorkspace({ list, active }: Workspaces, slug: string): Decision {
  if (!list.some((one) => one.slug === slug)) return refuse("workspace_not_found", { slug });
  return active === slug ? [] : [fact("workspace.used@1", { slug })];
}
