import type { Policy, ToolPolicy, Verdict } from "../../domains/index.ts";
import type { Files } from "../../host/index.ts";
import type { SessionState } from "../../kernel/index.ts";
import { type Ground, groundOf, locate, voicesAt } from "./ground.ts";
import { judgeWish } from "./judge-wish.ts";
import { foreignTool, type UnattendedPolicy } from "./tool-policy.ts";
import { createTurnGate, type TurnGate } from "./turn-gate.ts";

/** What a turn's tools are decided by. */
export interface ToolPolicies {
  readonly policy: () => Policy;
  readonly toolPolicy: (agent: string, tool: string) => Promise<ToolPolicy>;
  /** Null when the agent's own policy does not name the tool. */
  readonly named: (agent: string, tool: string) => Promise<ToolPolicy | null>;
  readonly unattended: (adapter: string) => UnattendedPolicy;
  readonly home: string;
  readonly files: Pick<Files, "place">;
}

/** Whose tool: that of a session, or of any session of an agent; then nothing is known of files, grants and scope. */
export interface ToolUser {
  readonly agent: string;
  readonly adapter: string;
  readonly session: Pick<SessionState, "id" | "spec" | "grants" | "widened"> | null;
}

/** What the gate would decide about a tool if a turn asked now. `resource` is named as from the session. */
export type ExplainTool = (user: ToolUser, verb: string, resource: string) => Promise<Verdict>;

/** How an agent's sessions name their own session where none is meant. */
const ANY_SESSION = "self";

export function createToolExplainer(sources: ToolPolicies): ExplainTool {
  const { home, files } = sources;
  const groundFor = ({ session }: ToolUser): Ground | null =>
    session?.spec == null ? null : groundOf(session.spec, { home, files, widened: session.widened ?? [] });

  return async (user, verb, resource) => {
    const { agent, adapter, session } = user;
    const gate = createTurnGate({ sessionId: session?.id ?? ANY_SESSION, policy: sources.policy });
    const ground = groundFor(user);
    const [family = "", kind = ""] = verb.split(".");
    if (family === "tool") {
      const granted = session?.grants.includes(verb) ?? false;
      return explainOwn(
        gate,
        { verb, resource, tool: { policy: await sources.toolPolicy(agent, kind), granted } },
        ground,
      );
    }
    const tool = foreignTool(await sources.named(agent, kind), sources.unattended(adapter));
    if (ground === null) return gate.decide({ verb, resource, tool });
    const path = pathIn(resource);
    const wish = { tool: kind, question: "", options: [], resource };
    const command = resource.startsWith("command/") ? { command: resource } : {};
    const paths = path === null ? [] : [{ path, isChanged: false }];
    const { verdict, rules } = judgeWish(gate, { ...wish, ...command, paths }, tool, ground);
    return { verdict, rules };
  };
}

/** As the effect ledger judges: a file outside is none of the session's, and what would be undone is not asked about. */
function explainOwn(gate: TurnGate, request: Parameters<TurnGate["decide"]>[0], ground: Ground | null): Verdict {
  const path = ground === null || request.verb !== "tool.write" ? null : pathIn(request.resource);
  if (ground === null || path === null) return gate.decide(request);
  const place = locate(ground, path);
  if (place?.isInside !== true) return { verdict: "deny", rules: ["path_outside"] };
  const judged = gate.decide({ ...request, resource: place.resource });
  const held = judged.verdict === "ask" ? voicesAt(ground, place, "yes") : [];
  return held.length === 0 ? judged : { verdict: "deny", rules: [...judged.rules, ...held.map(({ id }) => id)] };
}

/** The path that a resource names: below the session's directory, or from the root; null when it names none. */
function pathIn(resource: string): string | null {
  if (resource.startsWith("path/")) return resource.slice("path/".length);
  return resource.startsWith("outside/") ? resource.slice("outside".length) : null;
}
