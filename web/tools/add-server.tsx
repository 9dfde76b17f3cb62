import { useState } from "preact/hooks";
import { nomos, toast, useAction } from "../frame/index.ts";
import { Button, Field, Select } from "../parts/index.ts";
import { NO_SERVER, type ServerDraft, serverInput } from "./server-input.ts";

const KINDS = [
  ["program", "a program on the daemon’s machine"],
  ["address", "an address"],
] as const;

interface AddServerProps {
  readonly isOpen: boolean;
  readonly onAdded: () => void;
}

export function AddServer({ isOpen, onAdded }: AddServerProps) {
  const [draft, setDraft] = useState<ServerDraft>(NO_SERVER);
  const { run, isRunning } = useAction();
  const change = (part: Partial<ServerDraft>): void => setDraft((before) => ({ ...before, ...part }));
  const add = async (): Promise<void> => {
    const added = await run(() => nomos().call("mcp-server.add", serverInput(draft)));
    if (added === undefined) return;
    toast(`Added ${added.name}.`);
    setDraft(NO_SERVER);
    onAdded();
  };
  return (
    <details class="card tools-add" open={isOpen}>
      <summary>Add a server</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <Field label="Name" hint="Its tools are called mcp__NAME__TOOL.">
          {(id) => <Line id={id} value={draft.name} placeholder="files" onInput={(name) => change({ name })} />}
        </Field>
        <Field label="It is">
          {(id) => <Select id={id} value={draft.kind} options={KINDS} onChange={(kind) => change({ kind })} />}
        </Field>
        {draft.kind === "program" ? (
          <Field label="Program and arguments" hint="One a line. No shell reads them.">
            {(id) => (
              <Lines
                {...{
                  id,
                  value: draft.command,
                  placeholder: "npx\n-y\n@modelcontextprotocol/server-filesystem\n/home/you",
                }}
                onInput={(command) => change({ command })}
              />
            )}
          </Field>
        ) : (
          <Field label="Address">
            {(id) => (
              <Line
                {...{ id, value: draft.url, placeholder: "https://mcp.example.org/mcp" }}
                onInput={(url) => change({ url })}
              />
            )}
          </Field>
        )}
        <Field
          label={draft.kind === "program" ? "Variables" : "Headers"}
          hint="One a line: NAME=env:VARIABLE or NAME=file:PATH. Name the place of a secret, never the secret."
        >
          {(id) => (
            <Lines
              {...{ id, value: draft.secret, placeholder: "API_KEY=env:ACME_KEY" }}
              onInput={(secret) => change({ secret })}
            />
          )}
        </Field>
        <Button kind="primary" type="submit" disabled={isRunning}>
          Add the server
        </Button>
      </form>
    </details>
  );
}

interface TextProps {
  readonly id: string;
  readonly value: string;
  readonly placeholder: string;
  readonly onInput: (text: string) => void;
}

function Line({ onInput, ...given }: TextProps) {
  return (
    <input
      {...given}
      required
      spellcheck={false}
      autocomplete="off"
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
    />
  );
}

function Lines({ onInput, ...given }: TextProps) {
  return (
    <textarea {...given} rows={4} spellcheck={false} onInput={({ currentTarget }) => onInput(currentTarget.value)} />
  );
}
