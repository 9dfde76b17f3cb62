import { useRef, useState } from "preact/hooks";
import { nomos, toast, useAction } from "../frame/index.ts";
import { Button, Field, Select } from "../parts/index.ts";
import { emptyField, SecretValue, valueIn } from "./secret-value.tsx";

const SCOPES = [
  ["home", "every session of yours"],
  ["workspace", "a workspace"],
  ["agent", "an agent"],
  ["session", "a session"],
] as const;
const NO_DRAFT = { name: "", scope: "home", of: "" };

interface SetSecretProps {
  readonly isOpen: boolean;
  readonly isLocked: boolean;
  readonly onSet: () => void;
}

export function SetSecret({ isOpen, isLocked, onSet }: SetSecretProps) {
  const [draft, setDraft] = useState(NO_DRAFT);
  const value = useRef<HTMLTextAreaElement>(null);
  const { run, isRunning } = useAction();
  const change = (part: Partial<typeof NO_DRAFT>): void => setDraft((before) => ({ ...before, ...part }));
  const set = async (): Promise<void> => {
    const scope = draft.scope === "home" ? "home" : `${draft.scope}:${draft.of.trim()}`;
    const given = { name: draft.name.trim(), value: valueIn(value), scope };
    const sealed = await run(() => nomos().call("secret.set", given));
    if (sealed === undefined) return;
    emptyField(value);
    setDraft(NO_DRAFT);
    toast(`Sealed ${sealed.name}: ${sealed.bytes} bytes, fingerprint ${sealed.fingerprint}.`);
    onSet();
  };
  return (
    <details class="card secrets-set" open={isOpen}>
      <summary>Set a new secret</summary>
      {isLocked && <p class="muted">The vault is locked. Open it first.</p>}
      <form
        autocomplete="off"
        onSubmit={(event) => {
          event.preventDefault();
          void set();
        }}
      >
        <div class="secrets-fields">
          <Field label="Name" hint="As a variable is called: letters, digits and _.">
            {(id) => (
              <input
                id={id}
                required
                spellcheck={false}
                autocomplete="off"
                placeholder="ACME_API_KEY"
                value={draft.name}
                onInput={({ currentTarget }) => change({ name: currentTarget.value })}
              />
            )}
          </Field>
          <Field label="For">
            {(id) => <Select id={id} value={draft.scope} options={SCOPES} onChange={(scope) => change({ scope })} />}
          </Field>
          {draft.scope !== "home" && (
            <Field label={`Which ${draft.scope}`} hint="Its name; of a session, its id. The narrowest scope wins.">
              {(id) => (
                <input
                  id={id}
                  required
                  spellcheck={false}
                  autocomplete="off"
                  value={draft.of}
                  onInput={({ currentTarget }) => change({ of: currentTarget.value })}
                />
              )}
            </Field>
          )}
        </div>
        <SecretValue label="Value" field={value} />
        <Button kind="primary" type="submit" disabled={isRunning || isLocked}>
          Seal it
        </Button>
      </form>
    </details>
  );
}
