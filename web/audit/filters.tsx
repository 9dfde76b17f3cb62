import { useEffect, useState } from "preact/hooks";
import { navigate, useCall } from "../frame/index.ts";
import { Button, Field, Select } from "../parts/index.ts";
import { addressOf, type Chosen, isNothing } from "./chosen.ts";

const TYPES_HINT = "as in turn.ended";
/** A phone shows the events first. */
const PHONE = matchMedia("(max-width: 760px)");

/** Chooses out of the log. The address keeps the choice, so that it can be shared and gone back from. */
export function Filters({ chosen }: { readonly chosen: Chosen }) {
  const agents = useCall("agent.list", {}, { on: /^agent\./ });
  const change = (part: Partial<Chosen>): void => navigate(addressOf({ ...chosen, ...part }), { replace: true });
  const ofAgents = (agents.value?.agents ?? []).map(({ slug, name }) => [slug, name] as const);
  // An agent's events are another list of the daemon, without further filters.
  const isOfAgent = chosen.agent !== "";
  return (
    <details class="audit-choose" open={!PHONE.matches || !isNothing(chosen)}>
      <summary>Choose events</summary>
      <form class="audit-filters" aria-label="Choose events" onSubmit={(event) => event.preventDefault()}>
        <Field label="Agent">
          {(id) => (
            <Select
              id={id}
              value={chosen.agent}
              options={[["", "all"], ...ofAgents]}
              onChange={(agent) =>
                navigate(addressOf(agent === "" ? { ...chosen, agent } : { agent }), { replace: true })
              }
            />
          )}
        </Field>
        {!isOfAgent && (
          <>
            <Typed label="Type" hint={TYPES_HINT} value={chosen.type} onChange={(type) => change({ type })} />
            <Typed
              label="Stream"
              hint="session/… or system"
              value={chosen.stream}
              onChange={(stream) => change({ stream })}
            />
            <Typed
              label="Actor"
              hint="daemon, operator, token:…"
              value={chosen.actor}
              onChange={(actor) => change({ actor })}
            />
            <Typed label="From" isTime value={chosen.from} onChange={(from) => change({ from })} />
            <Typed label="Until" isTime value={chosen.until} onChange={(until) => change({ until })} />
          </>
        )}
        {!isNothing(chosen) && (
          <Button kind="quiet" icon="close" onClick={() => navigate(addressOf({}), { replace: true })}>
            Show all
          </Button>
        )}
      </form>
    </details>
  );
}

interface TypedProps {
  readonly label: string;
  readonly hint?: string;
  readonly isTime?: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Takes effect when the field is left or Enter is pressed, not with each letter. */
function Typed({ label, hint, isTime = false, value, onChange }: TypedProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const settle = (): void => {
    if (text.trim() !== value) onChange(text.trim());
  };
  return (
    <Field label={label}>
      {(id) => (
        <input
          id={id}
          {...(isTime ? { type: "datetime-local" as const } : {})}
          value={text}
          placeholder={hint}
          spellcheck={false}
          autocomplete="off"
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onBlur={settle}
          onKeyDown={({ key }) => {
            if (key === "Enter") settle();
          }}
        />
      )}
    </Field>
  );
}
