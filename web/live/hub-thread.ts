import { createHub, type Hub } from "./hub.ts";
import type { ToHub } from "./messages.ts";

/** The part of a shared worker's world that is used; the compiler knows only that of pages. */
interface SharedWorld {
  readonly location: { readonly origin: string };
  onconnect: ((event: { readonly ports: readonly MessagePort[] }) => void) | null;
}

const world = globalThis as unknown as SharedWorld;
const hub: Hub = createHub(world.location.origin);

world.onconnect = ({ ports: [port] }) => {
  if (port === undefined) return;
  const { hear } = hub.join({ send: (message) => port.postMessage(message) });
  // Only pages of this origin can reach the worker, and they are this build's own.
  port.onmessage = ({ data }: { readonly data: ToHub }) => hear(data);
};
