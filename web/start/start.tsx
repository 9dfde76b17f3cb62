import { useState } from "preact/hooks";
import type { Agent, OutputOf } from "../../src/client/index.ts";
import { isEngine, ModelSelect, ModelsHint } from "../engine/index.ts";
import { ErrorCard, keep, kept, Link, navigate, nomos, type PageProps, useAction, useCall } from "../frame/index.ts";
import { Button, Field, Select } from "../parts/index.ts";
import { type Draft, startInput } from "./start-input.ts";
import "./start.css";

const SANDBOXES = [
  ["", "as the agent is set up"],
  ["off", "off: no walls"],
  ["warn", "warn: tell, never block"],
  ["enforce", "enforce: ask before tools act"],
  ["strict", "strict: walls of the operating system"],
] as const;
const EMPTY: Draft = {
  prompt: "",
  agent: "",
  workspace: "",
  cwd: "",
  title: "",
  sandbox: "",
  model: "",
  isWorktree: false,
};

/** A chat that becomes a session: any agent, any workspace. */
export function View({ query }: PageProps) {
  const agents = useCall("agent.list", {}, { on: /^agent\./ });
  const drivers = useCall("driver.list", {}, { on: /^(agent|driver)\./ });
  const workspaces = useCall("workspace.list", {}, { on: /^workspace\./ });
  const { run, isRunning } = useAction();
  const [draft, setDraft] = useState<Draft>({
    ...EMPTY,
    prompt: kept("draft.start") ?? "",
    agent: query.get("agent") ?? "",
    workspace: query.get("workspace") ?? "",
    model: query.get("model") ?? "",
  });
  const change = (part: Partial<Draft>): void => {
    if (part.prompt !== undefined) keep("draft.start", part.prompt);
    setDraft((before) => ({ ...before, ...part }));
  };
  const all = agents.value?.agents ?? [];
  const chosen = all.find(({ slug }) => slug === draft.agent) ?? all.find(({ default: isDefault }) => isDefault);
  const installed = new Set((drivers.value?.drivers ?? []).filter(({ installed: is }) => is).map(({ slug }) => slug));
  const start = async (): Promise<void> => {
    if (chosen === undefined || draft.prompt.trim() === "") return;
    const input = startInput(draft, chosen);
    const started = await run(() => nomos().call("session.start", input, { idempotencyKey: crypto.randomUUID() }));
    if (started === undefined) return;
    keep("draft.start", null);
    navigate(`/ui/session/${started.id}`);
  };
  const problem = agents.error ?? workspaces.error ?? drivers.error;
  if (problem !== undefined) return <ErrorCard error={problem} again={agents.again} />;
  return (
    <div class="page start">
      <h1>What should be done?</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void start();
        }}
      >
        <textarea
          data-search
          rows={6}
          aria-label="The task"
          placeholder="Describe the task. Ctrl-Enter starts it."
          value={draft.prompt}
          onInput={({ currentTarget }) => change({ prompt: currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            void start();
          }}
        />
        <MainChoices
          agents={all}
          chosen={chosen}
          installed={installed}
          workspaces={workspaces.value}
          draft={draft}
          change={change}
        />
        <MoreChoices draft={draft} change={change} hasModel={!isEngine(chosen?.driver)} />
        <Button kind="primary" type="submit" icon="play" disabled={isRunning || draft.prompt.trim() === ""}>
          {isRunning ? "Starting …" : `Start with ${chosen?.slug ?? "an agent"}`}
        </Button>
        {chosen?.driver === "demo" && <DemoHint />}
      </form>
    </div>
  );
}

interface MainChoicesProps {
  readonly agents: readonly Agent[];
  readonly chosen: Agent | undefined;
  readonly installed: ReadonlySet<string>;
  readonly workspaces: OutputOf<"workspace.list"> | undefined;
  readonly draft: Draft;
  readonly change: (part: Partial<Draft>) => void;
}

function MainChoices({ agents, chosen, installed, workspaces, draft, change }: MainChoicesProps) {
  const active = workspaces?.active ?? null;
  return (
    <div class="start-choices">
      <Field label="Agent">
        {(id) => (
          <Select
            id={id}
            value={chosen?.slug ?? ""}
            options={agents.map(({ slug, driver }) => [slug, installed.has(driver) ? slug : `${slug} (not installed)`])}
            onChange={(agent) => change({ agent, model: "" })}
          />
        )}
      </Field>
      {isEngine(chosen?.driver) && (
        <Field label="Model" hint={<ModelsHint />}>
          {(id) => <ModelSelect id={id} value={draft.model} onChange={(model) => change({ model })} />}
        </Field>
      )}
      <Field label="Workspace" hint={<Link to="/ui/system/workspaces">Add a workspace</Link>}>
        {(id) => (
          <Select
            id={id}
            value={draft.workspace}
            options={[
              ["", active === null ? "none: a folder to practise in" : `${active} (active)`],
              ...(workspaces?.workspaces ?? []).map(({ slug, path }) => [slug, `${slug}: ${path}`] as const),
            ]}
            onChange={(workspace) => change({ workspace })}
          />
        )}
      </Field>
      <Field label="Sandbox">
        {(id) => (
          <Select id={id} value={draft.sandbox} options={SANDBOXES} onChange={(sandbox) => change({ sandbox })} />
        )}
      </Field>
    </div>
  );
}

interface MoreChoicesProps {
  readonly draft: Draft;
  readonly change: (part: Partial<Draft>) => void;
  /** False: it was asked for above. */
  readonly hasModel: boolean;
}

function MoreChoices({ draft, change, hasModel }: MoreChoicesProps) {
  const text = (label: string, member: "cwd" | "title" | "model", hint: string) => (
    <Field label={label} hint={hint}>
      {(id) => (
        <input
          id={id}
          value={draft[member]}
          onInput={({ currentTarget }) => change({ [member]: currentTarget.value })}
        />
      )}
    </Field>
  );
  return (
    <details class="start-more">
      <summary>More choices</summary>
      <div class="start-choices">
        {text("Folder", "cwd", "instead of a workspace")}
        {text("Title", "title", "default: the first line")}
        {hasModel && text("Model", "model", "as the agent names it")}
        <label class="start-check">
          <input
            type="checkbox"
            checked={draft.isWorktree}
            onChange={({ currentTarget }) => change({ isWorktree: currentTarget.checked })}
          />
          In a worktree of its own
        </label>
      </div>
    </details>
  );
}

function DemoHint() {
  return (
    <p class="muted">
      <code>demo</code> only follows a script (<code>say</code>, <code>run</code>, <code>write</code>, <code>ask</code>
      ). <Link to="/ui/system/agents">Install a real agent</Link>
    </p>
  );
}
