import { type Files, HostError } from "../../host/index.ts";
import type { SandboxMode, ToolPolicy } from "../../kernel/index.ts";
import type { Permits, Wish } from "../../turns/index.ts";

/** What holds for tools that the agent's own policy does not name: `ask` waits for a person as long as it takes. */
export type UnattendedPolicy = "ask" | "reject" | "allow";

export interface PermitSources {
  /** Null when the agent's policy does not name the tool. */
  readonly toolPolicy: (tool: string) => Promise<ToolPolicy | null>;
  readonly unattended: () => UnattendedPolicy;
  readonly sandbox: SandboxMode;
  /** Whether a path that the agent names leads out of its workspace. */
  readonly isOutside: (path: string) => boolean;
}

/** Kinds of tool calls that change what they name. */
const CHANGING: readonly string[] = ["edit", "delete", "move"];

/** Without a word from a person, or a policy that a person wrote, nothing is allowed. */
export function createPermits({ toolPolicy, unattended, sandbox, isOutside }: PermitSources): Permits {
  const outsideOf = (wish: Wish) =>
    sandbox === "off" || !CHANGING.includes(wish.tool) ? [] : (wish.paths ?? []).filter(isOutside);
  return async (wish, ask, noteDenial, warn) => {
    const action = { verb: `agent.${wish.tool.replaceAll(/[^a-z_]/g, "_").slice(0, 40)}`, resource: wish.resource };
    const outside = outsideOf(wish);
    if (outside.length > 0 && sandbox === "warn") await warn("outside of the workspace", outside.join("\n"));
    else if (outside.length > 0) {
      await noteDenial({ ...action, rules: ["sandbox:outside_workspace"] });
      return { approved: false, reason: `outside the workspace: ${outside[0]}` };
    }
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

export function isOutside(files: Pick<Files, "place">, cwd: string, path: string): boolean {
  try {
    files.place(cwd, path);
    return false;
  } catch (thrown) {
    // What cannot be a path is outside of everything.
    if (thrown instanceof HostError) return true;
    throw thrown;
  }
}
