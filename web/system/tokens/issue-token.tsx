import { useState } from "preact/hooks";
import type { OutputOf } from "../../../src/client/index.ts";
import { nomos, useAction } from "../../frame/index.ts";
import { Button, Copy, Field, Select } from "../../parts/index.ts";
import { Card } from "../facts.tsx";

const READS =
  "agent.read,approval.read,audit.read,blob.read,queue.list,session.list,session.read,system.read,workspace.read,worktree.read";
const RIGHTS = [
  [READS, "read everything"],
  ["session.list,session.read,approval.read,approval.answer", "watch and answer questions"],
  ["session.*", "everything with sessions"],
  ["*", "everything you may do"],
] as const;
const HOUR_MS = 3_600_000;
const LIVES = [
  [String(HOUR_MS), "an hour"],
  [String(24 * HOUR_MS), "a day"],
  [String(30 * 24 * HOUR_MS), "30 days"],
  ["", "until it is revoked"],
] as const;
const MODES = ["strict", "enforce", "warn", "off"] as const;
const MODE_OPTIONS = MODES.map((mode) => [mode, mode] as const);

export function IssueToken({ onIssued }: { readonly onIssued: () => void }) {
  const [label, setLabel] = useState("");
  const [rights, setRights] = useState<string>(RIGHTS[0][0]);
  const [life, setLife] = useState<string>(LIVES[1][0]);
  const [mode, setMode] = useState<string>("strict");
  const [issued, setIssued] = useState<OutputOf<"token.issue"> | null>(null);
  const { run, isRunning } = useAction();
  const issue = async (): Promise<void> => {
    const answer = await run(() =>
      nomos().call("token.issue", {
        capabilities: rights.split(/[\s,]+/).filter((right) => right !== ""),
        sandbox: MODES.find((one) => one === mode) ?? "strict",
        ...(label.trim() === "" ? {} : { label: label.trim() }),
        ...(life === "" ? {} : { ttlMs: Number(life) }),
      }),
    );
    if (answer === undefined) return;
    setIssued(answer);
    onIssued();
  };
  return (
    <Card name="Issue a token" about="It never has more rights than you.">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void issue();
        }}
      >
        <Field label="Name">
          {(id) => (
            <input
              id={id}
              value={label}
              placeholder="nightly script"
              onInput={({ currentTarget }) => setLabel(currentTarget.value)}
            />
          )}
        </Field>
        <Field label="It may">
          {(id) => (
            <Select
              id={id}
              value={RIGHTS.some(([value]) => value === rights) ? rights : ""}
              options={[...RIGHTS, ["", "what I name below"]]}
              onChange={setRights}
            />
          )}
        </Field>
        <Field label="Capabilities" hint="With commas between them: session.read, session.*, *">
          {(id) => (
            <input
              id={id}
              required
              value={rights}
              spellcheck={false}
              onInput={({ currentTarget }) => setRights(currentTarget.value)}
            />
          )}
        </Field>
        <Bounds life={life} onLife={setLife} mode={mode} onMode={setMode} />
        <Button kind="primary" type="submit" disabled={isRunning}>
          Issue
        </Button>
      </form>
      {issued !== null && <Secret issued={issued} onTaken={() => setIssued(null)} />}
    </Card>
  );
}

function Secret({ issued, onTaken }: { readonly issued: OutputOf<"token.issue">; readonly onTaken: () => void }) {
  return (
    <div class="system-secret" role="status">
      <strong>Copy the secret now. It is not shown again.</strong>
      {issued.secret === null ? (
        <p>This call was already answered: the secret is gone.</p>
      ) : (
        <Copy text={issued.secret} />
      )}
      <Button kind="quiet" onClick={onTaken}>
        I have it
      </Button>
    </div>
  );
}

interface BoundsProps {
  readonly life: string;
  readonly onLife: (life: string) => void;
  readonly mode: string;
  readonly onMode: (mode: string) => void;
}

function Bounds({ life, onLife, mode, onMode }: BoundsProps) {
  return (
    <>
      <Field label="For">{(id) => <Select id={id} value={life} options={LIVES} onChange={onLife} />}</Field>
      <Field label="Weakest sandbox it may start sessions in">
        {(id) => <Select id={id} value={mode} options={MODE_OPTIONS} onChange={onMode} />}
      </Field>
    </>
  );
}
