import type { Actor } from "../../domains/index.ts";
import type { SandboxMode } from "../../kernel/index.ts";
import { refuseBelow } from "../../supervisor/index.ts";

/** Limits for the caller's sessions: without the person's rights they must lie in a workspace. */
export function reachOf({ floor, capabilities }: Actor): {
  readonly floor: SandboxMode | undefined;
  readonly onlyRegistered: boolean;
} {
  const isPerson = (floor ?? "off") === "off" && capabilities.includes("*");
  return { floor, onlyRegistered: !isPerson };
}

/** Writing to a path of the caller's choice needs the person's rights. */
export function refuseOwnPlace({ floor }: Actor, to: string | undefined): void {
  if (to !== undefined) refuseBelow(floor, "off");
}
