import type { Actor, SandboxMode } from "../../kernel/index.ts";
import { refuseBelow } from "../../supervisor/index.ts";

/** How far whoever asks may go with a session of theirs: whoever does not act with the person's rights stays in the workspaces. */
export function reachOf({ floor, capabilities }: Actor): {
  readonly floor: SandboxMode | undefined;
  readonly onlyRegistered: boolean;
} {
  const isPerson = (floor ?? "off") === "off" && capabilities.includes("*");
  return { floor, onlyRegistered: !isPerson };
}

/** A place of the caller's choosing is written to with the person's rights. */
export function refuseOwnPlace({ floor }: Actor, to: string | undefined): void {
  if (to !== undefined) refuseBelow(floor, "off");
}
