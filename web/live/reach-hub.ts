import { createHub } from "./hub.ts";
import type { ToHub, ToTab } from "./messages.ts";
import { trustedUrl } from "./trusted-url.ts";

/** The hub of this browser; where there are no shared workers, a hub in this tab. */
export function reachHub(hear: (message: ToTab) => void): (message: ToHub) => void {
  const send = typeof SharedWorker === "undefined" ? inTab(hear) : inWorker(hear);
  addEventListener("pagehide", ({ persisted }) => {
    if (!persisted) send({ kind: "bye" });
  });
  return send;
}

function inWorker(hear: (message: ToTab) => void): (message: ToHub) => void {
  const worker = new SharedWorker(trustedUrl(NOMOS_WORKERS.hub), { type: "module", name: "nomos" });
  const { port } = worker;
  let unheard: ToHub[] | null = [];
  let send = (message: ToHub): void => port.postMessage(message);
  port.onmessage = ({ data }: { readonly data: ToTab }) => {
    unheard = null;
    hear(data);
  };
  // Its file is gone: the daemon was updated between this page and its worker.
  worker.onerror = () => {
    const again = unheard ?? [];
    send = inTab(hear);
    for (const message of again) send(message);
  };
  return (message) => {
    unheard?.push(message);
    send(message);
  };
}

function inTab(hear: (message: ToTab) => void): (message: ToHub) => void {
  return createHub(location.origin).join({ send: hear }).hear;
}
