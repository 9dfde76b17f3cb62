import { useEffect, useRef } from "preact/hooks";
import { useQuestions } from "../live/index.ts";
import { safeString } from "../text/index.ts";
import { kept } from "./kept.ts";
import { navigate } from "./route.tsx";

const TITLE = /^(?:\(\d+\) )?/;

/** The title counts what waits; a hidden page also tells, if the person allowed it. */
export function useNotices(): void {
  const questions = useQuestions();
  const told = useRef<ReadonlySet<string> | null>(null);
  useEffect(() => {
    document.title = document.title.replace(TITLE, questions.length === 0 ? "" : `(${questions.length}) `);
    const before = told.current;
    told.current = new Set(questions.map(({ id }) => id));
    if (before === null || !mayTell()) return;
    for (const { id, question, sessionId } of questions) if (!before.has(id)) tell(id, question, sessionId);
  }, [questions]);
}

export async function askToTell(): Promise<boolean> {
  return typeof Notification !== "undefined" && (await Notification.requestPermission()) === "granted";
}

function mayTell(): boolean {
  const isAllowed = typeof Notification !== "undefined" && Notification.permission === "granted";
  return isAllowed && document.visibilityState === "hidden" && kept("notices") !== "off";
}

function tell(id: string, question: string, sessionId: string): void {
  // One tag a question: several tabs show it once.
  const notice = new Notification("An agent needs you", {
    body: safeString(question.slice(0, 200)),
    tag: id,
    icon: "/assets/icon-192.png",
  });
  notice.onclick = () => {
    window.focus();
    navigate(`/ui/session/${sessionId}`);
    notice.close();
  };
}
