import type { NomosOptions, PolicyVerdict } from "./options.ts";

const RESOURCE = /^session\/([^/]+)\/(.*)$/s;
/** What turns do. Calls from outside are judged by their token and the rules. */
const TURN_VERB = /^(?:tool|agent)\./;

/** The program's policy as a voice at the gate. It has no say in what a person or a token may call. */
export function policyBeside(policy: NonNullable<NomosOptions["policy"]>) {
  return (verb: string, given: string): { readonly id: string; readonly effect: PolicyVerdict } | null => {
    const [, sessionId = "", resource = ""] = RESOURCE.exec(given) ?? [];
    if (sessionId === "" || !TURN_VERB.test(verb)) return null;
    try {
      const effect: unknown = policy({ sessionId, verb, resource });
      if (effect === "allow") return null;
      if (effect === "ask" || effect === "deny") return { id: "program", effect };
      return { id: "program:no_verdict", effect: "deny" };
    } catch {
      return { id: "program:failed", effect: "deny" };
    }
  };
}
