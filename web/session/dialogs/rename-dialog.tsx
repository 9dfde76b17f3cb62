import { useEffect, useRef, useState } from "preact/hooks";
import type { Session } from "../../../src/client/index.ts";
import { nomos, useAction } from "../../frame/index.ts";
import { Button, Field } from "../../parts/index.ts";

interface RenameDialogProps {
  readonly session: Session;
  readonly onClose: () => void;
}

export function RenameDialog({ session, onClose }: RenameDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [title, setTitle] = useState(session.title ?? "");
  const { run, isRunning } = useAction();
  useEffect(() => dialog.current?.showModal(), []);
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    const given = title.trim() === "" ? null : title.trim();
    const answer = await run(() => nomos().call("session.rename", { id: session.id, title: given }));
    if (answer !== undefined) onClose();
  };
  return (
    <dialog ref={dialog} class="dialog" aria-label="Rename the session" onClose={onClose}>
      <form onSubmit={(event) => void save(event)}>
        <Field label="Title" hint="Empty: its first prompt names it.">
          {(id) => <input id={id} value={title} onInput={({ currentTarget }) => setTitle(currentTarget.value)} />}
        </Field>
        <div class="dialog-buttons">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={isRunning}>
            Rename
          </Button>
        </div>
      </form>
    </dialog>
  );
}
