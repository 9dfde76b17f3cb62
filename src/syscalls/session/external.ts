import { z } from "zod";
import { NomosError, SessionId, SessionWire } from "../../contract/index.ts";
import { type CustomFact, dataIn, isCustomType, type Json, LIMITS, SESSION_EVENTS } from "../../kernel/index.ts";
import { type Syscall, write } from "../define.ts";
import { byOf, sessionIdIn, showSession } from "./answer.ts";
import { reachOf } from "./reach.ts";

const EVENTS_PER_CALL_MAX = 100;
const Written = z.object({ ids: z.array(z.string()) });
const inTurn = z.object({ id: SessionId, turnId: z.string().max(64) });

/** For an agent that somebody else started: it opens a session, reports its turns, and finishes. */
export const reporting: readonly Syscall[] = [
  write({
    name: "session.open",
    summary: "Open a session for an agent that already runs; it ends by `finish` or with the agent's process",
    permission: "session.spawn",
    rights: "opening",
    about: "system",
    input: z.object({
      pid: z.number().int().positive().describe("the agent's process id"),
      startTime: z.string().max(64).optional().describe("the start time of the process; default: read from the system"),
      agent: z.string().max(64).optional(),
      cwd: z.string().min(1).max(4096).optional(),
      label: z.string().max(LIMITS.labelChars).optional(),
    }),
    output: SessionWire,
    errors: ["cwd_missing", "sandbox_floor", "invalid_request", "quota_exceeded", "disk_low", "limit_reached"],
    http: { method: "POST", path: "/sessions/external", status: 201 },
    cli: { positional: ["pid"] },
    commit: (context, { pid, startTime, ...rest }) => {
      const external = context.services.identify(pid);
      if (external === null || (startTime !== undefined && startTime !== external.startTime))
        throw new NomosError("invalid_request", { pid, reason: "no such process runs" });
      return context.services.supervisor.open(
        { ...rest, ...reachOf(context.actor), adapter: "external", agent: rest.agent ?? "external", external },
        byOf(context),
      );
    },
    answer: (context, _input, events) => showSession(context, sessionIdIn(events)),
  }),
  write({
    name: "session.finish",
    summary: "Report that an external agent's session has ended",
    permission: "session.report",
    about: "session",
    input: z.object({
      id: SessionId,
      exitCode: z.number().int().optional(),
      error: z.string().min(1).max(8000).optional().describe("the last error, if the agent failed"),
    }),
    output: SessionWire,
    errors: ["session_not_found"],
    http: { method: "POST", path: "/sessions/:id/finish" },
    cli: { positional: ["id"] },
    commit: (context, { id, exitCode, error }) =>
      context.services.supervisor.finish(id, { exitCode: exitCode ?? null, error: error ?? null }, byOf(context)),
    answer: (context, { id }) => showSession(context, id),
  }),
  write({
    name: "turn.begin",
    summary: "Report that an external agent began a turn",
    permission: "session.report",
    about: "session",
    input: z.object({ id: SessionId, input: z.string().max(LIMITS.promptBytes) }),
    output: z.object({ id: z.string(), turnId: z.string() }),
    errors: ["session_not_found", "session_ended", "turn_open", "quota_exceeded", "disk_low"],
    http: { method: "POST", path: "/sessions/:id/turns", status: 201 },
    cli: { positional: ["id", "input"] },
    commit: (context, { id, input }) => context.services.supervisor.beginTurn(id, input, byOf(context)),
    answer: async (_context, { id }, events) => ({
      id,
      turnId: dataIn(SESSION_EVENTS, events, "turn.admitted@1")?.turnId ?? "",
    }),
  }),
  write({
    name: "turn.end",
    summary: "Report that an external agent ended its turn; a repeated report is recorded once",
    permission: "session.report",
    about: "session",
    input: inTurn.extend({
      outcome: z.enum(["completed", "failed", "interrupted"]).optional(),
      error: z.string().max(8000).optional(),
    }),
    output: z.object({ id: z.string(), turnId: z.string(), eventId: z.string() }),
    errors: ["session_not_found", "turn_not_found"],
    http: { method: "POST", path: "/sessions/:id/turns/:turnId/end" },
    cli: { positional: ["id", "turnId"] },
    idempotent: true,
    commit: (context, { id, turnId, outcome, error }) =>
      context.services.supervisor.endTurn(
        id,
        turnId,
        outcome ?? (error === undefined ? "completed" : "failed"),
        error ?? null,
        byOf(context),
      ),
    answer: async (context, { id, turnId }) => {
      const page = await context.services.store.readStream(`session/${id}`, {
        limit: 1,
        turnId,
        types: ["turn.ended"],
        descending: true,
      });
      return { id, turnId, eventId: page.events[0]?.id ?? "" };
    },
  }),
  write({
    name: "turn.say",
    summary: "Record a complete message of a turn",
    permission: "session.report",
    about: "session",
    input: inTurn.extend({
      text: z.string().max(LIMITS.artifactBytes),
      role: z.enum(["assistant", "thought"]).optional(),
    }),
    output: Written,
    errors: ["session_not_found", "turn_ended", "turn_not_found", "quota_exceeded", "disk_low"],
    http: { method: "POST", path: "/sessions/:id/turns/:turnId/messages", status: 201 },
    cli: { positional: ["id", "turnId", "text"] },
    commit: (context, { id, turnId, text, role }) =>
      context.services.supervisor.message(id, turnId, text, role ?? "assistant", byOf(context)),
    answer: async (_context, _input, events) => ({ ids: events.map((event) => event.id) }),
  }),
  write({
    name: "event.add",
    summary: "Add custom facts to a session, inside or outside a running turn",
    permission: "session.report",
    about: "session",
    input: z.object({
      id: SessionId,
      turnId: z.string().max(64).optional(),
      events: z
        .array(z.object({ type: z.string().max(80).describe("`x.<name>@1`, or just the name"), payload: z.json() }))
        .min(1)
        .max(EVENTS_PER_CALL_MAX),
    }),
    output: Written,
    errors: ["session_not_found", "session_ended", "turn_ended", "turn_not_found", "quota_exceeded", "disk_low"],
    http: { method: "POST", path: "/sessions/:id/events", status: 201 },
    cli: { positional: ["id"] },
    commit: (context, { id, turnId, events }) =>
      context.services.supervisor.addEvents(
        id,
        turnId ?? null,
        events.map(({ type, payload }) => ({ type: customType(type), payload: payload as Json })),
        byOf(context),
      ),
    answer: async (_context, _input, events) => ({ ids: events.map((event) => event.id) }),
  }),
];

function customType(given: string): CustomFact["type"] {
  const type = given.startsWith("x.") ? given : `x.${given}@1`;
  if (!isCustomType(type))
    throw new NomosError("invalid_request", { type: given, reason: "a custom type is x.<name>@1, in lower case" });
  return type;
}
