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
  const { port } = new SharedWorker(trustedUrl(NOMOS_WORKERS.hub), { type: "module", name: "nomos" });
  port.onmessage = ({ data }: { readonly data: ToTab }) => hear(data);
  return (message) => port.postMessage(message);
}

function inTab(hear: (message: ToTab) => void): (message: ToHub) => void {
  return createHub(location.origin).join({ send: hear }).hear;
}
