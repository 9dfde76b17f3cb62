import { useEffect } from "preact/hooks";
import { keep, kept, navigate, useCall } from "../frame/index.ts";
import { useSessions } from "../live/index.ts";
import { knownFolders } from "./known-folders.ts";

const KEPT = "repository";

export interface ChosenRepository {
  /** Null until a folder is known or given. */
  readonly cwd: string | null;
  readonly known: readonly string[];
  readonly choose: (cwd: string) => void;
}

/** The repository that a page of governance is about: of the address, or the one that was chosen last. */
export function useRepository(path: string, query: URLSearchParams): ChosenRepository {
  const trees = useCall("worktree.list", {});
  const spaces = useCall("workspace.list", {}, { on: /^workspace\./ });
  const laws = useCall("governance.list", {}, { on: /^governance\./ });
  const sessions = useSessions();
  const isRead = !trees.isLoading && !spaces.isLoading && !laws.isLoading;
  const known = knownFolders({
    governed: laws.value?.repositories ?? [],
    worktrees: trees.value?.worktrees ?? [],
    workspaces: spaces.value?.workspaces ?? [],
    sessions,
  });
  const given = query.get("cwd") ?? "";
  const cwd = given !== "" ? given : (kept(KEPT) ?? (isRead ? (known[0] ?? null) : null));
  useEffect(() => {
    if (given !== "") keep(KEPT, given);
  }, [given]);
  const choose = (folder: string): void => navigate(`${path}?${new URLSearchParams({ cwd: folder })}`);
  return { cwd, known, choose };
}
