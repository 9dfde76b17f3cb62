import type { OutputOf } from "../../src/client/index.ts";
import { Badge } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";

type Rule = OutputOf<"governance.show">["rules"][number];

/** What a rule does, in a word and a colour. */
const TYPES: { readonly [type: string]: readonly [word: string, kind: "bad" | "good" | "accent" | "warn"] } = {
  filesystem_deny: ["denies", "bad"],
  filesystem_allow: ["allows", "good"],
  require_lease: ["needs a lease", "accent"],
  require_checks: ["needs checks", "accent"],
  evolution_gate: ["people keep it", "warn"],
  patch_first: ["people keep it", "warn"],
};

export function Rules({ rules }: { readonly rules: readonly Rule[] }) {
  return (
    <section aria-label="Rules">
      <h2>{rules.length === 1 ? "One rule" : `${rules.length} rules`}</h2>
      <ul class="law-list">
        {rules.map((rule) => (
          <RuleLine key={rule.id} rule={rule} />
        ))}
      </ul>
    </section>
  );
}

function RuleLine({ rule: { id, type, actions, patterns, message, checks } }: { readonly rule: Rule }) {
  const [word, kind] = TYPES[type] ?? [type, "warn"];
  return (
    <li>
      <p>
        <strong>
          <SafeText text={id} oneLine strict />
        </strong>{" "}
        <Badge kind={kind}>{word}</Badge>{" "}
        {type.startsWith("filesystem_") && (
          <span class="muted">{actions.length === 0 ? "every action" : actions.join(", ")}</span>
        )}
      </p>
      <p>
        <SafeText text={message} strict />
      </p>
      <p class="law-patterns">
        {[...patterns, ...checks.map((argv) => argv.join(" "))].map((one, at) => (
          <code key={at}>
            <SafeText text={one} oneLine strict />
          </code>
        ))}
      </p>
    </li>
  );
}
