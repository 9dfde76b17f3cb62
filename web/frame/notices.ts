import { useEffect, useRef } from "preact/hooks";
import { trustedUrl, useQuestions } from "../live/index.ts";
import { safeString } from "../text/index.ts";
import { kept } from "./kept.ts";
import { navigate } from "./route.tsx";

const TITLE_OF_NOTICE = "An agent needs you";
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
    for (const { id, question, sessionId } of questions)
      if (!before.has(id)) void tell(id, question, sessionId).catch(() => undefined);
  }, [questions]);
}

export async function askToTell(): Promise<boolean> {
  return typeof Notification !== "undefined" && (await Notification.requestPermission()) === "granted";
}

function mayTell(): boolean {
  const isAllowed = typeof Notification !== "undefined" && Notification.permission === "granted";
  return isAllowed && document.visibilityState === "hidden" && kept("notices") !== "off";
}

async function tell(id: string, question: string, sessionId: string): Promise<void> {
  const path = `/ui/session/${sessionId}`;
  // One tag a question: several tabs show it once.
  const options = { body: safeString(question.slice(0, 200)), tag: id, icon: "/assets/icon-192.png", data: path };
  const shower = await registration();
  if (shower !== null) return shower.showNotification(TITLE_OF_NOTICE, options);
  const notice = new Notification(TITLE_OF_NOTICE, options);
  notice.onclick = () => {
    window.focus();
    navigate(path);
    notice.close();
  };
}

/** Resolves when it can show notices. */
async function active({ installing, waiting }: ServiceWorkerRegistration): Promise<void> {
  const coming = installing ?? waiting;
  if (coming === null || coming.state === "activated") return;
  await new Promise<void>((resolve) => {
    coming.onstatechange = () => coming.state === "activated" && resolve();
  });
}

/** The thread that shows notices; null where there is none. */
async function registration(): Promise<ServiceWorkerRegistration | null> {
  if (!("serviceWorker" in navigator)) return null;
  try {
    const made = await navigator.serviceWorker.register(trustedUrl(NOMOS_WORKERS.notice), { type: "module" });
    navigator.serviceWorker.onmessage = ({ data }) => {
      const path: unknown = Reflect.get(Object(data), "goTo");
      if (typeof path === "string" && path.startsWith("/ui/")) navigate(path);
    };
    await active(made);
    return made;
  } catch {
    return null;
  }
}
