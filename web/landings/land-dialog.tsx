import { useEffect, useRef, useState } from "preact/hooks";
import type { OutputOf, Session } from "../../src/client/index.ts";
import { ErrorCard, navigate, nomos, toast, useCall } from "../frame/index.ts";
import { Badge, Button, Field, Progress, Select } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";
import { Findings } from "./findings.tsx";
import "./page.css";

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
  const [tried, setTried] = useState<Tried | null>(null);
  const [error, setError] = useState<unknown>(undefined);
  const [doing, setDoing] = useState<"trying" | "landing" | null>(null);
  const leave = useRef(new AbortController());
  useEffect(() => {
    dialog.current?.showModal();
    return () => leave.current.abort();
  }, []);
  const ask = async (dryRun: boolean): Promise<Tried | undefined> => {
    setError(undefined);
    setTried(null);
    setDoing(dryRun ? "trying" : "landing");
    const given = message?.trim() ?? "";
    const input = {
      ...{ id, dryRun },
      ...(into.trim() === "" ? {} : { into: into.trim() }),
      ...(how === "" ? {} : { how }),
      ...(given === "" ? {} : { message: given }),
    };
    try {
      return await nomos().call("session.land", input, { signal: leave.current.signal });
    } catch (thrown) {
      if (!leave.current.signal.aborted) setError(thrown);
      return undefined;
    } finally {
      setDoing(null);
    }
  };
  const look = async (): Promise<void> => {
    const answer = await ask(true);
    if (answer !== undefined) setTried(answer);
  };
  const land = async (): Promise<void> => {
    const answer = await ask(false);
    if (answer === undefined) return;
    toast(`Queued ${name} for ${answer.into}.`);
    onClose();
    navigate(`/ui/landings?id=${encodeURIComponent(answer.id ?? "")}`);
  };
  return (
    <dialog ref={dialog} class="dialog landing-dialog" aria-label={`Land ${name}`} onClose={onClose}>
      <h2>Land {name}</h2>
      <Field label="Branch" hint="Empty: the one that is checked out in the repository.">
        {(field) => (
          <input id={field} value={into} onInput={({ currentTarget }) => change(() => setInto(currentTarget.value))} />
        )}
      </Field>
      <Field label="How">
        {(field) => (
          <Select
            id={field}
            value={how}
            options={HOWS}
            onChange={(value) => change(() => setHow(HOWS.find(([one]) => one === value)?.[0] ?? ""))}
          />
        )}
      </Field>
      <Field label="Message" hint="Of the commit. Session, turn and event are added as trailers.">
        {(field) => (
          <textarea
            id={field}
            rows={5}
            value={message ?? draft.value?.message ?? ""}
            onInput={({ currentTarget }) => setMessage(currentTarget.value)}
          />
        )}
      </Field>
      {doing === "trying" && <Progress label="The gate and the checks run" />}
      {error !== undefined && <ErrorCard error={error} />}
      {tried !== null && <Outcome tried={tried} />}
      <div class="dialog-buttons">
        <Button onClick={onClose}>Cancel</Button>
        <Button disabled={doing !== null} onClick={() => void look()}>
          {doing === "trying" ? "Trying …" : "Try it"}
        </Button>
        <Button kind="primary" disabled={doing !== null || tried?.ok === false} onClick={() => void land()}>
          Land it
        </Button>
      </div>
    </dialog>
  );

  /** What was tried was something else. */
  function change(set: () => void): void {
    set();
    setTried(null);
  }
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
