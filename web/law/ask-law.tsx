import { useState } from "preact/hooks";
import type { OutputOf } from "../../src/client/index.ts";
import { nomos, useAction } from "../frame/index.ts";
import { Badge, Button, Field, Select } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";

const VERBS = [
  ["write", "change"],
  ["delete", "delete"],
  ["read", "read"],
] as const;
const KINDS = { allow: "good", ask: "warn", deny: "bad" } as const;

/** May somebody do this to that path? */
export function AskLaw({ cwd }: { readonly cwd: string }) {
  const { run, isRunning } = useAction();
  const [verb, setVerb] = useState<string>("write");
  const [path, setPath] = useState("");
  const [ticket, setTicket] = useState("");
  const [answer, setAnswer] = useState<OutputOf<"governance.check"> | null>(null);
  const change = (set: (text: string) => void) => (text: string) => {
    set(text);
    setAnswer(null);
  };
  const ask = async (): Promise<void> => {
    const input = { cwd, verb, path: path.trim(), ...(ticket.trim() === "" ? {} : { ticket: ticket.trim() }) };
    setAnswer((await run(() => nomos().call("governance.check", input))) ?? null);
  };
  return (
    <section class="card law-ask" aria-label="Ask the law">
      <h2>May an agent do it?</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void ask();
        }}
      >
        <Field label="Action">
          {(id) => <Select id={id} value={verb} options={VERBS} onChange={change(setVerb)} />}
        </Field>
        <Field label="Path">
          {(id) => (
            <input
              id={id}
              data-search
              spellcheck={false}
              value={path}
              onInput={({ currentTarget }) => change(setPath)(currentTarget.value)}
            />
          )}
        </Field>
        <Field label="On the ticket">
          {(id) => (
            <input
              id={id}
              spellcheck={false}
              placeholder="none"
              value={ticket}
              onInput={({ currentTarget }) => change(setTicket)(currentTarget.value)}
            />
          )}
        </Field>
        <Button type="submit" disabled={isRunning || path.trim() === ""}>
          Ask
        </Button>
      </form>
      <div role="status">{answer !== null && <Verdict answer={answer} />}</div>
    </section>
  );
}

function Verdict({ answer: { verdict, reason, rules, requires } }: { readonly answer: OutputOf<"governance.check"> }) {
  return (
    <>
      <p>
        <Badge kind={KINDS[verdict]}>{verdict}</Badge> <SafeText text={reason} strict />
      </p>
      {rules.length > 0 && (
        <p class="law-patterns">
          <span class="muted">by</span>
          {rules.map((rule) => (
            <code key={rule}>
              <SafeText text={rule} oneLine strict />
            </code>
          ))}
        </p>
      )}
      {requires.length > 0 && (
        <p class="muted">
          It becomes a yes with <SafeText text={requires.join(", ")} oneLine strict />.
        </p>
      )}
    </>
  );
}
