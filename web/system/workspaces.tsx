import { useState } from "preact/hooks";
import { confirmed, ErrorCard, nomos, useAction, useCall } from "../frame/index.ts";
import { Badge, Button, Copy, Empty, Field } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";
import { Card } from "./facts.tsx";

export function Workspaces() {
  const { value, error, again } = useCall("workspace.list", {}, { on: /^workspace\./ });
  const { run, isRunning } = useAction();
  const use = (slug: string) => run(() => nomos().call("workspace.use", { slug })).then(again);
  const remove = async (slug: string): Promise<void> => {
    const isSure = await confirmed({
      title: `Remove the workspace ${slug}?`,
      body: "It leaves the registry. Its directory and its sessions stay as they are.",
      yes: "Remove it",
      danger: true,
    });
    if (isSure) await run(() => nomos().call("workspace.remove", { slug })).then(again);
  };
  if (error !== undefined) return <ErrorCard error={error} again={again} />;
  return (
    <>
      <h1>Workspaces</h1>
      <p class="muted">Directories that sessions work in. A session that names no place works in the active one.</p>
      {value?.workspaces.length === 0 && (
        <Empty title="No workspace yet" command="nomos workspace add shop ~/code/shop">
          Name a directory once, and start sessions in it by its name.
        </Empty>
      )}
      <ul class="system-list" aria-label="Workspaces">
        {value?.workspaces.map(({ slug, path, label, active }) => (
          <li key={slug}>
            <div class="system-list-text">
              <strong>{slug}</strong> {active && <Badge kind="good">active</Badge>}{" "}
              {label !== undefined && <SafeText text={label} oneLine />}
              <div>
                <Copy text={path} />
              </div>
            </div>
            <div class="system-buttons">
              <Button disabled={active || isRunning} onClick={() => void use(slug)}>
                Use
              </Button>
              <Button kind="danger" disabled={isRunning} onClick={() => void remove(slug)}>
                Remove
              </Button>
            </div>
          </li>
        ))}
      </ul>
      <AddWorkspace onAdded={again} />
    </>
  );
}

function AddWorkspace({ onAdded }: { readonly onAdded: () => void }) {
  const [slug, setSlug] = useState("");
  const [path, setPath] = useState("");
  const { run, isRunning } = useAction();
  const add = async (): Promise<void> => {
    const added = await run(() => nomos().call("workspace.add", { slug: slug.trim(), path: path.trim() }));
    if (added === undefined) return;
    setSlug("");
    setPath("");
    onAdded();
  };
  return (
    <Card name="Add a workspace">
      <form
        class="system-form"
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <Field label="Name">
          {(id) => (
            <input
              id={id}
              required
              value={slug}
              placeholder="shop"
              onInput={({ currentTarget }) => setSlug(currentTarget.value)}
            />
          )}
        </Field>
        <Field label="Directory" hint="An absolute path on the daemon's machine.">
          {(id) => (
            <input
              id={id}
              required
              value={path}
              placeholder="/home/me/code/shop"
              spellcheck={false}
              onInput={({ currentTarget }) => setPath(currentTarget.value)}
            />
          )}
        </Field>
        <Button kind="primary" type="submit" disabled={isRunning}>
          Add
        </Button>
      </form>
    </Card>
  );
}
