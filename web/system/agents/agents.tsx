import type { OutputOf } from "../../../src/client/index.ts";
import { confirmed, ErrorCard, nomos, useAction, useCall } from "../../frame/index.ts";
import { Badge, Button, Empty } from "../../parts/index.ts";
import { SafeText } from "../../text/index.ts";
import { AddAgent } from "./add-agent.tsx";
import { AddDriver } from "./add-driver.tsx";
import { Driver } from "./driver.tsx";

const FRESH = { on: /^(?:agent|driver|config|system)\./ };

export function Agents() {
  const agents = useCall("agent.list", {}, FRESH);
  const drivers = useCall("driver.list", {}, FRESH);
  const again = (): void => {
    agents.again();
    drivers.again();
  };
  const error = agents.error ?? drivers.error;
  if (error !== undefined) return <ErrorCard error={error} again={again} />;
  const list = drivers.value?.drivers ?? [];
  // Installed ones first: they can be used.
  const sorted = [...list.filter(({ installed }) => installed), ...list.filter(({ installed }) => !installed)];
  const there = new Set(list.filter(({ installed }) => installed).map(({ slug }) => slug));
  const usable = (agents.value?.agents ?? []).filter(
    ({ builtIn, driver, default: isDefault }) => !builtIn || isDefault || there.has(driver),
  );
  return (
    <>
      <h1>Agents</h1>
      <p class="muted">
        Drivers run the turns. Installing puts the version that the manifest names into the daemon's home; nothing else
        on the machine changes.
      </p>
      <ul class="system-list" aria-label="Drivers">
        {sorted.map((driver) => (
          <Driver key={driver.slug} driver={driver} onChange={again} />
        ))}
      </ul>
      <AddDriver onAdded={again} />
      <h2 class="system-gap">Who a session can be</h2>
      <p class="muted">An agent is a driver with rules for its tools. Every installed driver brings one.</p>
      <AgentTable agents={usable} onChange={again} />
      <AddAgent drivers={list.map(({ slug }) => slug)} onAdded={again} />
    </>
  );
}

function AgentTable({
  agents,
  onChange,
}: {
  readonly agents: OutputOf<"agent.list">["agents"];
  readonly onChange: () => void;
}) {
  const { run, isRunning } = useAction();
  const remove = async (slug: string): Promise<void> => {
    const isSure = await confirmed({
      title: `Remove the agent ${slug}?`,
      body: "Its sessions stay in the log. Its name can be used again.",
      yes: "Remove it",
      danger: true,
    });
    if (isSure) await run(() => nomos().call("agent.delete", { slug })).then(onChange);
  };
  if (agents.length === 0)
    return (
      <Empty title="No agent yet" command="nomos driver install claude">
        Install a driver below: it brings an agent of its name.
      </Empty>
    );
  return (
    <ul class="system-list" aria-label="Agents">
      {agents.map(({ slug, name, driver, tools, builtIn, delegatesTo, default: isDefault }) => (
        <li key={slug}>
          <div class="system-list-text">
            <strong>
              <SafeText text={name} oneLine />
            </strong>{" "}
            {isDefault && <Badge kind="good">default</Badge>} <span class="muted">{slug === name ? "" : slug}</span>
            <div class="muted">
              driver {driver}
              {Object.entries(tools).map(([tool, rule]) => `, ${tool}: ${rule}`)}
              {delegatesTo.length > 0 && `, may delegate to ${delegatesTo.join(", ")}`}
            </div>
          </div>
          <div class="system-buttons">
            <Button
              disabled={isDefault || isRunning}
              onClick={() => void run(() => nomos().call("agent.default", { slug })).then(onChange)}
            >
              Make default
            </Button>
            {!builtIn && (
              <Button kind="danger" disabled={isRunning} onClick={() => void remove(slug)}>
                Remove
              </Button>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}
