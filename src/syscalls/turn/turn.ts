import * as z from "zod";
import { SessionId } from "../../contract/index.ts";
import { dataIn, LIMITS, SESSION_EVENTS } from "../../kernel/index.ts";
import { type Syscall, write } from "../define.ts";
import { byOf } from "../session/answer.ts";

const inTurn = z.object({ id: SessionId, turnId: z.string().max(64) });

/** Reports of an external agent about its turns. */
export const turn: readonly Syscall[] = [
  write({
    name: "turn.begin",
    summary: "Report that an external agent has begun a turn",
    permission: "session.report",
    roles: ["session"],
    needs: ["supervisor"],
    about: "session",
    input: z.object({ id: SessionId, input: z.string().max(LIMITS.promptBytes) }),
    output: z.object({ id: z.string(), turnId: z.string() }),
    errors: ["session_not_found", "session_ended", "turn_open", "quota_exceeded", "disk_low"],
    http: { method: "POST", path: "/sessions/:id/turns", status: 201 },
    cli: { positional: ["id", "input"], says: ["Began the turn {turnId}."] },
    mcp: { toolsets: ["inside"] },
    commit: (context, { id, input }) => context.services.supervisor.beginTurn(id, input, byOf(context)),
    answer: async (_context, { id }, events) => ({
      id,
      turnId: dataIn(SESSION_EVENTS, events, "turn.admitted@1")?.turnId ?? "",
    }),
  }),
  write({
    name: "turn.end",
    summary: "Report that an external agent has ended its turn; a repeated report changes nothing",
    permission: "session.report",
    roles: ["session"],
    needs: ["store", "supervisor"],
    about: "session",
    input: inTurn.extend({
      outcome: z.enum(["completed", "failed", "interrupted"]).optional(),
      error: z.string().max(8000).optional(),
    }),
    output: z.object({ id: z.string(), turnId: z.string(), eventId: z.string() }),
    errors: ["session_not_found", "turn_not_found"],
    http: { method: "POST", path: "/sessions/:id/turns/:turnId/end" },
    cli: { positional: ["id", "turnId"], says: ["Ended the turn {turnId}."] },
    mcp: { toolsets: ["inside"] },
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
    summary: "Report a complete message of a turn",
    permission: "session.report",
    roles: ["session"],
    needs: ["supervisor"],
    about: "session",
    input: inTurn.extend({
      text: z.string().max(LIMITS.artifactBytes),
      role: z.enum(["assistant", "thought"]).optional(),
    }),
    output: z.object({ ids: z.array(z.string()) }),
    errors: ["session_not_found", "turn_ended", "turn_not_found", "quota_exceeded", "disk_low"],
    http: { method: "POST", path: "/sessions/:id/turns/:turnId/messages", status: 201 },
    cli: { positional: ["id", "turnId", "text"], says: ["Recorded {ids.length|message}: {ids}"] },
    mcp: { toolsets: ["inside"] },
    commit: (context, { id, turnId, text, role }) =>
      context.services.supervisor.message(id, turnId, text, role ?? "assistant", byOf(context)),
    answer: async (_context, _input, events) => ({ ids: events.map((event) => event.id) }),
  }),
];
