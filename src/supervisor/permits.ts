import type { AskedAction, Reply, TurnPort, Wish } from "../drivers/index.ts";
import type { ToolPolicy } from "../kernel/index.ts";

/** How a foreign agent's requests for permission are decided. */
export type Permits = (
  wish: Wish,
  ask: (question: string, options: readonly string[], action: AskedAction) => Promise<Reply>,
  noteDenial: TurnPort["noteDenial"],
) => Promise<Reply>;

/** What holds for tools that the agent's own policy does not name: `ask` waits for a person as long as it takes. */
export type UnattendedPolicy = "ask" | "reject" | "allow";

export interface PermitSources {
  /** Null when the agent's policy does not name the tool. */
  readonly toolPolicy: (tool: string) => Promise<ToolPolicy | null>;
  readonly unattended: () => UnattendedPolicy;
}

/** Without a word from a person, or a policy that a person wrote, nothing is allowed. */
export function createPermits({ toolPolicy, unattended }: PermitSources): Permits {
  return async (wish, ask, noteDenial) => {
    const action = { verb: `agent.${wish.tool.replaceAll(/[^a-z_]/g, "_").slice(0, 40)}`, resource: wish.resource };
    const policy = (await toolPolicy(wish.tool)) ?? FROM_UNATTENDED[unattended()];
    if (policy === "auto") return { approved: true, option: null };
    if (policy === "never") {
      await noteDenial({ ...action, rules: ["tool_policy:never"] });
      return { approved: false, reason: "the policy refuses it" };
    }
    const options = policy === "always_ask" ? wish.options.filter((option) => option === "once") : wish.options;
    return ask(wish.question, options, action);
  };
}

const FROM_UNATTENDED = { ask: "on_demand", reject: "never", allow: "auto" } as const satisfies {
  readonly [policy in UnattendedPolicy]: ToolPolicy;
};
