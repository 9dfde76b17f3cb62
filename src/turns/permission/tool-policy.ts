import type { Request, ToolPolicy } from "../../domains/index.ts";

/** What holds for tools that the agent's own policy does not name: `ask` waits for a person as long as it takes. */
export type UnattendedPolicy = "ask" | "reject" | "allow";

const FROM_UNATTENDED = { ask: "on_demand", reject: "never", allow: "auto" } as const satisfies {
  readonly [policy in UnattendedPolicy]: ToolPolicy;
};

/**
 * How a foreign agent may use a tool. What it means by "always" is its own to keep and not known here, so an `always` of a
 * person's is told to the agent and is no grant.
 */
export function foreignTool(named: ToolPolicy | null, unattended: UnattendedPolicy): NonNullable<Request["tool"]> {
  return { policy: named ?? FROM_UNATTENDED[unattended], granted: false, isDefault: named === null };
}
