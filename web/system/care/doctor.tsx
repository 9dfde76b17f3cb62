import { useState } from "preact/hooks";
import type { CallProgress, OutputOf } from "../../../src/client/index.ts";
import { confirmed, nomos, useAction } from "../../frame/index.ts";
import { Badge, Button, Copy, Icon, Progress } from "../../parts/index.ts";
import { SafeText } from "../../text/index.ts";
import { type Check, checksIn } from "./doctor-checks.ts";

export function Doctor() {
  const [rebuild, setRebuild] = useState(false);
  const [progress, setProgress] = useState<CallProgress | null>(null);
  const [report, setReport] = useState<OutputOf<"system.doctor"> | null>(null);
  const { run, isRunning } = useAction();
  const examine = async (repair: boolean): Promise<void> => {
    setReport(null);
    const asked = { rebuild: rebuild || repair, repair };
    const found = await run(() => nomos().call("system.doctor", asked, { progress: setProgress }));
    setProgress(null);
    if (found !== undefined) setReport(found);
  };
  const repair = async (): Promise<void> => {
    const isSure = await confirmed({
      title: "Repair what the log can repair?",
      body: "Lists and the tree are computed anew out of the log. The log itself is never changed.",
      yes: "Repair",
    });
    if (isSure) await examine(true);
  };
  return (
    <>
      <h1>Doctor</h1>
      <p class="muted">Reads every byte of the log and looks at all that depends on it.</p>
      <div class="system-buttons">
        <Button kind="primary" icon="audit" disabled={isRunning} onClick={() => void examine(false)}>
          {isRunning ? "Examining …" : "Examine now"}
        </Button>
        <label class="system-check">
          <input
            type="checkbox"
            checked={rebuild}
            onChange={({ currentTarget }) => setRebuild(currentTarget.checked)}
          />
          Also compare every list with the log
        </label>
      </div>
      {isRunning && (
        <div role="status">
          <Progress label="Examining" {...(progress ?? {})} />
          <p class="muted">{progress?.message ?? "Beginning …"}</p>
        </div>
      )}
      {report !== null && (
        <>
          <p role="status" class={report.ok ? "system-verdict" : "system-verdict system-verdict-bad"}>
            <Icon name={report.ok ? "check" : "warning"} /> {report.ok ? "All is well." : "Something needs attention."}
          </p>
          <ul class="system-checklist" aria-label="Checks">
            {checksIn(report).map((check) => (
              <CheckLine key={check.name} check={check} />
            ))}
          </ul>
          {!report.ok && (
            <Button disabled={isRunning} onClick={() => void repair()}>
              Repair
            </Button>
          )}
        </>
      )}
      <p class="muted system-gap">The same in a terminal, also when the daemon does not start:</p>
      <Copy text="nomos doctor" />
    </>
  );
}

function CheckLine({ check: { name, is, says, details } }: { readonly check: Check }) {
  return (
    <li>
      <Badge kind={is === "good" ? "good" : is === "bad" ? "bad" : "warn"}>
        {is === "good" ? "well" : is === "bad" ? "problem" : "look"}
      </Badge>
      <div>
        <strong>{name}</strong>
        <p class="muted">
          <SafeText text={says} />
        </p>
        {details.length > 0 && (
          <ul class="system-steps">
            {details.slice(0, 20).map((detail, at) => (
              <li key={at}>
                <SafeText text={detail} />
              </li>
            ))}
          </ul>
        )}
      </div>
    </li>
  );
}
