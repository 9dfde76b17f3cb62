import { useState } from "preact/hooks";
import { nomos, toast, useAction } from "../frame/index.ts";
import { Button, Field, Select } from "../parts/index.ts";
import { type AddDraft, API_OPTIONS, addInput, NO_DRAFT } from "./add-input.ts";

const KEY_FROM = [
  ["env", "an environment variable"],
  ["file", "a file"],
  ["", "needs no key"],
] as const;

interface AddProviderProps {
  readonly isOpen: boolean;
  readonly onAdded: () => void;
}

export function AddProvider({ isOpen, onAdded }: AddProviderProps) {
  const [draft, setDraft] = useState<AddDraft>(NO_DRAFT);
  const { run, isRunning } = useAction();
  const change = (part: Partial<AddDraft>): void => setDraft((before) => ({ ...before, ...part }));
  const add = async (): Promise<void> => {
    const added = await run(() => nomos().call("model.add", addInput(draft)));
    if (added === undefined) return;
    const isMissing = added.key?.isThere === false;
    toast(isMissing ? `Added ${added.name}. Its key is missing in ${added.key?.source}.` : `Added ${added.name}.`);
    setDraft(NO_DRAFT);
    onAdded();
  };
  return (
    <details class="card models-add" open={isOpen}>
      <summary>Add a provider</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <div class="models-fields">
          <Text draft={draft} change={change} member="name" label="Name" placeholder="anthropic" required />
          <Field label="API" hint="The protocol that its endpoint speaks.">
            {(id) => <Select id={id} value={draft.api} options={API_OPTIONS} onChange={(api) => change({ api })} />}
          </Field>
          <Text
            {...{ draft, change, member: "baseUrl", label: "Base URL", placeholder: "https://models.example.org/v1" }}
            hint="Empty: the API's own."
          />
          <Text
            {...{ draft, change, member: "model", label: "Model", placeholder: "as the provider calls it" }}
            hint="Empty: those that are well known."
          />
          <Field label="Its key is in">
            {(id) => (
              <Select id={id} value={draft.keyFrom} options={KEY_FROM} onChange={(keyFrom) => change({ keyFrom })} />
            )}
          </Field>
          {draft.keyFrom === "env" && (
            <Text
              {...{ draft, change, member: "key", label: "Variable", placeholder: "ANTHROPIC_API_KEY" }}
              hint="Of the daemon, not of this browser."
            />
          )}
          {draft.keyFrom === "file" && (
            <Text
              {...{
                draft,
                change,
                member: "key",
                label: "Path of the file",
                placeholder: "/home/you/.keys/acme",
                hint: "On the daemon's machine.",
              }}
            />
          )}
        </div>
        <p class="muted models-why">
          Name the place, never the key itself. The daemon reads it there when it is used, so that the key is in no
          configuration, no log and no backup.
        </p>
        <More draft={draft} change={change} />
        <Button kind="primary" type="submit" disabled={isRunning}>
          Add the provider
        </Button>
      </form>
    </details>
  );
}

interface PartProps {
  readonly draft: AddDraft;
  readonly change: (part: Partial<AddDraft>) => void;
}

/** For a model that the catalogue does not know. */
function More({ draft, change }: PartProps) {
  return (
    <details class="models-more">
      <summary>Window, price and default</summary>
      <div class="models-fields">
        <Text {...{ draft, change, member: "window", label: "Window in tokens", isNumber: true }} />
        <Text {...{ draft, change, member: "priceIn", label: "Dollars per million tokens in", isNumber: true }} />
        <Text {...{ draft, change, member: "priceOut", label: "Dollars per million tokens out", isNumber: true }} />
        <label class="models-check">
          <input
            type="checkbox"
            checked={draft.isDefault}
            onChange={({ currentTarget }) => change({ isDefault: currentTarget.checked })}
          />
          Make the model the default
        </label>
      </div>
    </details>
  );
}

interface TextProps extends PartProps {
  readonly member: Exclude<keyof AddDraft, "isDefault">;
  readonly label: string;
  readonly hint?: string;
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly isNumber?: boolean;
}

function Text({ draft, change, member, label, hint, placeholder, required = false, isNumber = false }: TextProps) {
  return (
    <Field label={label} {...(hint === undefined ? {} : { hint })}>
      {(id) => (
        <input
          id={id}
          required={required}
          spellcheck={false}
          autocomplete="off"
          {...(isNumber ? { type: "number", min: 0, step: "any" } : {})}
          {...(placeholder === undefined ? {} : { placeholder })}
          value={draft[member]}
          onInput={({ currentTarget }) => change({ [member]: currentTarget.value })}
        />
      )}
    </Field>
  );
}
