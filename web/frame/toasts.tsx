import { signal } from "@preact/signals";
import type { ClientError } from "../../src/client/index.ts";
import { IconButton } from "../parts/index.ts";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly remedy?: string;
  readonly isError: boolean;
}

const SHOWN = signal<readonly Toast[]>([]);
const SHOWN_MS = 5_000;
const SHOWN_MAX = 4;
let lastId = 0;

export function toast(text: string): void {
  show({ text, isError: false });
}

/** Stays until it is closed: nobody should miss why something did not happen. */
export function complain({ message, remedy }: Pick<ClientError, "message" | "remedy">): void {
  show({ text: message, remedy, isError: true });
}

function show(given: Omit<Toast, "id">): void {
  lastId += 1;
  const id = lastId;
  SHOWN.value = [...SHOWN.value, { ...given, id }].slice(-SHOWN_MAX);
  if (!given.isError) setTimeout(() => close(id), SHOWN_MS);
}

function close(id: number): void {
  SHOWN.value = SHOWN.value.filter((toast) => toast.id !== id);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {SHOWN.value.map(({ id, text, remedy, isError }) => (
        <div key={id} class={isError ? "toast toast-error" : "toast"}>
          <div>
            <strong>{text}</strong>
            {remedy !== undefined && <p>{remedy}</p>}
          </div>
          <IconButton icon="close" name="Close this message" onClick={() => close(id)} />
        </div>
      ))}
    </div>
  );
}
