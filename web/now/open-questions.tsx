import { useState } from "preact/hooks";
import type { Approval } from "../../src/client/index.ts";
import { useKeys } from "../frame/index.ts";
import { QuestionCard } from "../questions/index.ts";

/** A thousand open questions are answered one by one; the page draws the first few. */
const SHOWN_MAX = 20;

export function OpenQuestions({ questions }: { readonly questions: readonly Approval[] }) {
  const [chosen, setChosen] = useState<string | null>(null);
  const shown = questions.slice(0, SHOWN_MAX);
  const at = Math.max(
    0,
    shown.findIndex(({ id }) => id === chosen),
  );
  const move = (step: number): void => setChosen(shown[Math.max(0, Math.min(shown.length - 1, at + step))]?.id ?? null);
  useKeys(
    shown.length < 2
      ? {}
      : {
          u: { does: "Next question", run: () => move(1) },
          U: { does: "Previous question", run: () => move(-1) },
        },
  );
  if (questions.length === 0) return null;
  return (
    <section class="now-questions" aria-labelledby="questions-title">
      <h2 id="questions-title">
        {questions.length === 1 ? "One question for you" : `${questions.length} questions for you`}
      </h2>
      {shown.map((question, index) => (
        <QuestionCard key={question.id} question={question} isCurrent={index === at} />
      ))}
      {questions.length > shown.length && (
        <p class="muted">{questions.length - shown.length} more come up as you answer these.</p>
      )}
    </section>
  );
}
