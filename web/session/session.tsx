import { useState } from "preact/hooks";
import type { Session } from "../../src/client/index.ts";
import { ErrorCard, navigate, type PageProps, useCall } from "../frame/index.ts";
import { useSession } from "../live/index.ts";
import { Tabs } from "../parts/index.ts";
import { Head } from "./head.tsx";
import { PromptBox } from "./prompt/prompt-box.tsx";
import { PinnedQuestion } from "./question.tsx";
import { TalkTab } from "./talk-tab.tsx";
import { useTalk } from "./use-talk.ts";
import "./page.css";

const TABS = [{ id: "talk", name: "Talk" }] as const;

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
  const [asOf] = useState<number | null>(null);
  const choose = (to: string): void =>
    navigate(`/ui/session/${encodeURIComponent(id)}${to === "talk" ? "" : `?tab=${to}`}`, { replace: true });
  return (
    <div class="page session">
      <Head session={session} />
      <Tabs label="Views of the session" tabs={TABS} chosen={tab} onChoose={choose}>
        <TalkTab id={id} state={state} talk={talk} asOf={asOf} />
      </Tabs>
      <div class="session-foot">
        <PinnedQuestion session={session} entries={state.entries} />
        <PromptBox session={session} state={state} />
      </div>
    </div>
  );
}
