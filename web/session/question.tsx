import { useEffect, useRef, useState } from "preact/hooks";
import { useKeys } from "../frame/index.ts";
import { useQuestions } from "../live/index.ts";
import { QuestionCard } from "../questions/index.ts";
import { Actor, type Entry } from "../talk/index.ts";
import { SafeText } from "../text/index.ts";

const SAID_MS = 8_000;

interface PinnedQuestionProps {
  readonly id: string;
  readonly agent: string;
  readonly entries: readonly Entry[];
}

/** The oldest open question of the session, above the prompt box. */
export function PinnedQuestion({ id, agent, entries }: PinnedQuestionProps) {
  const open = useQuestions().filter(({ sessionId }) => sessionId === id);
  const [first] = open;
  const said = useAnswered(first?.id, entries);
  const box = useRef<HTMLElement>(null);
  useKeys({ u: { does: "Go to the question", run: () => box.current?.focus() } });
  if (first === undefined)
    return said === null ? null : (
      <p class="session-said" role="status">
        The question was {said.status} by <Actor name={said.by} />
      </p>
    );
  return (
    <section class="session-question" aria-label="Open question" ref={box} tabIndex={-1}>
      <p class="session-asker">
        <strong>
          <SafeText text={agent} oneLine />
        </strong>{" "}
        asks{open.length > 1 ? `; ${open.length - 1} more after this` : ""}
      </p>
      <QuestionCard key={first.id} question={first} isCurrent withSession={false} />
    </section>
  );
}

interface Answered {
  readonly status: string;
  readonly by: string;
}

/** Who answered the question that stood here: perhaps somebody else. */
function useAnswered(open: string | undefined, entries: readonly Entry[]): Answered | null {
  const last = useRef<string | undefined>(undefined);
  const [said, setSaid] = useState<Answered | null>(null);
  if (open !== undefined) last.current = open;
  const asked = entries.findLast((entry) => entry.kind === "question" && entry.approvalId === last.current);
  const [status, by] = asked?.kind === "question" ? [asked.status, asked.by ?? ""] : ["pending", ""];
  useEffect(() => {
    if (status === "pending") return;
    setSaid({ status, by });
    const timer = setTimeout(() => setSaid(null), SAID_MS);
    return () => clearTimeout(timer);
  }, [status, by]);
  return said;
}
