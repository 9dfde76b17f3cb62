import { useEffect, useRef, useState } from "preact/hooks";
import type { Approval, Session } from "../../src/client/index.ts";
import { nomos, useAction, useCall, useKeys } from "../frame/index.ts";
import { useQuestions } from "../live/index.ts";
import { Button } from "../parts/index.ts";
import { type Asked, type Entry, QuestionFacts } from "../talk/index.ts";
import { SafeText } from "../text/index.ts";

/** Nobody answers what they have not seen: a key that was meant for something else comes earlier. */
const SEEN_AFTER_MS = 600;
const SAID_MS = 8_000;
const PLAIN_ANSWERS: readonly string[] = ["once", "yes", "no", "always"];

interface PinnedQuestionProps {
  readonly session: Session;
  readonly entries: readonly Entry[];
}

/** The oldest open question of the session, above the prompt box. */
export function PinnedQuestion({ session, entries }: PinnedQuestionProps) {
  const open = useQuestions().filter(({ sessionId }) => sessionId === session.id);
  const [first] = open;
  const said = useAnsweredElsewhere(first?.id, entries);
  return (
    <>
      {said !== null && first === undefined && (
        <p class="session-said" role="status">
          <SafeText text={said} oneLine />
        </p>
      )}
      {first !== undefined && (
        <OpenQuestion key={first.id} question={first} session={session} others={open.length - 1} />
      )}
    </>
  );
}

/** Answers that this page gave. */
const OWN = new Set<string>();

function useAnsweredElsewhere(open: string | undefined, entries: readonly Entry[]): string | null {
  const last = useRef<string | undefined>(undefined);
  const [said, setSaid] = useState<string | null>(null);
  if (open !== undefined) last.current = open;
  const asked = entries.findLast((entry) => entry.kind === "question" && entry.approvalId === last.current);
  const by = asked?.kind === "question" && asked.status !== "pending" ? `${asked.status}, by ${asked.by ?? ""}` : null;
  useEffect(() => {
    if (by === null || last.current === undefined || OWN.has(last.current)) return;
    setSaid(`The question was answered elsewhere: ${by}`);
    const timer = setTimeout(() => setSaid(null), SAID_MS);
    return () => clearTimeout(timer);
  }, [by]);
  return said;
}

interface OpenQuestionProps {
  readonly question: Approval;
  readonly session: Session;
  readonly others: number;
}

function OpenQuestion({ question, session, others }: OpenQuestionProps) {
  const whole = useCall("approval.show", { approvalId: question.id }).value ?? question;
  const { action, options, detail = {} } = whole;
  const asked: Asked = {
    ...{ approvalId: whole.id, question: whole.question, options, detail },
    action: action ?? null,
  };
  const box = useRef<HTMLElement>(null);
  useKeys({ u: { does: "Go to the question", run: () => box.current?.focus() } });
  return (
    <section class="session-question" aria-label="Open question" ref={box} tabIndex={-1}>
      <p class="session-asker">
        <strong>
          <SafeText text={session.agent} oneLine />
        </strong>{" "}
        asks{others > 0 ? `; ${others} more after this` : ""}
      </p>
      <div class="session-question-facts">
        <QuestionFacts asked={asked} />
      </div>
      {options.includes("always") && (
        <p class="muted session-always">
          Always allows every {action === undefined ? "question like this" : <code>{action.verb}</code>} until this
          session ends.
        </p>
      )}
      <Answers asked={asked} />
    </section>
  );
}

function Answers({ asked: { approvalId, options, action } }: { readonly asked: Asked }) {
  const isSeen = useSeen();
  const { run, isRunning } = useAction();
  const [isRejecting, setRejecting] = useState(false);
  const named = options.filter((option) => !PLAIN_ANSWERS.includes(option.toLowerCase())).slice(0, 9);
  const hasAlways = options.includes("always");
  const approve = (option: string | null): void => {
    if (!isSeen.current) return;
    OWN.add(approvalId);
    void run(() => nomos().call("approval.approve", { approvalId, ...(option === null ? {} : { option }) }));
  };
  const reject = (reason: string): void => {
    OWN.add(approvalId);
    void run(() => nomos().call("approval.reject", { approvalId, ...(reason === "" ? {} : { reason }) }));
  };
  useKeys({
    y: { does: "Approve the question", run: () => approve(null) },
    ...(hasAlways ? { a: { does: "Approve always", run: () => approve("always") } } : {}),
    x: { does: "Reject with a reason", run: () => isSeen.current && setRejecting(true) },
    ...Object.fromEntries(
      named.map((option, at) => [`${at + 1}`, { does: `Answer: ${option}`, run: () => approve(option) }]),
    ),
  });
  if (isRejecting) return <RejectForm onReject={reject} onCancel={() => setRejecting(false)} />;
  return (
    <div class="session-answers">
      <Button kind="primary" keyName="y" disabled={isRunning} onClick={() => approve(null)}>
        Approve
      </Button>
      {hasAlways && (
        <Button keyName="a" disabled={isRunning} onClick={() => approve("always")}>
          Always
        </Button>
      )}
      {named.map((option, at) => (
        <Button key={option} keyName={`${at + 1}`} disabled={isRunning} onClick={() => approve(option)}>
          <SafeText text={option} oneLine />
        </Button>
      ))}
      <Button kind="danger" keyName="x" disabled={isRunning} onClick={() => setRejecting(true)}>
        Reject
      </Button>
      {options.length === 0 && action === null && <OwnWords onAnswer={approve} />}
    </div>
  );
}

/** True once the question was in sight for a moment; anew when the page comes back into sight. */
function useSeen(): { readonly current: boolean } {
  const isSeen = useRef(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = (): void => {
      isSeen.current = false;
      clearTimeout(timer);
      if (document.visibilityState !== "visible") return;
      timer = setTimeout(() => {
        isSeen.current = true;
      }, SEEN_AFTER_MS);
    };
    look();
    document.addEventListener("visibilitychange", look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, []);
  return isSeen;
}

interface RejectFormProps {
  readonly onReject: (reason: string) => void;
  readonly onCancel: () => void;
}

function RejectForm({ onReject, onCancel }: RejectFormProps) {
  const field = useRef<HTMLInputElement>(null);
  const [reason, setReason] = useState("");
  useEffect(() => field.current?.focus(), []);
  const submit = (event: Event): void => {
    event.preventDefault();
    onReject(reason.trim());
  };
  return (
    <form class="session-answers" onSubmit={submit}>
      <input
        ref={field}
        aria-label="Why not? The agent is told."
        placeholder="Why not? The agent is told."
        value={reason}
        maxLength={500}
        onInput={({ currentTarget }) => setReason(currentTarget.value)}
        onKeyDown={(event) => event.key === "Escape" && onCancel()}
      />
      <Button kind="danger" type="submit">
        Reject
      </Button>
      <Button onClick={onCancel}>Back</Button>
    </form>
  );
}

function OwnWords({ onAnswer }: { readonly onAnswer: (words: string) => void }) {
  const [words, setWords] = useState("");
  const submit = (event: Event): void => {
    event.preventDefault();
    if (words.trim() !== "") onAnswer(words.trim());
  };
  return (
    <form class="session-own-words" onSubmit={submit}>
      <input
        aria-label="Answer in your own words"
        placeholder="Or answer in your own words"
        value={words}
        onInput={({ currentTarget }) => setWords(currentTarget.value)}
      />
      <Button type="submit" disabled={words.trim() === ""}>
        Answer
      </Button>
    </form>
  );
}
