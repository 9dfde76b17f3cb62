import { confirmed, ErrorCard } from "../frame/index.ts";
import { Button, Icon } from "../parts/index.ts";
import type { useWitness } from "./use-witness.ts";

/** One calm line while the log is the one this browser saw, and a loud one when it is not. */
export function WitnessLine({ witnessed, error, again, forget }: ReturnType<typeof useWitness>) {
  if (error !== undefined) return <ErrorCard error={error} again={again} />;
  if (witnessed === undefined) return <p class="audit-witness muted">Comparing the log with what this browser saw …</p>;
  if (witnessed.is !== "alarm")
    return (
      <p class={`audit-witness audit-witness-${witnessed.is}`} role="status">
        <Icon name={witnessed.is === "unknown" ? "warning" : "audit"} />
        <span>{witnessed.says}</span>
      </p>
    );
  const trust = async (): Promise<void> => {
    const isSure = await confirmed({
      title: "Trust what the daemon shows now?",
      body: "This browser forgets the key and the log it saw. Do it only when you know why they changed, for example after a restore or with a new home at this address.",
      yes: "Forget what I saw",
      danger: true,
    });
    if (isSure) forget();
  };
  const { remembered } = witnessed;
  return (
    <div class="audit-alarm" role="alert">
      <Icon name="warning" />
      <div>
        <strong>This is not the log this browser saw.</strong>
        <p>{witnessed.says}</p>
        {remembered !== null && (
          <p>
            Seen on {new Date(remembered.at).toLocaleString()}: {remembered.size} events, root{" "}
            <code>{remembered.root.slice(0, 16)}…</code>, key <code>{remembered.key}</code>
          </p>
        )}
        <p>
          Somebody rewrote or exchanged the log, or another home answers at this address. Compare with an export, an
          anchor or a backup before you trust it: <code>nomos doctor</code>.
        </p>
        <Button kind="danger" onClick={() => void trust()}>
          I know why: begin anew
        </Button>
      </div>
    </div>
  );
}
