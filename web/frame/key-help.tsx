import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../parts/index.ts";
import { useKeyList } from "./keys.ts";

const IS_OPEN = signal(false);

export function openKeyHelp(): void {
  IS_OPEN.value = true;
}

export function KeyHelp() {
  return IS_OPEN.value ? <OpenKeyHelp /> : null;
}

function OpenKeyHelp() {
  const keys = useKeyList();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const close = (): void => {
    IS_OPEN.value = false;
  };
  return (
    <dialog ref={dialog} class="dialog key-help" aria-labelledby="key-help-title" onClose={close}>
      <h2 id="key-help-title">Keys</h2>
      <dl>
        <div>
          <dt>
            <kbd>Ctrl K</kbd>
          </dt>
          <dd>Go to or do</dd>
        </div>
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <div class="dialog-buttons">
        <Button onClick={close}>Close</Button>
      </div>
    </dialog>
  );
}
