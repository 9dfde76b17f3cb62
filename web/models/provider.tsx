import { useState } from "preact/hooks";
import { confirmed, nomos, toast, useAction } from "../frame/index.ts";
import { Badge, Button } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";
import { ModelRow } from "./model-row.tsx";
import { isDemo, type ProviderModels } from "./providers-of.ts";

interface ProviderProps {
  readonly provider: ProviderModels;
  /** What was searched for is shown in full. */
  readonly isFiltered: boolean;
  readonly onChange: () => void;
}

const SHOWN_FIRST = 6;

/** One provider with its models. */
export function Provider({ provider, isFiltered, onChange }: ProviderProps) {
  const { name, api, models } = provider;
  const [isWhole, setWhole] = useState(false);
  const { run, isRunning } = useAction();
  const shown = isWhole || isFiltered ? models : models.slice(0, SHOWN_FIRST);
  const remove = async (): Promise<void> => {
    const isSure = await confirmed({
      title: `Remove the provider ${name}?`,
      body: "Sessions that use its models fail at their next step. A key that you piped in is deleted; others stay where they are.",
      yes: "Remove it",
      danger: true,
    });
    if (!isSure || (await run(() => nomos().call("model.remove", { name }))) === undefined) return;
    toast(`Removed ${name}.`);
    onChange();
  };
  return (
    <section class="card models-provider" aria-label={`Provider ${name}`}>
      <div class="models-provider-head">
        <h2>
          <SafeText text={name} oneLine />
        </h2>
        <span class="muted">{isDemo(name) ? "built in" : `API ${api}`}</span>
        <Key of={provider} />
        {!isDemo(name) && (
          <Button kind="quiet" disabled={isRunning} onClick={() => void remove()}>
            Remove
          </Button>
        )}
      </div>
      <table class="models-table">
        <thead>
          <tr>
            <th>Model</th>
            <th>Window</th>
            <th>Answer</th>
            <th title="dollars per million tokens">In per million</th>
            <th title="dollars per million tokens">Out per million</th>
            <th>
              <span class="hidden-text">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((model) => (
            <ModelRow key={model.name} model={model} onChange={onChange} />
          ))}
        </tbody>
      </table>
      {shown.length < models.length && (
        <Button kind="quiet" icon="down" onClick={() => setWhole(true)}>
          Show all {models.length} models
        </Button>
      )}
    </section>
  );
}

function Key({ of: { key } }: { readonly of: ProviderModels }) {
  if (key === null) return <Badge>needs no key</Badge>;
  return (
    <span class="models-key">
      <Badge kind={key.isThere ? "good" : "bad"}>{key.isThere ? "key is there" : "key is missing"}</Badge>{" "}
      <span class="muted">
        from <SafeText text={key.source} oneLine />
      </span>
    </span>
  );
}
