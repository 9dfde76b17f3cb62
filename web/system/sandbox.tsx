import { useState } from "preact/hooks";
import type { OutputOf } from "../../src/client/index.ts";
import { ErrorCard, useCall } from "../frame/index.ts";
import { useSessions } from "../live/index.ts";
import { Badge, Empty, Field, Select } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";
import { Card, Fact, Facts } from "./facts.tsx";

type Explained = OutputOf<"sandbox.explain">;

const ORDER = { hidden: 0, write: 1, read: 2 } as const;

/** What a session can reach, and why. Refused things first: they are what people look for. */
export function Sandbox() {
  const sessions = useSessions().toSorted((one, other) => other.startedAt.localeCompare(one.startedAt));
  const [chosen, setChosen] = useState("");
  const id = chosen === "" ? (sessions[0]?.id ?? "") : chosen;
  return (
    <>
      <h1>Sandbox</h1>
      <p class="muted">What a session can reach of this machine, and which rule says so.</p>
      {sessions.length === 0 ? (
        <Empty title="No session yet" command="nomos run --sandbox strict 'run ls /'">
          Start one in a strict sandbox and see here what is left of the machine for it.
        </Empty>
      ) : (
        <>
          <Field label="Session">
            {(field) => (
              <Select
                id={field}
                value={id}
                options={sessions.map(({ id: one, name, agent, sandbox }) => [one, `${name} · ${agent} · ${sandbox}`])}
                onChange={setChosen}
              />
            )}
          </Field>
          <Reach id={id} />
        </>
      )}
    </>
  );
}

function Reach({ id }: { readonly id: string }) {
  const { value, error, again } = useCall("sandbox.explain", { id });
  if (error !== undefined) return <ErrorCard error={error} again={again} />;
  if (value === undefined) return <p class="muted">Loading …</p>;
  const { mode, holds, notices } = value;
  return (
    <>
      <p>
        <Badge kind={holds ? "good" : "warn"}>{mode}</Badge>{" "}
        {holds
          ? "The operating system enforces it."
          : mode === "off"
            ? "There are no walls: the session has your rights."
            : "Only the agent's own questions are judged by it; the operating system enforces nothing."}
      </p>
      {notices.map((notice) => (
        <p key={notice} class="system-problem">
          <SafeText text={notice} />
        </p>
      ))}
      <div class="system-cards">
        <Network network={value.network} />
        <Limits limits={value.limits} />
      </div>
      <Files files={value.files} />
    </>
  );
}

function Network({ network: { open, reachable, denied } }: { readonly network: Explained["network"] }) {
  return (
    <Card name="Network">
      {denied.length > 0 && (
        <>
          <h3>Refused</h3>
          <ul class="system-reach">
            {denied.map(({ host, port, reason, count }) => (
              <li key={`${host}:${port}`}>
                <Badge kind="bad">refused {count}×</Badge>{" "}
                <code>
                  <SafeText text={`${host}:${port}`} strict oneLine />
                </code>{" "}
                <SafeText text={reason} />
              </li>
            ))}
          </ul>
        </>
      )}
      <h3>Reachable</h3>
      {open && <p>Every address that this machine reaches.</p>}
      {!open && reachable.length === 0 && <p class="muted">Nothing.</p>}
      <ul class="system-reach">
        {reachable.map(({ host, why }) => (
          <li key={host}>
            <code>
              <SafeText text={host} strict oneLine />
            </code>{" "}
            <span class="muted">
              <SafeText text={why} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Limits({ limits: { by, memoryMb, pidsMax, cpus, absent } }: { readonly limits: Explained["limits"] }) {
  return (
    <Card name="Limits">
      <Facts>
        <Fact name="Enforced by">{by ?? "nothing on this machine"}</Fact>
        <Fact name="Memory">{memoryMb === null ? "no limit" : `${memoryMb} MB`}</Fact>
        <Fact name="Processes">{pidsMax ?? "no limit"}</Fact>
        <Fact name="Processors">{cpus ?? "no limit"}</Fact>
      </Facts>
      {absent.length > 0 && <p class="system-problem">This machine cannot enforce: {absent.join(", ")}.</p>}
    </Card>
  );
}

function Files({ files }: { readonly files: Explained["files"] }) {
  const sorted = files.toSorted((one, other) => ORDER[one.access] - ORDER[other.access]);
  const word = { hidden: ["hidden", "bad"], write: ["may write", "accent"], read: ["may read", "plain"] } as const;
  return (
    <Card name="Files" about="Where two paths overlap, the innermost one applies.">
      <ul class="system-reach">
        {sorted.map(({ path, access, why }) => (
          <li key={path}>
            <Badge kind={word[access][1]}>{word[access][0]}</Badge>{" "}
            <code>
              <SafeText text={path} strict oneLine />
            </code>{" "}
            <span class="muted">
              <SafeText text={why} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
