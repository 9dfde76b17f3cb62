import * as z from "zod";
import { AgentWire, NomosError, ToolPolicyWire } from "../../contract/index.ts";
import { type Agent, agentSlugIn } from "../../domains/index.ts";
import { LIMITS } from "../../kernel/index.ts";
import { type Context, read, type Syscall, write } from "../define.ts";
import { byOf } from "../session/answer.ts";

const Slug = z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, "lower case letters, digits and dashes");
const aboutIt = (input: Record<string, unknown>) => `agent/${String(input["slug"])}`;
const bySlug = z.object({ slug: Slug });

export const agent: readonly Syscall[] = [
  read({
    name: "agent.list",
    summary: "List the agents; every installed driver brings one of its own name",
    permission: "agent.read",
    roles: ["viewer"],
    needs: ["agents"],
    about: "system",
    input: z.object({}),
    output: z.object({ agents: z.array(AgentWire) }),
    errors: [],
    http: { method: "GET", path: "/api/agents" },
    cli: { positional: [] },
    mcp: { toolsets: ["core"] },
    answer: async (context) => {
      const chosen = await context.services.agents.defaultSlug();
      return { agents: (await context.services.agents.list()).map((one) => shown(one, chosen)) };
    },
  }),
  read({
    name: "agent.show",
    summary: "Show one agent",
    permission: "agent.read",
    roles: ["viewer"],
    needs: ["agents"],
    about: aboutIt,
    names: { slug: "agent" },
    input: bySlug,
    output: AgentWire,
    errors: ["agent_not_found"],
    http: { method: "GET", path: "/api/agents/:slug" },
    cli: { positional: ["slug"] },
    answer: (context, { slug }) => showAgent(context, slug),
  }),
  write({
    name: "agent.create",
    summary: "Create an agent: a name, a driver, and what its tools may do without asking",
    permission: "agent.write",
    roles: [],
    needs: ["agents", "requireDriver"],
    about: aboutIt,
    input: z.object({
      slug: Slug,
      name: z.string().min(1).max(100).optional(),
      driver: z.string().min(1).max(64),
      tools: z.record(z.string().max(64), ToolPolicyWire).optional(),
      delegatesTo: z
        .array(z.string().max(200))
        .max(LIMITS.delegatesMax)
        .optional()
        .describe("agents that its sessions may delegate to; default: none"),
    }),
    output: AgentWire,
    errors: ["agent_exists", "not_installed", "invalid_agent", "quota_exceeded", "disk_low"],
    http: { method: "POST", path: "/api/agents", status: 201 },
    cli: {
      positional: ["slug", "driver"],
      says: ["Created the agent {slug} with the driver {driver}.", 'Next: nomos run -a {slug} "prompt"'],
    },
    commit: async (context, { slug, name, driver, tools, delegatesTo }) => {
      context.services.requireDriver(driver);
      const delegates = (delegatesTo ?? []).map(resolved);
      return context.services.agents.create(
        { slug, name: name ?? slug, driver, tools: tools ?? {}, builtIn: false, delegatesTo: delegates },
        byOf(context),
      );
    },
    answer: (context, { slug }) => showAgent(context, slug),
  }),
  write({
    name: "agent.delete",
    summary: "Delete an agent; its slug can be used again",
    permission: "agent.write",
    roles: [],
    needs: ["agents", "drivers"],
    about: aboutIt,
    names: { slug: "agent" },
    input: bySlug,
    output: z.object({ ok: z.boolean(), slug: z.string() }),
    errors: ["agent_not_found", "agent_in_use"],
    http: { method: "DELETE", path: "/api/agents/:slug" },
    cli: { positional: ["slug"], says: ["Deleted the agent {slug}."] },
    destructive: true,
    idempotent: true,
    commit: (context, { slug }) => {
      const { agents, drivers } = context.services;
      return agents.remove(slug, drivers.slugs().includes(slug), byOf(context));
    },
    answer: async (_context, { slug }) => ({ ok: true, slug }),
  }),
  write({
    name: "agent.default",
    summary: "Set the default agent, used when a call names none",
    permission: "agent.write",
    roles: [],
    needs: ["agents"],
    about: aboutIt,
    names: { slug: "agent" },
    input: bySlug,
    output: AgentWire,
    errors: ["agent_not_found", "quota_exceeded", "disk_low"],
    http: { method: "POST", path: "/api/agents/:slug/default" },
    cli: { positional: ["slug"], says: ["{slug} is the default agent.", 'Next: nomos run "prompt"'] },
    idempotent: true,
    commit: (context, { slug }) => context.services.agents.setDefault(slug, byOf(context)),
    answer: (context, { slug }) => showAgent(context, slug),
  }),
];

/** Stores the slug instead of the reference as written. The agent may be created later. */
function resolved(reference: string): string {
  const slug = agentSlugIn(reference);
  if (slug === null) throw new NomosError("invalid_agent", { agent: reference });
  return slug;
}

async function showAgent(context: Context<"agents">, slug: string): Promise<z.input<typeof AgentWire>> {
  return shown(await context.services.agents.get(slug), await context.services.agents.defaultSlug());
}

function shown(one: Agent, chosen: string): z.input<typeof AgentWire> {
  return {
    ...one,
    tools: { ...one.tools },
    delegatesTo: [...(one.delegatesTo ?? [])],
    default: one.slug === chosen,
  };
}
