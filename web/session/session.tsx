import { useEffect, useState } from "preact/hooks";
import type { Session } from "../../src/client/index.ts";
import { ErrorCard, navigate, type PageProps, useCall } from "../frame/index.ts";
import { LandingNotice } from "../landing/index.ts";
import { useSession } from "../live/index.ts";
import { Tabs } from "../parts/index.ts";
import { safeString } from "../text/index.ts";
import { ContextLine } from "./context/context-line.tsx";
import { CompactDialog } from "./dialogs/compact-dialog.tsx";
import { EventsTab } from "./events-tab.tsx";
import { FilesTab } from "./files-tab.tsx";
import { Head } from "./head.tsx";
import { Parked } from "./parked.tsx";
import { PromptBox } from "./prompt/prompt-box.tsx";
import { PinnedQuestion } from "./question.tsx";
import { ReplayTab } from "./replay/replay-tab.tsx";
import { Scrubber } from "./scrub/scrubber.tsx";
import { SpentTab } from "./spent-tab.tsx";
import { TalkTab } from "./talk-tab.tsx";
import { ToolsTab } from "./tools-tab.tsx";
import { useTalk } from "./use-talk.ts";
import "./page.css";

const TABS = [
  { id: "talk", name: "Talk" },
  { id: "files", name: "Files" },
  { id: "events", name: "Events" },
  { id: "spent", name: "Spent" },
  { id: "tools", name: "Tools" },
  { id: "replay", name: "Replay" },
] as const;

/** One session: its talk, its files, its events, and the box to speak to it. */
export function View({ params, query }: PageProps) {
  const shown = useCall("session.show", { id: params["id"] ?? "" });
  if (shown.error !== undefined && shown.value === undefined)
    return (
      <div class="page">
        <ErrorCard error={shown.error} again={shown.again} />
      </div>
    );
  if (shown.value === undefined) return <p class="muted loading">Loading …</p>;
  return <SessionPage key={shown.value.id} found={shown.value} tab={query.get("tab") ?? "talk"} />;
}

function SessionPage({ found, tab }: { readonly found: Session; readonly tab: string }) {
  const { id } = found;
  const session = useSession(id) ?? found;
  const { state, talk } = useTalk(id);
  useTitle(session.title ?? session.name);
  const [asOf, setAsOf] = useState<number | null>(null);
  const [isCompacting, setCompacting] = useState(false);
  const chosen = TABS.find((one) => one.id === tab)?.id ?? "talk";
  const choose = (to: string): void =>
    navigate(`/ui/session/${encodeURIComponent(id)}${to === "talk" ? "" : `?tab=${to}`}`, { replace: true });
  // Turns end and rewinds happen: the lists of turns are read again.
  const changedSeq = state.marked.at(-1)?.seq ?? 0;
  return (
    <div class="page session">
      <Head session={session} onCompact={() => setCompacting(true)} />
      <ContextLine {...{ session, state }} changes={changedSeq} onCompact={() => setCompacting(true)} />
      {isCompacting && <CompactDialog session={session} onClose={() => setCompacting(false)} />}
      <LandingNotice id={id} />
      <Tabs label="Views of the session" tabs={TABS} chosen={chosen} onChoose={choose}>
        {chosen === "talk" && <TalkTab id={id} state={state} talk={talk} asOf={asOf} />}
        {chosen === "files" && <FilesTab id={id} changes={changedSeq} />}
        {chosen === "events" && <EventsTab id={id} />}
        {chosen === "spent" && <SpentTab session={session} changes={changedSeq} />}
        {chosen === "tools" && <ToolsTab id={id} />}
        {chosen === "replay" && <ReplayTab session={session} />}
      </Tabs>
      <div class="session-foot">
        <PinnedQuestion id={id} agent={session.agent} entries={state.entries} />
        <Parked session={session} />
        {chosen === "talk" && <Scrubber session={session} state={state} talk={talk} asOf={asOf} onAsOf={setAsOf} />}
        {asOf === null && <PromptBox session={session} state={state} />}
      </div>
    </div>
  );
}

/** The number of open questions that the frame puts before it stays. */
function useTitle(title: string): void {
  useEffect(() => {
    const [count] = /^\(\d+\) /.exec(document.title) ?? [""];
    document.title = `${count}${safeString(title)} · Nomos`;
  }, [title]);
}
