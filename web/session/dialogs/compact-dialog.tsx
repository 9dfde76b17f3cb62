import { useEffect, useRef, useState } from "preact/hooks";
import type { Session } from "../../../src/client/index.ts";
import { nomos, toast, useAction } from "../../frame/index.ts";
import { Button, Field } from "../../parts/index.ts";

interface CompactDialogProps {
  readonly session: Session;
  readonly onClose: () => void;
}

const FOCUS_CHARS_MAX = 2_000;

/** Closes at once: the talk shows how the summary is written, and what it became. */
export function CompactDialog({ session, onClose }: CompactDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [focus, setFocus] = useState("");
  const { run } = useAction();
  useEffect(() => dialog.current?.showModal(), []);
  const compact = async (event: Event): Promise<void> => {
    event.preventDefault();
    onClose();
    const given = focus.trim() === "" ? {} : { focus: focus.trim() };
    const answer = await run(() => nomos().call("session.compact", { id: session.id, ...given }));
    if (answer !== undefined) toast("Compacted.");
  };
  return (
    <dialog ref={dialog} class="dialog" aria-label="Compact the conversation" onClose={onClose}>
      <form onSubmit={(event) => void compact(event)}>
        <h2>Compact the conversation</h2>
        <p>A summary replaces the older part for the model. The log keeps all of it, and a rewind brings it back.</p>
        <Field label="Focus" hint="What the summary should keep above all. Empty: what matters for going on.">
          {(id) => (
            <input
              id={id}
              value={focus}
              maxLength={FOCUS_CHARS_MAX}
              onInput={({ currentTarget }) => setFocus(currentTarget.value)}
            />
          )}
        </Field>
        <div class="dialog-buttons">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit">
            Compact
          </Button>
        </div>
      </form>
    </dialog>
  );
}
