import { useEffect, useRef, useState } from "preact/hooks";
import { navigate, nomos, useAction, useCall } from "../frame/index.ts";
import { Button, Field, Select } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";

interface StartWorkProps {
  readonly cwd: string;
  readonly ticket: { readonly id: string; readonly title: string };
  readonly onClose: () => void;
}

/** Starts a session on a ticket: strict, in a worktree of its own, with the ticket's scope. */
export function StartWork({ cwd, ticket: { id, title }, onClose }: StartWorkProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { value } = useCall("agent.list", {}, { on: /^agent\./ });
  const { run, isRunning } = useAction();
  const [slug, setSlug] = useState("");
  const [prompt, setPrompt] = useState("");
  useEffect(() => dialog.current?.showModal(), []);
  const agents = value?.agents ?? [];
  const agent = agents.find((one) => one.slug === slug) ?? agents.find(({ default: isDefault }) => isDefault);
  const start = async (): Promise<void> => {
    if (agent === undefined) return;
    const words = prompt.trim() === "" ? {} : { prompt: prompt.trim() };
    const input = { adapter: agent.driver, agent: agent.slug, cwd, ticket: id, ...words };
    const started = await run(() => nomos().call("session.start", input, { idempotencyKey: crypto.randomUUID() }));
    if (started !== undefined) navigate(`/ui/session/${started.id}`);
  };
  return (
    <dialog ref={dialog} class="dialog tickets-dialog" aria-label={`Start work on ${id}`} onClose={onClose}>
      <h2>
        Start work: <SafeText text={title} oneLine strict />
      </h2>
      <p class="muted">
        The session leases the ticket, works behind strict walls in a worktree of its own, and may change what the
        ticket allows. It is given the ticket, the rules and the handoff before your words.
      </p>
      <Field label="Agent">
        {(field) => (
          <Select
            id={field}
            value={agent?.slug ?? ""}
            options={agents.map((one) => [one.slug, one.slug] as const)}
            onChange={setSlug}
          />
        )}
      </Field>
      <Field label="What to do" hint="Empty: what the ticket says.">
        {(field) => (
          <textarea
            id={field}
            rows={4}
            value={prompt}
            onInput={({ currentTarget }) => setPrompt(currentTarget.value)}
          />
        )}
      </Field>
      <div class="dialog-buttons">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" icon="play" disabled={isRunning || agent === undefined} onClick={() => void start()}>
          Start it
        </Button>
      </div>
    </dialog>
  );
}
