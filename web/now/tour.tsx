import { useState } from "preact/hooks";
import { keep, kept, navigate, nomos, useAction } from "../frame/index.ts";
import { useConnection, useSessions } from "../live/index.ts";
import { Button } from "../parts/index.ts";

/** What the demo's session does on the tour: it works, writes a file, and asks. */
const SCRIPT = [
  "say Hello. I am the demo agent: I follow a script, so nothing costs anything.",
  "run sleep 2",
  "ask May I write hello.txt?",
  "write hello.txt Hello from the tour",
  "say Done. Open me, look at my files, go back in time on the timeline.",
].join("\n");

/** Shown until it was taken or closed, to people who have nothing running yet. */
export function Tour() {
  const [isClosed, setClosed] = useState(kept("tour") === "done");
  const sessions = useSessions();
  const connection = useConnection();
  const { run, isRunning } = useAction();
  if (isClosed || sessions.length > 0 || connection === "connecting") return null;
  const close = (): void => {
    keep("tour", "done");
    setClosed(true);
  };
  const start = async (): Promise<void> => {
    const started = await run(() =>
      nomos().call("session.start", { adapter: "demo", prompt: SCRIPT, title: "A first look" }),
    );
    if (started === undefined) return;
    close();
    navigate(`/ui/session/${started.id}`);
  };
  return (
    <section class="tour card" aria-label="First steps">
      <h2>Welcome</h2>
      <ol>
        <li>This page shows every agent at work. Who needs you stands on top, and one key answers.</li>
        <li>
          A session keeps everything: talk, tools, files. Its timeline goes back to any moment; a fork tries another
          way.
        </li>
        <li>
          <kbd>Ctrl K</kbd> goes anywhere, <kbd>?</kbd> lists the keys.
        </li>
      </ol>
      <Button kind="primary" disabled={isRunning} onClick={() => void start()}>
        Try it with the demo agent
      </Button>
      <Button kind="quiet" onClick={close}>
        Not now
      </Button>
    </section>
  );
}
