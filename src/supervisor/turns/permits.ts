import type { ToolPolicy } from "../../domains/index.ts";
import {
  foreignTool,
  type Ground,
  judgeWish,
  locate,
  type Permits,
  refusedByScope,
  type UnattendedPolicy,
  type Wish,
  warnedRules,
} from "../../turns/index.ts";

export interface PermitSources {
  /** Null when the agent's policy does not name the tool. */
  readonly toolPolicy: (tool: string) => Promise<ToolPolicy | null>;
  readonly unattended: () => UnattendedPolicy;
  /** Read at each wish: a person may widen the scope during the turn. */
  readonly ground: () => Promise<Ground>;
  /** A change that only the scope refused. */
  readonly refusedOutside: (path: string, diff: string) => void;
}

/** A wish that the gate denies is never put to a person; one that a rule or the tool policy allows needs no person. */
export function createPermits({ toolPolicy, unattended, ground, refusedOutside }: PermitSources): Permits {
  return async (wish, { gate, ask, noteDenial, noteAllowed, warn }) => {
    const here = await ground();
    const tool = foreignTool(await toolPolicy(wish.tool), unattended());
    await gate.refresh();
    const judged = judgeWish(gate, wish, tool, here);
    const { verdict, rules, isRuled, ...deed } = judged;
    const action = { ...deed, resource: deed.resource.slice(0, RESOURCE_SHOWN) };
    const refused = async (why: readonly string[]) => {
      await noteDenial({ ...action, rules: why });
      return { approved: false, reason: `denied: ${why.join(", ")}` } as const;
    };
    if (verdict === "deny") {
      for (const path of refusedPaths(wish, here, rules)) refusedOutside(path, wish.detail?.diff ?? "");
      return refused(rules);
    }
    const warned = warnedPaths(wish, here);
    if (warned.length > 0) await warn("outside of the workspace", warned.join("\n"));
    if (verdict === "allow") {
      if (!READING.includes(wish.tool)) await noteAllowed({ ...action, rules });
      return { approved: true, option: null };
    }
    const isOnce = isRuled || tool.policy === "always_ask";
    const options = isOnce ? wish.options.filter((option) => option === ONCE) : wish.options;
    const reply = await ask(wish.question, options, { action, rules, inputHash: wish.inputHash, detail: wish.detail });
    if (!reply.approved) return reply;
    // The answer may have taken days and the policy may have changed, so judge again.
    await gate.refresh();
    const again = judgeWish(gate, wish, tool, await ground());
    return again.verdict === "deny" ? refused(again.rules) : reply;
  };
}

const ONCE = "once";
const RESOURCE_SHOWN = 4096;
/** Not recorded when allowed: there are too many of them. */
const READING: readonly string[] = ["read", "search", "think"];
const CHANGING: readonly string[] = ["edit", "delete", "move"];

/** Beside the scope nothing may speak against it: a person can widen the scope and nothing else. */
function refusedPaths({ tool, paths = [] }: Wish, ground: Ground, rules: readonly string[]): readonly string[] {
  if (rules.some((rule) => /^(?:law|sandbox|reach|unresolved_path|capability|unknown)/.test(rule))) return [];
  const changed = paths.filter(({ isChanged }) => isChanged || CHANGING.includes(tool));
  return changed.flatMap(({ path }) => refusedByScope(ground, path) ?? []);
}

function warnedPaths({ tool, paths = [] }: Wish, ground: Ground): readonly string[] {
  const changed = paths.filter(({ isChanged }) => isChanged || CHANGING.includes(tool));
  return changed.flatMap(({ path }) => (warnedRules(ground, locate(ground, path)).length > 0 ? [path] : []));
}
