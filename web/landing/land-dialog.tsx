import { useEffect, useRef, useState } from "preact/hooks";
import type { InputOf, OutputOf, Session } from "../../src/client/index.ts";
import { ErrorCard, navigate, nomos, toast, useCall } from "../frame/index.ts";
import { Badge, Button, Field, Progress, Select } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";
import { Findings } from "./findings.tsx";
import "./landing.css";

type Tried = OutputOf<"session.land">;

const HOWS = [
  ["", "as configured"],
  ["merge", "merge"],
  ["rebase", "rebase"],
  ["squash", "squash into one commit"],
] as const;

interface LandDialogProps {
  readonly session: Pick<Session, "id" | "name">;
  readonly onClose: () => void;
}

/** A dry run first: what would come of it, then the landing itself. */
export function LandDialog({ session: { id, name }, onClose }: LandDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const draft = useCall("landing.draft", { id });
  const [into, setInto] = useState("");
  const [how, setHow] = useState<(typeof HOWS)[number][0]>("");
  const [message, setMessage] = useState<string | null>(null);
  const { tried, error, isTrying, isLanding, ask, forget } = useTrial();
  useEffect(() => dialog.current?.showModal(), []);
  const given = message?.trim() ?? "";
  const input = {
    id,
    ...(into.trim() === "" ? {} : { into: into.trim() }),
    ...(how === "" ? {} : { how }),
    ...(given === "" ? {} : { message: given }),
  };
  const land = async (): Promise<void> => {
    const answer = await ask(input);
    if (answer === undefined) return;
    toast(`Queued ${name} for ${answer.into}.`);
    onClose();
    navigate(`/ui/landings?id=${encodeURIComponent(answer.id ?? "")}`);
  };
  const isAsking = isTrying || isLanding;
  return (
    <dialog ref={dialog} class="dialog landing-dialog" aria-label={`Land ${name}`} onClose={onClose}>
      <h2>Land {name}</h2>
      <Field label="Branch" hint="Empty: the one that is checked out in the repository.">
        {(field) => <input id={field} value={into} onInput={forget(setInto)} />}
      </Field>
      <Field label="How">
        {(field) => (
          <Select
            id={field}
            value={how}
            options={HOWS}
            onChange={(value) => setHow(HOWS.find(([one]) => one === value)?.[0] ?? "")}
          />
        )}
      </Field>
      <Field label="Message" hint="Of the commit. Session, turn and event are added as trailers.">
        {(field) => (
          <textarea id={field} rows={5} value={message ?? draft.value?.message ?? ""} onInput={forget(setMessage)} />
        )}
      </Field>
      {isTrying && <Progress label="The gate and the checks run" />}
      {error !== undefined && <ErrorCard error={error} />}
      {tried !== null && <Outcome tried={tried} />}
      <div class="dialog-buttons">
        <Button onClick={onClose}>Cancel</Button>
        <Button disabled={isAsking} onClick={() => void ask({ ...input, dryRun: true })}>
          {isTrying ? "Trying …" : "Try it"}
        </Button>
        <Button kind="primary" disabled={isAsking || tried?.ok === false} onClick={() => void land()}>
          Land it
        </Button>
      </div>
    </dialog>
  );
}

/** What a dry run said of the input as it is. A dialog that is closed waits for no answer. */
function useTrial() {
  const [tried, setTried] = useState<Tried | null>(null);
  const [error, setError] = useState<unknown>(undefined);
  const [doing, setDoing] = useState<"trying" | "landing" | null>(null);
  const leave = useRef(new AbortController());
  useEffect(() => () => leave.current.abort(), []);
  const ask = async (input: InputOf<"session.land">): Promise<Tried | undefined> => {
    setError(undefined);
    setTried(null);
    setDoing(input.dryRun === true ? "trying" : "landing");
    try {
      const { signal } = leave.current;
      const answer = await nomos().call("session.land", input, { signal, idempotencyKey: crypto.randomUUID() });
      if (answer.dryRun) setTried(answer);
      return answer;
    } catch (thrown) {
      if (!leave.current.signal.aborted) setError(thrown);
      return undefined;
    } finally {
      setDoing(null);
    }
  };
  const forget =
    (set: (text: string) => void) =>
    ({ currentTarget: { value } }: { readonly currentTarget: { readonly value: string } }): void => {
      set(value);
      setTried(null);
    };
  return { tried, error, isTrying: doing === "trying", isLanding: doing === "landing", ask, forget };
}

function Outcome({ tried }: { readonly tried: Tried }) {
  const { ok, into, files = 0, added = 0, removed = 0, findings, more } = tried;
  return (
    <div role="status" class="landing-outcome">
      <p>
        <Badge kind={ok ? "good" : "bad"}>{ok ? "would land" : "would be refused"}</Badge> on{" "}
        <SafeText text={into} strict oneLine />: {files} {files === 1 ? "file" : "files"}, +{added} −{removed}
      </p>
      {findings.length > 0 && <Findings findings={findings} more={more} />}
    </div>
  );
}
