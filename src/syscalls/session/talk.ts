import * as z from "zod";
import { NomosError, SessionId, SessionWire } from "../../contract/index.ts";
import { type Agent, agentSlugIn, didYouMean } from "../../domains/index.ts";
import { dataIn, SESSION_EVENTS, Session, sessionStream } from "../../kernel/index.ts";
import { historyOf } from "../../supervisor/index.ts";
import { type Context, read, type Syscall, write } from "../define.ts";
import { byOf, sessionRowOf, showSession } from "./answer.ts";
import { Attachments, givenAttachments, Prompt, Redacted, redactedIn, refuseLarge } from "./prompt-input.ts";
import { waitForTurn } from "./wait.ts";

/** The driver of the own engine. It alone is told what the conversation consists of. */
export const OWN_DRIVER = "nomos";
const COMPACT_WAIT_MS = 600_000;

export const AgentName = z.string().min(1).max(200);
export const ModelChoice = z.string().min(1).max(200);

/** What is said to a session, what its model sees of it, and who answers. */
export const sessionTalk: readonly Syscall[] = [
  write({
    name: "session.prompt",
    summary: "Send a session its next prompt; returns once the prompt is stored",
    permission: "session.prompt",
    roles: ["below"],
    needs: ["delegation", "redactor", "supervisor"],
    rights: "session",
    about: "session",
    input: z.object({
      id: SessionId,
      prompt: Prompt,
      queue: z.boolean().optional().describe("if the session is busy, queue the prompt"),
      interrupt: z.boolean().optional().describe("end the running turn first"),
      steer: z
        .boolean()
        .optional()
        .describe("while a turn runs: a message for it, taken up with its next step; else an ordinary prompt"),
      attachments: Attachments.optional(),
    }),
    output: z.object({
      ok: z.literal(true),
      id: z.string(),
      turnId: z.string().describe("the turn of the prompt; of a steering message, the running turn"),
      queued: z.boolean(),
      steered: z.literal(true).optional().describe("the running turn takes it up"),
      redacted: Redacted,
    }),
    errors: [
      "sandbox_floor",
      "session_not_found",
      "session_busy",
      "session_ended",
      "session_suspended",
      "queue_full",
      "not_promptable",
      "steer_unsupported",
      "content_unsupported",
      "quota_exceeded",
      "disk_low",
      "payload_too_large",
      "delegation_denied",
    ],
    http: { method: "POST", path: "/sessions/:id/prompt" },
    cli: {
      positional: ["id", "prompt"],
      short: "prompt",
      says: [
        [
          ["steered", true, "The running turn of {input.id} takes it up with its next step."],
          ["queued", true, "Queued: {input.id} takes the prompt when its turn has ended."],
          ["queued", false, "{input.id} has the prompt."],
        ],
        "{redacted.length|secret} in the prompt: the agent gets a mark in its place.",
        "Next: nomos logs -f {input.id}",
      ],
    },
    mcp: {
      toolsets: ["core", "inside"],
      aliases: { agent_prompt: { sessionId: "id" }, prompt_agent_session: { sessionId: "id" } },
    },
    commit: async (context, { id, prompt, attachments, ...how }) => {
      refuseLarge(prompt);
      await refuseUndelegated(context, id);
      const { queue = false, interrupt = false, steer = false } = how;
      const given = { prompt, queue, interrupt, steer, attachments: givenAttachments(attachments) };
      return context.services.supervisor.prompt(id, given, byOf(context));
    },
    answer: async (context, { id, prompt }, events) => {
      const redacted = redactedIn(context.services.redactor, prompt);
      const steered = dataIn(SESSION_EVENTS, events, "turn.steered@1");
      if (steered !== null)
        return { ok: true as const, id, turnId: steered.turnId, queued: false, steered: true as const, ...redacted };
      const { turnId = "", queued = false } = dataIn(SESSION_EVENTS, events, "turn.admitted@1") ?? {};
      return { ok: true as const, id, turnId, queued, ...redacted };
    },
  }),
  read({
    name: "session.context",
    summary: "Show what a session's model is sent: each part, where it comes from and how many tokens it takes",
    permission: "session.read",
    roles: ["viewer", "session", "below"],
    needs: ["engine", "store"],
    about: "session",
    input: z.object({ id: SessionId }),
    output: z.object({
      parts: z.array(
        z.object({
          name: z.string(),
          source: z.string().describe("a file, a built-in text, or events of the log"),
          tokens: z.number().int(),
        }),
      ),
      tokens: z.number().int().describe("of all parts, estimated"),
      window: z.number().int().describe("tokens that the model takes at most"),
      model: z.string(),
    }),
    errors: ["session_not_found", "no_model", "unknown_model", "model_auth"],
    http: { method: "GET", path: "/sessions/:id/context" },
    cli: { positional: ["id"], short: "context", print: "context" },
    answer: async (context, { id }) => {
      await sessionRowOf(context, id);
      const { engine, store } = context.services;
      const state = await store.fold(Session, id);
      if (state.spec === null) throw new NomosError("session_not_found", { id });
      const { parts, ...rest } = await engine.context(await historyOf(store, state), {
        sessionId: state.id,
        spec: state.spec,
        chosen: state.driver?.settings?.model ?? null,
      });
      return { ...rest, parts: parts.map((part) => ({ ...part })) };
    },
  }),
  write({
    name: "session.compact",
    summary: "Replace the older part of a session's conversation by a summary; the log keeps all of it",
    permission: "session.control",
    roles: [],
    needs: ["bounds", "store", "supervisor"],
    rights: "session",
    about: "session",
    input: z.object({
      id: SessionId,
      focus: z.string().max(2000).optional().describe("what the summary should keep above all"),
    }),
    output: SessionWire,
    errors: [
      "sandbox_floor",
      "session_not_found",
      "session_busy",
      "session_ended",
      "session_suspended",
      "compact_unsupported",
      "compaction_failed",
      "wait_timeout",
      "quota_exceeded",
      "disk_low",
    ],
    http: { method: "POST", path: "/sessions/:id/compact" },
    cli: {
      positional: ["id", "focus"],
      short: "compact",
      says: ["Compacted the conversation of {name}.", "Next: nomos context {name}"],
    },
    commit: async (context, { id, focus }) => {
      const { adapter } = await sessionRowOf(context, id);
      if (adapter !== OWN_DRIVER) throw new NomosError("compact_unsupported", { id, adapter });
      const prompt = focus === undefined || focus.trim() === "" ? "/compact" : `/compact ${focus.trim()}`;
      return context.services.supervisor.prompt(id, { prompt, queue: false, interrupt: false }, byOf(context));
    },
    answer: async (context, { id }, events) => {
      const { turnId = null } = dataIn(SESSION_EVENTS, events, "turn.admitted@1") ?? {};
      const { session, turn } = await waitForTurn(context, id, turnId, COMPACT_WAIT_MS);
      if (turnId !== null && turn?.outcome !== "completed") throw await compactionError(context, id, turnId);
      return session;
    },
  }),
  write({
    name: "session.switch",
    summary: "Give a session to another agent: it has the conversation so far and takes the next prompt",
    permission: "session.control",
    roles: [],
    needs: ["agents", "bounds", "store", "supervisor"],
    rights: "session",
    about: "session",
    names: { agent: "agent" },
    input: z.object({ id: SessionId, agent: AgentName, model: ModelChoice.optional().describe("its model") }),
    output: SessionWire,
    errors: [
      "sandbox_floor",
      "session_not_found",
      "session_busy",
      "session_ended",
      "invalid_agent",
      "not_installed",
      "not_promptable",
      "agent_version",
      "setup_required",
      "unknown_model",
      "no_model",
      "quota_exceeded",
      "disk_low",
    ],
    http: { method: "POST", path: "/sessions/:id/switch" },
    cli: {
      positional: ["id", "agent"],
      says: ["{name} is now with {agent}.", 'Next: nomos prompt {name} "prompt"'],
    },
    idempotent: true,
    commit: async (context, { id, agent, model }) => {
      const settings = model === undefined ? {} : { model };
      const to = { ...(await driverOf(context, agent)), settings };
      return context.services.supervisor.switchTo(id, to, byOf(context));
    },
    answer: (context, { id }) => showSession(context, id),
  }),
];

