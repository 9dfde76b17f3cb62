import { useEffect, useRef, useState } from "preact/hooks";
import { nomos } from "../frame/index.ts";
import { followSession, serverNow, useConnection } from "../live/index.ts";
import { createLiveTalk, type LiveTalk, NO_TALK, type TalkState } from "./live-talk.ts";

const POLL_MS = 2_000;

/** A session's talk for a view. */
export function useTalk(id: string): { readonly state: TalkState; readonly talk: LiveTalk | null } {
  const [state, setState] = useState<TalkState>(NO_TALK);
  const talk = useRef<LiveTalk | null>(null);
  const isPolling = useConnection() === "polling";
  useEffect(() => {
    setState(NO_TALK);
    const own = createLiveTalk({
      id,
      read: (input) => nomos().call("session.events", input),
      follow: followSession,
      nowMs: serverNow,
      changed: setState,
    });
    talk.current = own;
    return () => own.close();
  }, [id]);
  useEffect(() => {
    if (!isPolling) return;
    const timer = setInterval(() => talk.current?.ask(), POLL_MS);
    return () => clearInterval(timer);
  }, [isPolling, id]);
  return { state, talk: talk.current };
}
