import { navigate, type PageProps } from "../frame/index.ts";
import { Tabs } from "../parts/index.ts";
import { Changes } from "./changes.tsx";
import { Scopes } from "./scopes.tsx";
import { Worktrees } from "./worktrees.tsx";
import "./page.css";

const TABS = [
  { id: "worktrees", name: "Worktrees" },
  { id: "changes", name: "Last changes" },
  { id: "scopes", name: "Scope" },
];

/** Where sessions work, what they changed, and what was put back. */
export function View({ query }: PageProps) {
  const tab = TABS.find(({ id }) => id === query.get("tab"))?.id ?? "worktrees";
  return (
    <div class="page files">
      <div class="page-head">
        <h1>Files</h1>
      </div>
      <Tabs
        label="Parts of the files"
        tabs={TABS}
        chosen={tab}
        onChoose={(id) => navigate(id === "worktrees" ? "/ui/files" : `/ui/files?tab=${id}`, { replace: true })}
      >
        {tab === "changes" ? <Changes /> : tab === "scopes" ? <Scopes /> : <Worktrees />}
      </Tabs>
    </div>
  );
}
