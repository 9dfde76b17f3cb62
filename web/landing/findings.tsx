import { useQuestions } from "../live/index.ts";
import { Badge, Copy } from "../parts/index.ts";
import { QuestionCard } from "../questions/index.ts";
import { SafeText } from "../text/index.ts";
import type { Landing } from "./lines.ts";
import "./landing.css";

interface FindingsProps {
  readonly findings: Landing["findings"];
  readonly more?: number | undefined;
}

/** A remedy that names a question, such as one that widens the scope. */
const APPROVE = /^nomos approve (\S+)$/;

/** Why it does not land, and what to do about each. A question that helps is answered right here. */
export function Findings({ findings, more = 0 }: FindingsProps) {
  const asked = new Set(findings.flatMap(({ remedy }) => APPROVE.exec(remedy)?.[1] ?? []));
  const questions = useQuestions().filter(({ id }) => asked.has(id));
  return (
    <>
      <ul class="landing-findings" aria-label="Findings">
        {findings.map((finding, at) => (
          <Finding key={`${at} ${finding.rule}`} finding={finding} />
        ))}
        {more > 0 && (
          <li class="muted">
            {more} more {more === 1 ? "finding was" : "findings were"} left out.
          </li>
        )}
      </ul>
      {questions.map((question, at) => (
        <QuestionCard key={question.id} question={question} isCurrent={at === 0} withSession={false} />
      ))}
    </>
  );
}

function Finding({ finding: { rule, path, message, remedy } }: { readonly finding: Landing["findings"][number] }) {
  const [, command] = /^(nomos \S.*)$/.exec(remedy) ?? [];
  return (
    <li>
      <p>
        <Badge kind="bad">{rule}</Badge>{" "}
        {path !== undefined && (
          <>
            <code>
              <SafeText text={path} strict oneLine />
            </code>{" "}
          </>
        )}
        <SafeText text={message} strict />
      </p>
      {command === undefined ? (
        <p class="muted">
          To do: <SafeText text={remedy} />
        </p>
      ) : (
        <Copy text={command} />
      )}
    </li>
  );
}
