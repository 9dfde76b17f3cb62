import { Badge } from "../parts/index.ts";
import { Code, Diff, SafeText } from "../text/index.ts";
import { Actor } from "./actor.tsx";
import type { QuestionEntry } from "./entry.ts";

type Asked = Pick<QuestionEntry, "approvalId" | "question" | "options" | "action" | "detail">;

/** The facts in full: the command, the path, the diff. Look-alikes are marked: somebody decides by them. */
function QuestionFacts({ asked: { question, action, detail } }: { readonly asked: Asked }) {
  const { command, path, diff } = detail;
  return (
    <div class="talk-facts">
      <p class="talk-question">
        <SafeText text={question} strict />
      </p>
      {command !== undefined && <Code text={command} language="bash" strict />}
      {path !== undefined && diff === undefined && (
        <p>
          File: <SafeText text={path} oneLine strict />
        </p>
      )}
      {diff !== undefined && <Diff patch={diff} strict />}
      {action !== null && command === undefined && (
        <p class="muted">
          <code>{action.verb}</code> <SafeText text={action.resource} oneLine strict />
        </p>
      )}
    </div>
  );
}

/** A question in its place in the talk. An open one is shown in full, and answered, above the prompt box. */
export function QuestionCard({ asked }: { readonly asked: QuestionEntry }) {
  const { status, option, reason, by } = asked;
  const isOpen = status === "pending";
  return (
    <div class={`talk-question-card ${isOpen ? "talk-question-open" : ""}`}>
      {isOpen ? (
        <p class="talk-question">
          <SafeText text={asked.question} strict />
        </p>
      ) : (
        <QuestionFacts asked={asked} />
      )}
      <p class="talk-answer">
        <Badge kind={isOpen ? "warn" : status === "approved" ? "good" : "bad"}>
          {isOpen ? "waits for you" : status}
        </Badge>
        {option !== null && <SafeText text={option} oneLine />}
        {reason !== null && <SafeText text={reason} />}
        {!isOpen && by !== null && (
          <span class="muted">
            answered by <Actor name={by} />
          </span>
        )}
      </p>
    </div>
  );
}
