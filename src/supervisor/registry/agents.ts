import { type By, type Committer, guardOf, subjectOf } from "../../commit/index.ts";
import { NomosError } from "../../contract/index.ts";
import {
  AGENTS,
  type Agent,
  AgentIdentity,
  type AgentState,
  createAgent,
  defaultAgent,
  deleteAgent,
  didYouMean,
  SYSTEM,
  SYSTEM_STREAM,
  System,
  type ToolPolicy,
} from "../../domains/index.ts";
import { type Decision, refuse } from "../../kernel/index.ts";
import type { RecordedEvent, Store } from "../../store/index.ts";

/** Agents. Every installed driver brings one of its own name. */
export interface Agents {
  readonly create: (input: Omit<Agent, "createdAt">, by: By) => Promise<readonly RecordedEvent[]>;
  readonly remove: (slug: string, hasDriver: boolean, by: By) => Promise<readonly RecordedEvent[]>;
  readonly setDefault: (slug: string, by: By) => Promise<readonly RecordedEvent[]>;
  readonly list: () => Promise<readonly Agent[]>;
  readonly get: (slug: string) => Promise<Agent>;
  /** Null when there is no such agent. */
  readonly find: (slug: string) => Promise<Agent | null>;
  /**
   * As a person chose; else `nomos` once it has a model, the first of the usual agents that is installed, and `demo` where
   * none is.
   */
  readonly defaultSlug: () => Promise<string>;
  readonly toolPolicy: (slug: string, tool: string) => Promise<ToolPolicy>;
  /** Null when the agent's policy does not name the tool. */
  readonly namedPolicy: (slug: string, tool: string) => Promise<ToolPolicy | null>;
  readonly ensureBuiltIn: (drivers: readonly string[]) => Promise<void>;
}

const USUAL_AGENTS = ["claude", "codex", "opencode", "gemini", "copilot", "qwen", "pi"];
const OWN_AGENT = "nomos";
const FALLBACK_AGENT = "demo";
const AGENTS_MAX = 1000;

export interface BuiltIn {
  /** Drivers that bring an agent of their own name. */
  readonly drivers: () => readonly string[];
  /** Whether the driver's program is on this machine. */
  readonly isInstalled: (driver: string) => Promise<boolean>;
  /** Whether the own engine has a model to run with. */
  readonly hasModel: () => boolean;
  readonly since: string;
}

export function createAgents(store: Store, committer: Committer, builtIn: BuiltIn): Agents {
  const change = async (
    slug: string,
    decide: (state: AgentState) => Decision,
    by: By,
  ): Promise<readonly RecordedEvent[]> => (await committer.change(AgentIdentity, slug, decide, by)).events;
  /** A built-in agent works before it is recorded, so a full disk does not hide it. */
  const ofDriver = (slug: string): Agent => ({
    ...{ slug, name: slug, driver: slug, tools: {}, builtIn: true, createdAt: builtIn.since },
  });
  const present = async (slug: string): Promise<Agent | null> => {
    const state = await store.row(AGENTS, slug);
    if (state === null) return builtIn.drivers().includes(slug) ? ofDriver(slug) : null;
    return state.at === "present" ? state.agent : null;
  };
  const isRecorded = async (slug: string): Promise<boolean> => (await store.row(AGENTS, slug))?.at === "present";
  const get = async (slug: string): Promise<Agent> => {
    const agent = await present(slug);
    if (agent !== null) return agent;
    const slugs = (await list()).map((one) => one.slug);
    throw new NomosError(
      "agent_not_found",
      { slug },
      { message: `There is no agent \`${slug}\`.${didYouMean(slug, slugs)}` },
    );
  };
  const list = async (): Promise<readonly Agent[]> => {
    const rows = await store.rows(AGENTS, { limit: AGENTS_MAX });
    const recorded = rows.flatMap((state) => (state.at === "present" ? [state.agent] : []));
    const missing = builtIn.drivers().filter((slug) => !recorded.some((agent) => agent.slug === slug));
    const others = await Promise.all(missing.map(present));
    return [...recorded, ...others.filter((agent) => agent !== null)];
  };

  const whileThere = (slug: string) =>
    guardOf(AgentIdentity, slug, ({ at }) => {
      const isThere = at === "present" || (at === "absent" && builtIn.drivers().includes(slug));
      return isThere ? null : refuse("agent_not_found", { slug });
    });

  const namedPolicy = async (slug: string, tool: string): Promise<ToolPolicy | null> => {
    const tools = (await present(slug))?.tools ?? {};
    return Object.hasOwn(tools, tool) ? (tools[tool] ?? null) : null;
  };

  return {
    create: (input, by) => change(input.slug, (state) => createAgent(state, input), by),
    remove: (slug, hasDriver, by) => change(slug, (state) => deleteAgent(state, slug, hasDriver), by),
    setDefault: async (slug, by) => {
      const chosen = { of: subjectOf(System, ""), decide: () => defaultAgent(slug) };
      // The guard refuses the change if somebody deletes the agent at the same moment.
      return (await committer.commit([chosen], { by, expect: [whileThere(slug)] })).events;
    },
    list,
    get,
    find: present,
    defaultSlug: async () => {
      const chosen = (await store.row(SYSTEM, SYSTEM_STREAM))?.defaultAgent ?? null;
      if (chosen !== null && (await present(chosen)) !== null) return chosen;
      if (builtIn.hasModel() && (await present(OWN_AGENT)) !== null) return OWN_AGENT;
      for (const slug of USUAL_AGENTS) {
        const agent = await present(slug);
        if (agent !== null && (await builtIn.isInstalled(agent.driver))) return slug;
      }
      return FALLBACK_AGENT;
    },
    toolPolicy: async (slug, tool) => (await namedPolicy(slug, tool)) ?? "auto",
    namedPolicy,
    ensureBuiltIn: async (drivers) => {
      for (const slug of drivers) {
        if (await isRecorded(slug)) continue;
        const agent = { slug, name: slug, driver: slug, tools: {}, builtIn: true };
        await change(slug, (state) => createAgent(state, agent), { actor: "daemon" });
      }
    },
  };
}
