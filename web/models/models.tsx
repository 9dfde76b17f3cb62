import { useState } from "preact/hooks";
import { ErrorCard, type PageProps, useCall } from "../frame/index.ts";
import { AddProvider } from "./add-provider.tsx";
import { Breakers } from "./breakers.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { Provider } from "./provider.tsx";
import { matching, providersOf } from "./providers-of.ts";
import "./page.css";

const LIST_MAX = 1_000;
/** Fewer are seen at a glance. */
const FILTER_FROM = 12;

/** The models that the own agent can use, and where their keys come from. */
export function View(_props: PageProps) {
  const { value, error, again } = useCall("model.list", { limit: LIST_MAX }, { on: /^config\./ });
  const [words, setWords] = useState("");
  if (error !== undefined && value === undefined)
    return (
      <div class="page">
        <ErrorCard error={error} again={again} />
      </div>
    );
  if (value === undefined) return <p class="muted loading">Loading …</p>;
  const providers = providersOf(matching(value.models, words));
  const isNew = value.models.every(({ name }) => name.startsWith("demo/"));
  return (
    <div class="page models">
      <header class="page-head">
        <h1>Models</h1>
        <span class="muted">
          {value.default === null ? (
            "No default model"
          ) : (
            <>
              Default: <strong>{value.default}</strong>
            </>
          )}
        </span>
        {value.models.length >= FILTER_FROM && (
          <input
            type="search"
            data-search
            class="models-filter"
            aria-label="Filter the models"
            placeholder="Filter (/)"
            value={words}
            onInput={({ currentTarget }) => setWords(currentTarget.value)}
          />
        )}
      </header>
      <p class="muted">
        The agent <code>nomos</code> is built in and runs on these. Other agents bring models of their own.
      </p>
      <Breakers />
      {isNew && <FirstSteps />}
      {providers.map((provider) => (
        <Provider key={provider.name} provider={provider} isFiltered={words.trim() !== ""} onChange={again} />
      ))}
      {providers.length === 0 && <p class="muted">No model matches.</p>}
      <AddProvider isOpen={isNew} onAdded={again} />
    </div>
  );
}
