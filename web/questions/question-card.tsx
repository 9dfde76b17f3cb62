import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Approval } from "../../src/client/index.ts";
import { ErrorCard, Link, useCall, useKeys } from "../frame/index.ts";
import { type Row, useSession } from "../live/index.ts";
import { Ago, Button } from "../parts/index.ts";
import { Diff, SafeText, safeString } from "../text/index.ts";
import { ALWAYS, type Answer, isOpenQuestion, otherOptions, useAnswer } from "./answer.ts";
import { OwnWords } from "./own-words.tsx";
import "./questions.css";

interface QuestionCardProps {
  readonly question: Approval;
  /** The keys answer this one. */
  readonly isCurrent: boolean;
  /** False inside the session's own page. */
  readonly withSession?: boolean;
}

/** Nobody answers by a key what they have not seen. */
const UNREAD_MS = 600;

/** A question with the facts first, and what each answer allows. */
export function QuestionCard({ question, isCurrent, withSession = true }: QuestionCardProps) {
  const session = useSession(question.sessionId);
  // The list may have a shortened detail; this has all of it.
  const whole = useCall("approval.show", { approvalId: question.id });
  const { detail, action } = whole.value ?? question;
  return (
    <article
      class={isCurrent ? "question question-current" : "question"}
      aria-label={`Question: ${safeString(question.question)}`}
    >
      {withSession && <Asker question={question} session={session} />}
      <h3 class="question-text">
        <SafeText text={question.question} strict />
      </h3>
      {detail?.path !== undefined && (
        <p class="question-fact">
          <span class="muted">file </span>
          <code>
            <SafeText text={detail.path} strict />
          </code>
        </p>
      )}
      {detail?.command !== undefined && (
        <pre class="question-command">
          <SafeText text={detail.command} strict />
        </pre>
      )}
      {action !== undefined && detail?.command === undefined && (
        <p class="question-fact">
          <span class="muted">action </span>
          <code>
            <SafeText text={`${action.verb} ${action.resource}`} strict />
          </code>
        </p>
      )}
      {detail?.diff !== undefined && <Diff patch={detail.diff} strict />}
      {whole.error !== undefined && <ErrorCard error={whole.error} />}
      <Answers question={question} isCurrent={isCurrent} />
    </article>
  );
}

function Asker({ question, session }: { readonly question: Approval; readonly session: Row | undefined }) {
  return (
    <p class="question-asker">
      <Link to={`/ui/session/${question.sessionId}`}>
        <bdi>{safeString(session?.title ?? session?.name ?? "a session")}</bdi>
      </Link>
      <span class="muted">
        {session === undefined ? "" : `${session.name} · ${session.agent} · `}
        <Ago at={question.createdAt} /> ago
      </span>
    </p>
  );
}

function Answers({ question, isCurrent }: { readonly question: Approval; readonly isCurrent: boolean }) {
  const answer = useAnswer();
  const [isRefusing, setRefusing] = useState(false);
  const [isSent, setSent] = useState(false);
  const seenMs = useRef(performance.now());
  useEffect(() => {
    seenMs.current = performance.now();
  }, [question.id, isCurrent]);
  const give = async (given: Answer): Promise<void> => {
    setSent(true);
    if (!(await answer(question, given))) setSent(false);
  };
  const byKey = (given: Answer | "no"): void => {
    if (performance.now() - seenMs.current < UNREAD_MS || isSent) return;
    if (given === "no") setRefusing(true);
    else void give(given);
  };
  const options = otherOptions(question);
  const hasAlways = question.options.includes(ALWAYS);
  useKeys(isCurrent ? keysOf(question, byKey) : {});
  if (isRefusing)
    return <Refusal onCancel={() => setRefusing(false)} onGive={(reason) => give({ is: "no", reason })} />;
  const keyName = (key: string) => (isCurrent ? { keyName: key } : {});
  return (
    <div class="question-answers">
      <Button kind="primary" disabled={isSent} {...keyName("y")} onClick={() => void give({ is: "yes" })}>
        Yes, once
      </Button>
      {hasAlways && (
        <Button
          disabled={isSent}
          title={alwaysText(question)}
          {...keyName("a")}
          onClick={() => void give({ is: "yes", option: ALWAYS })}
        >
          Always
        </Button>
      )}
      {options.map((option, at) => (
        <Button
          key={option}
          disabled={isSent}
          {...keyName(String(at + 1))}
          onClick={() => void give({ is: "yes", option })}
        >
          <SafeText text={option} strict />
        </Button>
      ))}
      <Button kind="danger" disabled={isSent} {...keyName("x")} onClick={() => setRefusing(true)}>
        No …
      </Button>
      {isOpenQuestion(question) && <OwnWords onGive={(option) => void give({ is: "yes", option })} />}
      {hasAlways && <small class="muted">{alwaysText(question)}</small>}
    </div>
  );
}

function keysOf(question: Approval, byKey: (given: Answer | "no") => void): Parameters<typeof useKeys>[0] {
  const options = otherOptions(question).slice(0, 9);
  const byNumber = options.map((option, at) => [
    String(at + 1),
    { does: `Answer ${option}`, run: () => byKey({ is: "yes", option }) },
  ]);
  const always = { does: "Answer always", run: () => byKey({ is: "yes", option: ALWAYS }) };
  return {
    y: { does: "Answer yes, once", run: () => byKey({ is: "yes" }) },
    ...(question.options.includes(ALWAYS) ? { a: always } : {}),
    ...Object.fromEntries(byNumber),
    x: { does: "Answer no, with a reason", run: () => byKey("no") },
  };
}

function alwaysText({ action }: Approval): string {
  return `Always: every ${action === undefined ? "question like this" : action.verb} until this session ends`;
}

function Refusal({
  onGive,
  onCancel,
}: {
  readonly onGive: (reason: string) => Promise<void>;
  readonly onCancel: () => void;
}) {
  const [reason, setReason] = useState("");
  const input = useRef<HTMLInputElement>(null);
  // At once: the next key that somebody presses belongs to the reason.
  useLayoutEffect(() => input.current?.focus(), []);
  return (
    <form
      class="question-answers"
      onSubmit={(event) => {
        event.preventDefault();
        void onGive(reason);
      }}
    >
      <input
        ref={input}
        aria-label="Why not? The agent is told."
        placeholder="Why not? The agent is told."
        value={reason}
        onInput={({ currentTarget }) => setReason(currentTarget.value)}
        onKeyDown={({ key }) => key === "Escape" && onCancel()}
      />
      <Button kind="danger" type="submit">
        Say no
      </Button>
      <Button onClick={onCancel}>Cancel</Button>
    </form>
  );
}
