import { useState } from "preact/hooks";
import type { OutputOf } from "../../../src/client/index.ts";
import { nomos, useAction } from "../../frame/index.ts";
import { Badge, Button, Field } from "../../parts/index.ts";
import { SafeText } from "../../text/index.ts";
import { Card } from "../facts.tsx";

const WORDS = { allow: ["Yes", "good"], deny: ["No", "bad"], ask: ["After asking a person", "warn"] } as const;

/** May X do Y? The gate answers as it would in earnest, with the rules that decide. */
export function AskPermission() {
  const [asked, setAsked] = useState({ principal: "self", verb: "tool.execute", resource: "command/git push" });
  const [found, setFound] = useState<OutputOf<"permission.explain"> | null>(null);
  const { run, isRunning } = useAction();
  const ask = async (): Promise<void> => {
    const answer = await run(() => nomos().call("permission.explain", asked));
    if (answer !== undefined) setFound(answer);
  };
  const field = (name: keyof typeof asked, label: string, hint: string) => (
    <Field label={label} hint={hint}>
      {(id) => (
        <input
          id={id}
          required
          spellcheck={false}
          value={asked[name]}
          onInput={({ currentTarget }) => {
            setAsked({ ...asked, [name]: currentTarget.value });
            setFound(null);
          }}
        />
      )}
    </Field>
  );
  return (
    <Card name="May X do Y?" about="Asks the gate and changes nothing.">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void ask();
        }}
      >
        {field("principal", "Who", "operator, self, agent:claude, session:ID, token:ID, role:viewer")}
        {field("verb", "What", "a permission such as session.read, or tool.execute, tool.edit")}
        {field("resource", "On what", "system, session/ID; of a session's tools: path/src/a.ts, command/git push")}
        <Button type="submit" disabled={isRunning}>
          Ask
        </Button>
      </form>
      {found !== null && (
        <div role="status" class="system-checked">
          <p>
            <Badge kind={WORDS[found.verdict][1]}>{WORDS[found.verdict][0]}</Badge>
          </p>
          <ul class="system-steps">
            {found.rules.map((rule) => (
              <li key={rule}>
                <SafeText text={rule} />
              </li>
            ))}
          </ul>
          {found.rules.length === 0 && <p class="muted">No rule names it.</p>}
        </div>
      )}
    </Card>
  );
}
