import { type Actor, decideGate, type Policy, type Request, type Verdict } from "../../domains/index.ts";
import type { SessionLaw } from "../session-law.ts";

/** The gate as a turn asks it: resources are named as from the session, and the policy is that of the moment. */
export interface TurnGate {
  readonly decide: (request: Request) => Verdict;
  /** Goes before a decision that counts: what is asked beside the rules may have changed. */
  readonly refresh: () => Promise<void>;
  /** Whether a person may be asked at all. */
  readonly mayAsk: () => Verdict;
  /** Whether a written rule for the verb denies or asks: about this resource, or about any. */
  readonly restricts: (verb: string, resource: string | null) => boolean;
}

export interface TurnGateDeps {
  readonly sessionId: string;
  readonly policy: () => Policy;
  /** Absent: no repository has a law. */
  readonly law?: Pick<SessionLaw, "refresh"> | undefined;
}

export const ASK_VERB = "tool.ask";

export function createTurnGate({ sessionId, policy, law }: TurnGateDeps): TurnGate {
  const actor = turnActor(sessionId);
  const at = (request: Request): Verdict =>
    decideGate(actor, { ...request, resource: `session/${sessionId}/${request.resource}` }, policy());
  const mayAsk = (): Verdict => at({ verb: ASK_VERB, resource: "question", tool: null });
  return {
    mayAsk,
    refresh: async () => law?.refresh(sessionId),
    restricts: (verb, resource) => {
      const { beside } = policy();
      // A program is asked about all files at once where no single one is named.
      const said = beside?.(verb, `session/${sessionId}/${resource ?? "path/**"}`, false) ?? null;
      if (said !== null && said.effect !== "allow") return true;
      return resource === null
        ? policy().restricts(verb)
        : policy()
            .rulesFor(verb, `session/${sessionId}/${resource}`)
            .some(({ effect, isDefault }) => effect !== "allow" && isDefault !== true);
    },
    decide: (request) => {
      const judged = at(request);
      const asking = judged.verdict === "ask" ? mayAsk() : null;
      if (asking?.verdict !== "deny") return judged;
      return { verdict: "deny", rules: [...judged.rules, ...asking.rules] };
    },
  };
}

/** What runs in a turn, as the gate sees it: its own tools, and what a foreign agent asks for. */
function turnActor(sessionId: string): Actor {
  return { principal: `session:${sessionId}`, capabilities: ["tool.*", "agent.*"], sessionId };
}
