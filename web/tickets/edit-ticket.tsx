import { useEffect, useRef, useState } from "preact/hooks";
import { navigate, nomos, toast, useAction } from "../frame/index.ts";
import { Button } from "../parts/index.ts";
import type { Opened, Ticket } from "./ticket.ts";
import { changedInput, draftOf, EMPTY_DRAFT, newInput, type TicketDraft } from "./ticket-draft.ts";
import { TicketForm } from "./ticket-form.tsx";

interface DialogProps {
  readonly cwd: string;
  /** All that are known, for what may stand above. */
  readonly tickets: readonly Ticket[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Writes a ticket: one commit on the default branch. */
export function NewTicket({ cwd, onDone, ...rest }: DialogProps) {
  const save = async (draft: TicketDraft): Promise<boolean> => {
    const idempotencyKey = crypto.randomUUID();
    const made = await nomos().call("ticket.create", { cwd, ...newInput(draft) }, { idempotencyKey });
    toast(`Wrote ${made.id}.`);
    onDone();
    navigate(`/ui/tickets?${new URLSearchParams({ cwd, id: made.id })}`);
    return true;
  };
  return <TicketDialog label="New ticket" draft={EMPTY_DRAFT} isNew save={save} {...rest} />;
}

export function EditTicket({ cwd, ticket, onDone, ...rest }: DialogProps & { readonly ticket: Opened }) {
  const save = async (draft: TicketDraft): Promise<boolean> => {
    const { id } = ticket;
    await nomos().call("ticket.edit", { cwd, id, ...changedInput(draft) }, { idempotencyKey: crypto.randomUUID() });
    toast(`Changed ${id}.`);
    onDone();
    return true;
  };
  return <TicketDialog label={`Edit ${ticket.id}`} draft={draftOf(ticket)} isNew={false} save={save} {...rest} />;
}

interface TicketDialogProps extends Pick<DialogProps, "tickets" | "onClose"> {
  readonly label: string;
  readonly draft: TicketDraft;
  readonly isNew: boolean;
  readonly save: (draft: TicketDraft) => Promise<boolean>;
}

function TicketDialog({ label, draft: given, isNew, tickets, save, onClose }: TicketDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [draft, setDraft] = useState(given);
  const { run, isRunning } = useAction();
  useEffect(() => dialog.current?.showModal(), []);
  const parents = tickets.filter(({ kind }) => kind !== "task" && kind !== draft.kind);
  const submit = async (): Promise<void> => {
    if ((await run(() => save(draft))) === true) onClose();
  };
  return (
    <dialog ref={dialog} class="dialog tickets-dialog" aria-label={label} onClose={onClose}>
      <h2>{label}</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <TicketForm
          draft={draft}
          change={(part) => setDraft((before) => ({ ...before, ...part }))}
          parents={parents}
          isNew={isNew}
        />
        <div class="dialog-buttons">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={isRunning || draft.title.trim() === ""}>
            {isNew ? "Write it" : "Save"}
          </Button>
        </div>
      </form>
    </dialog>
  );
}
