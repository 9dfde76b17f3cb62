import type { OutputOf } from "../../src/client/index.ts";
import { type PageProps, useCall } from "../frame/index.ts";
import { Ago, Badge, Fact } from "../parts/index.ts";
import { ChooseRepository, LawError, NoRepository, useRepository } from "../repository/index.ts";
import { SafeText } from "../text/index.ts";
import { AskLaw } from "./ask-law.tsx";
import { Rules } from "./rules.tsx";
import { SetUp } from "./set-up.tsx";
import "./page.css";

type Shown = OutputOf<"governance.show">;

/** The law of one repository: what is in force, what is wrong with it, and what it says of a path. */
export function View({ query }: PageProps) {
  const repository = useRepository("/ui/law", query);
  const { cwd } = repository;
  return (
    <div class="page law">
      <header class="page-head">
        <h1>Law</h1>
        <ChooseRepository {...repository} />
      </header>
      {cwd === null ? <NoRepository /> : <LawOf key={cwd} cwd={cwd} />}
    </div>
  );
}

function LawOf({ cwd }: { readonly cwd: string }) {
  const { value, error, again } = useCall("governance.show", { cwd }, { on: /^(?:governance|landing)\./ });
  if (error !== undefined)
    return (
      <LawError error={error} again={again}>
        <SetUp cwd={cwd} onDone={again} />
      </LawError>
    );
  if (value === undefined) return <p class="muted loading">Loading …</p>;
  return (
    <>
      <Standing law={value} />
      {value.problems.length > 0 && <Problems problems={value.problems} />}
      <AskLaw cwd={cwd} />
      <Rules rules={value.rules} />
      <Always always={value.always} />
      <Held law={value} />
    </>
  );
}

function Standing({ law }: { readonly law: Shown }) {
  const { sound, branch, tip, hash, previous, signer, composedAt } = law;
  return (
    <section class="card" aria-label="The law in force">
      <p>
        <Badge kind={sound ? "good" : "bad"}>{sound ? "sound" : "does not hold"}</Badge>{" "}
        {sound ? "Nobody edited what was compiled." : "Nothing is allowed until the problems below are mended."}
      </p>
      <dl class="law-facts">
        <Fact name="Read from">
          {branch === null ? (
            "nowhere yet: it is not committed"
          ) : (
            <>
              <SafeText text={branch} oneLine strict /> at <code>{tip?.slice(0, SHORT) ?? "–"}</code>
            </>
          )}
        </Fact>
        <Fact name="Lock">
          <code>{hash ?? "–"}</code>
        </Fact>
        <Fact name="Lock before it">
          <code>{previous ?? "none: this is the first"}</code>
        </Fact>
        <Fact name="Sealed">
          {composedAt === null ? (
            "–"
          ) : (
            <>
              <Ago at={composedAt} /> ago
            </>
          )}
        </Fact>
        <Fact name="Signed by">
          {signer === null ? (
            "nobody: it was sealed where there is no key"
          ) : (
            <code>
              <SafeText text={signer} oneLine strict />
            </code>
          )}
        </Fact>
      </dl>
    </section>
  );
}

const SHORT = 12;

function Problems({ problems }: { readonly problems: Shown["problems"] }) {
  return (
    <section aria-label="Problems">
      <h2>{problems.length === 1 ? "One problem" : `${problems.length} problems`}</h2>
      <ul class="law-list">
        {problems.map(({ code, file, message, remedy, at }, index) => (
          <li key={index}>
            <p>
              <Badge kind={at === "committed" ? "bad" : "warn"}>
                {at === "committed" ? "committed" : "only checked out"}
              </Badge>{" "}
              <code>
                <SafeText text={file} oneLine strict />
              </code>
            </p>
            <p>
              <SafeText text={message} strict />
            </p>
            <p>
              <SafeText text={remedy} strict /> <span class="muted">{code}</span>
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Always({ always }: { readonly always: Shown["always"] }) {
  return (
    <section aria-label="Protected without a rule">
      <h2>Protected without a rule</h2>
      <ul class="law-list">
        {always.map(({ patterns, actions, message, liftable }) => (
          <li key={message}>
            <p>
              <SafeText text={message} strict />{" "}
              <span class="muted">
                {actions.join(", ")}; {liftable ? "a rule can lift it" : "no rule lifts it"}
              </span>
            </p>
            <p class="law-patterns">
              {patterns.map((pattern) => (
                <code key={pattern}>
                  <SafeText text={pattern} oneLine strict />
                </code>
              ))}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What holds beside the single rules. */
function Held({ law: { protected: paths, budgets, checks, lanes, ticketsAtOnceMax } }: { readonly law: Shown }) {
  return (
    <section aria-label="Limits">
      <h2>Denials, budgets, checks and lanes</h2>
      <dl class="law-facts">
        <Fact name="Nobody may change">
          <Words words={paths.write} />
        </Fact>
        <Fact name="Nobody may delete">
          <Words words={paths.delete} />
        </Fact>
        <Fact name="Nobody may read">
          <Words words={paths.read} />
        </Fact>
        <Fact name="A change has at most">
          {budgets.files} files and {budgets.lines} lines
        </Fact>
        <Fact name="Needed to land">
          <Words words={checks.map((argv) => argv.join(" "))} />
        </Fact>
        <Fact name="Lanes">
          {lanes.length === 0 ? "none" : <Words words={lanes.map((one) => `${one.name}: ${one.count} at once`)} />}
          {ticketsAtOnceMax !== null && <> At most {ticketsAtOnceMax} tickets at once.</>}
        </Fact>
      </dl>
    </section>
  );
}

function Words({ words }: { readonly words: readonly string[] }) {
  if (words.length === 0) return <span class="muted">none</span>;
  return (
    <ul class="law-words">
      {words.map((word, at) => (
        <li key={at}>
          <code>
            <SafeText text={word} oneLine strict />
          </code>
        </li>
      ))}
    </ul>
  );
}
