import { useState } from "preact/hooks";
import type { CallProgress, OutputOf } from "../../src/client/index.ts";
import { nomos, useAction } from "../frame/index.ts";
import { Badge, Button, Progress } from "../parts/index.ts";

/** The daemon reads its whole log again: every hash, every chain, the tree, the checkpoint. */
export function VerifyCard() {
  const [progress, setProgress] = useState<CallProgress | null>(null);
  const [found, setFound] = useState<OutputOf<"audit.verify"> | null>(null);
  const { run, isRunning } = useAction();
  const verify = async (): Promise<void> => {
    setFound(null);
    const answer = await run(() => nomos().call("audit.verify", {}, { progress: setProgress }));
    setProgress(null);
    if (answer !== undefined) setFound(answer);
  };
  return (
    <section class="audit-card" aria-labelledby="audit-verify">
      <h2 id="audit-verify">Verify the whole log</h2>
      <p class="muted">The daemon checks the hash and place of every event, and the tree against its checkpoint.</p>
      <Button icon="audit" onClick={() => void verify()} disabled={isRunning}>
        {isRunning ? "Verifying …" : "Verify now"}
      </Button>
      {isRunning && (
        <div role="status">
          <Progress label="Verifying the log" {...(progress ?? {})} />
          <p class="muted">{said(progress)}</p>
        </div>
      )}
      {found !== null && <Found found={found} />}
    </section>
  );
}

function said(progress: CallProgress | null): string {
  if (progress === null) return "Beginning …";
  const { message, done, total } = progress;
  return done === undefined ? message : `${message}: ${done.toLocaleString("en")} of ${total?.toLocaleString("en")}`;
}

function Found({ found: { ok, size, root, problems } }: { readonly found: OutputOf<"audit.verify"> }) {
  return (
    <div role="status" class="audit-found">
      <p>
        <Badge kind={ok ? "good" : "bad"}>{ok ? "intact" : "damaged"}</Badge> {size.toLocaleString("en")} events, root{" "}
        <code>{root.slice(0, 16)}…</code>
      </p>
      {problems.length > 0 && (
        <ul class="audit-problems">
          {problems.map(({ problem, stream, version, seq, expected, found }, at) => (
            <li key={at}>
              <strong>{problem}</strong> {stream} {version} {seq === undefined || seq === null ? "" : `(event ${seq})`}{" "}
              {expected === undefined ? "" : `expected ${expected}, found ${found}`}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
