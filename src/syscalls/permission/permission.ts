import * as z from "zod";
import { NomosError } from "../../contract/index.ts";
import { type Actor, belowSession, decideGate, EXPLAIN, principalResource } from "../../domains/index.ts";
import { isUuid, SESSIONS, Session } from "../../kernel/index.ts";
import { isTurnVerb, type ToolUser } from "../../turns/index.ts";
import { sessionActor, withBelow } from "../actors.ts";
import { read, type Syscall } from "../define.ts";
import type { Services } from "../services.ts";

const NEEDS = ["agents", "delegation", "explainTool", "policy", "roles", "store", "tokens"] as const;
type Needed = Pick<Services, (typeof NEEDS)[number]>;

/** A caller uses this word for its own principal. */
const SELF = "self";

export const permission: readonly Syscall[] = [
  read({
    name: "permission.explain",
    summary: "Show what the gate would decide and which rules apply; every caller may ask about itself",
    permission: EXPLAIN,
    roles: [],
    needs: [...NEEDS],
    about: ({ principal }, actor) => principalResource(principalIn(principal, actor)),
    input: z.object({
      principal: z
        .string()
        .min(1)
        .max(200)
        .describe("`operator`, `role:NAME`, `agent:SLUG`, `session:ID`, `token:ID`, or `self`"),
      verb: z.string().min(1).max(100).describe("the permission of a syscall, `tool.KIND` or `agent.KIND`"),
      resource: z
        .string()
        .min(1)
        .max(4096)
        .describe("`system`, `session/ID`, ...; for a session's tools relative to the session: `path/src/a.ts`"),
    }),
    output: z.object({ verdict: z.enum(["allow", "deny", "ask"]), rules: z.array(z.string()) }),
    errors: ["principal_not_found"],
    http: { method: "GET", path: "/api/permissions/:principal/explain" },
    cli: { positional: ["principal", "verb", "resource"] },
    answer: async ({ services, actor }, { principal, verb, resource }) => {
      const { verdict, rules } = await explain(services, principalIn(principal, actor), verb, resource);
      return { verdict, rules: [...rules] };
    },
  }),
];

function principalIn(given: unknown, { principal }: Actor): string {
  return given === undefined || given === SELF ? principal : String(given);
}

async function explain(services: Needed, principal: string, verb: string, resource: string) {
  const found = await findPrincipal(services, principal);
  if (found === null) throw new NomosError("principal_not_found", { principal });
  const { actor, user } = found;
  if (user !== null && isTurnVerb(verb) && !OF_CALLS.test(resource))
    return services.explainTool(user, verb, resource.replace(`session/${actor.sessionId}/`, ""));
  const asked = { verb, resource: await resourceFor(services, actor, resource), tool: null };
  return decideGate(actor, asked, services.policy.current());
}

/** `agent.read` is both a verb of tools and the permission of calls about agents. */
const OF_CALLS = /^(system$|agent\/)/;

/** A session below the actor's own is addressed through that session, as in a call. */
async function resourceFor({ delegation }: Needed, { sessionId }: Actor, resource: string): Promise<string> {
  const [, named] = /^session\/([^/]+)$/.exec(resource) ?? [];
  if (sessionId === null || named === undefined || named === sessionId || !isUuid(named)) return resource;
  return (await delegation.isBelow(sessionId, named)) ? belowSession(sessionId, named) : resource;
}

interface Found {
  readonly actor: Actor;
  /** Set if the principal can use tools. */
  readonly user: ToolUser | null;
}

async function findPrincipal(services: Needed, principal: string): Promise<Found | null> {
  const [, kind = "", name = ""] = /^(role|agent|session|token):(.+)$/.exec(principal) ?? [];
  switch (kind) {
    case "role":
      return roleNamed(services, name);
    case "agent":
      return agentNamed(services, name);
    case "session":
      return sessionNamed(services, name);
    case "token": {
      const actor = await services.tokens.actorById(name);
      return actor === null ? null : { actor: withBelow(services.roles, actor), user: null };
    }
    default:
      return roleNamed(services, principal) ?? (await agentNamed(services, principal));
  }
}

function roleNamed({ roles }: Needed, name: string): Found | null {
  if (name === "session") return { actor: sessionActor(roles, SELF), user: null };
  if (name !== "operator" && name !== "viewer") return null;
  return { actor: { principal: name, capabilities: roles[name], sessionId: null }, user: null };
}

async function agentNamed({ agents, roles }: Needed, slug: string): Promise<Found | null> {
  const agent = await agents.find(slug);
  if (agent === null) return null;
  const user = { agent: slug, adapter: agent.driver, session: null };
  return { actor: sessionActor(roles, SELF), user };
}

async function sessionNamed({ store, roles }: Needed, id: string): Promise<Found | null> {
  if (!isUuid(id) || (await store.row(SESSIONS, id)) === null) return null;
  const session = await store.fold(Session, id);
  const user = session.spec === null ? null : { agent: session.spec.agent, adapter: session.spec.adapter, session };
  return { actor: sessionActor(roles, id), user };
}