/** The driver and the name of an agent, for a session that it takes over. */
export async function driverOf(
  context: Context<"agents">,
  given: string,
): Promise<{ readonly adapter: string; readonly agent: string }> {
  const { driver, slug } = await agentNamed(context, given);
  return { adapter: driver, agent: slug };
}

/** Throws `invalid_agent` with the nearest name. */
export async function agentNamed({ services: { agents } }: Context<"agents">, given: string): Promise<Agent> {
  const slug = agentSlugIn(given);
  const found = slug === null ? null : await agents.find(slug);
  if (found !== null) {
    // A driver's agent may not be recorded yet, because the disk was full.
    if (found.builtIn) await agents.ensureBuiltIn([found.slug]);
    return found;
  }
  const slugs = (await agents.list()).map((one) => one.slug);
  const message = `There is no agent \`${slug ?? given}\`.${didYouMean(slug ?? given, slugs)}`;
  throw new NomosError("invalid_agent", { agent: given }, { message });
}

/** Says why the turn that should have compacted did not. */
async function compactionError(context: Context<"store">, id: string, turnId: string): Promise<NomosError> {
  const query = { limit: 1, turnId, types: ["turn.ended"] };
  const { events } = await context.services.store.readStream(sessionStream(id), query);
  const { outcome = "", error = null } = dataIn(SESSION_EVENTS, events, "turn.ended@1") ?? {};
  const details = { id, turnId, outcome, reason: error?.code ?? null };
  if (error === null) return new NomosError("compaction_failed", details);
  const message = `The conversation could not be compacted: ${error.message}`;
  return new NomosError("compaction_failed", details, { message });
}

/** Prompting another session is delegation too, under every name of the tool. */
async function refuseUndelegated({ services, actor }: Context<"delegation">, id: string): Promise<void> {
  if (actor.sessionId !== null && actor.sessionId !== id)
    await services.delegation.requireDelegate(actor.sessionId, id);
}
