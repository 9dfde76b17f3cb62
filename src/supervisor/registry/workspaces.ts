import type { By, Committer } from "../../commit/index.ts";
import {
  addWorkspace,
  NO_WORKSPACES,
  removeWorkspace,
  SYSTEM,
  SYSTEM_STREAM,
  System,
  useWorkspace,
  type Workspaces,
} from "../../domains/index.ts";
import type { Files } from "../../host/index.ts";
import type { Decision } from "../../kernel/index.ts";
import type { RecordedEvent, Store } from "../../store/index.ts";
import { directory } from "../life/session-directory.ts";

type Events = Promise<readonly RecordedEvent[]>;

/** The registry of named directories. The log is authoritative; the file beside it is for other programs. */
export interface WorkspaceRegistry {
  readonly all: () => Promise<Workspaces>;
  /** The directory must exist; its real path is stored. */
  readonly add: (
    input: { readonly slug: string; readonly path: string; readonly label: string | null },
    by: By,
  ) => Events;
  readonly remove: (slug: string, by: By) => Events;
  readonly use: (slug: string, by: By) => Events;
}

export function createWorkspaces(deps: {
  readonly store: Store;
  readonly committer: Committer;
  readonly files: Pick<Files, "directory">;
  /** Refused as a workspace: no session may work in the home. */
  readonly home: string;
  /** Called after each change. */
  readonly onChange: (workspaces: Workspaces) => Promise<void>;
}): WorkspaceRegistry {
  const { store, committer } = deps;
  const all = async (): Promise<Workspaces> => {
    const state = await store.row(SYSTEM, SYSTEM_STREAM);
    return state?.workspaces ?? NO_WORKSPACES;
  };
  const change = async (decide: (workspaces: Workspaces) => Decision, by: By): Events => {
    const { events } = await committer.change(System, "", (state) => decide(state.workspaces ?? NO_WORKSPACES), by);
    await deps.onChange(await all());
    return events;
  };
  return {
    all,
    add: async (input, by) => {
      const path = await directory(input.path, deps);
      return change((workspaces) => addWorkspace(workspaces, { ...input, path }), by);
    },
    remove: (slug, by) => change((workspaces) => removeWorkspace(workspaces, slug), by),
    use: (slug, by) => change((workspaces) => useWorkspace(workspaces, slug), by),
  };
}
