import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../parts/index.ts";

interface Asked {
  readonly title: string;
  readonly body: ComponentChildren;
  readonly yes: string;
  /** Default: `Cancel`. */
  readonly no?: string;
  readonly danger?: boolean;
}

const OPEN = signal<(Asked & { readonly answer: (is: boolean) => void }) | null>(null);

/** Asks before something that cannot be taken back. */
export function confirmed(asked: Asked): Promise<boolean> {
  OPEN.value?.answer(false);
  return new Promise((resolve) => {
    OPEN.value = { ...asked, answer: resolve };
  });
}

export function ConfirmDialog() {
  const asked = OPEN.value;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (asked !== null && dialog.current?.open === false) dialog.current.showModal();
  }, [asked]);
  if (asked === null) return null;
  const answer = (is: boolean): void => {
    OPEN.value = null;
    asked.answer(is);
  };
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="confirm-title" onClose={() => answer(false)}>
      <h2 id="confirm-title">{asked.title}</h2>
      <div class="dialog-body">{asked.body}</div>
      <div class="dialog-buttons">
        <Button onClick={() => answer(false)}>{asked.no ?? "Cancel"}</Button>
        <Button kind={asked.danger === true ? "danger" : "primary"} onClick={() => answer(true)}>
          {asked.yes}
        </Button>
      </div>
    </dialog>
  );
}
