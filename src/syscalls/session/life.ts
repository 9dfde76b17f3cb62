import * as z from "zod";
import { SessionId, SessionWire } from "../../contract/index.ts";
import { dataIn, idIn, LIMITS, SESSION_EVENTS, SESSIONS, Session } from "../../kernel/index.ts";
import { type Syscall, write } from "../define.ts";
import { byOf, showSession } from "./answer.ts";

const Label = z.string().max(LIMITS.labelChars);
const Ok = z.object({ ok: z.boolean(), id: z.string() });
const byId = z.object({ id: SessionId });

export const sessionLife: readonly Syscall[] = [
  write({
    name: "session.interrupt",
    summary: "End the running turn; the session stays alive",
    permission: "session.prompt",
    roles: ["below"],
    needs: ["supervisor"],
    about: "session",
    input: byId,
    output: Ok.extend({ wasBusy: z.boolean() }),
    errors: ["session_not_found", "not_interruptible"],
    http: { method: "POST", path: "/sessions/:id/interrupt" },
    cli: {
      positional: ["id"],
      short: "interrupt",
      says: [
        ["wasBusy", true, "Interrupted the turn of {input.id}. The session is ready for the next prompt."],
        ["wasBusy", false, "{input.id} has no running turn."],
      ],
    },
    mcp: { toolsets: ["core"], aliases: { agent_interrupt: { sessionId: "id" } } },
    idempotent: true,
    commit: (context, { id }) => context.services.supervisor.interrupt(id, byOf(context)),
    answer: async (context, { id }, events) => {
      const asked = dataIn(SESSION_EVENTS, events, "turn.interrupt_requested@1");
      if (asked !== null) await context.services.supervisor.settled(id, asked.turnId);
      return { ok: true, id, wasBusy: asked !== null };
    },
  }),
  write({
    name: "session.suspend",
    summary: "Suspend a session: its running turn ends, its queue waits until you resume it",
    permission: "session.control",
    roles: [],
    needs: ["bounds", "store", "supervisor", "works"],
    about: "session",
    input: byId.extend({
      reason: z.string().max(500).optional(),
      keepLease: z.boolean().optional().describe("of a session on a ticket: nobody else takes it meanwhile"),
    }),
    output: SessionWire,
    errors: ["session_not_found", "session_ended", "session_busy"],
    http: { method: "POST", path: "/sessions/:id/suspend" },
    cli: {
      positional: ["id", "reason"],
      says: ["Suspended {name}. Its queue waits.", "Next: nomos session resume {name}"],
    },
    commit: async (context, { id, reason = "asked to", keepLease = false }) => {
      const { supervisor, works } = context.services;
      const by = byOf(context);
      const events = await supervisor.suspend(id, reason, by);
      await works.pause(id, { reason, keepsLease: keepLease }, { actor: by.actor });
      return events;
    },
    answer: async (context, { id }) => {
      await context.services.works.settle(id);
      return showSession(context, id);
    },
  }),
  write({
    name: "session.resume",
    summary: "Resume a suspended session",
    permission: "session.control",
    roles: [],
    needs: ["bounds", "store", "supervisor", "works"],
    rights: "session",
    about: "session",
    input: byId,
    output: SessionWire,
    errors: [
      "sandbox_floor",
      "session_not_found",
      "session_ended",
      "session_not_suspended",
      "quota_exceeded",
      "disk_low",
      ...(["ticket_leased", "governance_invalid", "not_governed"] as const),
    ],
    http: { method: "POST", path: "/sessions/:id/resume" },
    cli: { positional: ["id"], says: ["Resumed {name}.", "Next: nomos attach {name}"] },
    commit: async (context, { id }) => {
      const { supervisor, works } = context.services;
      const by = byOf(context);
      // Before it runs: somebody else may have taken its ticket meanwhile.
      await works.unpause(id, { actor: by.actor });
      return supervisor.resume(id, by);
    },
    answer: async (context, { id }) => {
      await context.services.works.settle(id);
      return showSession(context, id);
    },
  }),
  write({
    name: "session.hibernate",
    summary: "Hibernate an idle session: its processes end, and the next prompt wakes it",
    permission: "session.control",
    roles: [],
    needs: ["bounds", "store", "supervisor"],
    about: "session",
    input: byId,
    output: SessionWire,
    errors: ["session_not_found", "session_ended", "session_busy"],
    http: { method: "POST", path: "/sessions/:id/hibernate" },
    cli: { positional: ["id"], says: ["Hibernated {name}. The next prompt wakes it."] },
    commit: (context, { id }) => context.services.supervisor.hibernate(id, "asked to", byOf(context)),
    answer: (context, { id }) => showSession(context, id),
  }),
  write({
    name: "session.kill",
    summary: "End a session and its whole process tree",
    permission: "session.kill",
    roles: ["below"],
    needs: ["supervisor"],
    about: "session",
    input: byId.extend({ reason: z.string().max(500).optional() }),
    output: Ok,
    errors: ["session_not_found"],
    http: { method: "POST", path: "/sessions/:id/kill" },
    cli: {
      positional: ["id"],
      short: "kill",
      says: [
        ["ok", true, "Killed {input.id}. Its transcript and its files are kept."],
        ["ok", true, "Next: nomos logs {input.id}, or nomos rm {input.id} to remove it"],
        ["ok", false, "{input.id} had ended already."],
      ],
    },
    mcp: {
      toolsets: ["core", "inside"],
      aliases: { agent_kill: { sessionId: "id" }, kill_agent_session: { sessionId: "id" } },
    },
    destructive: true,
    idempotent: true,
    commit: (context, { id, reason }) => context.services.supervisor.kill(id, reason ?? "asked to", byOf(context)),
    answer: async (context, { id }, events) => {
      await context.services.supervisor.gone(id);
      return { ok: dataIn(SESSION_EVENTS, events, "session.killed@1") !== null, id };
    },
  }),
  write({
    name: "session.forget",
    summary: "Remove a session from every list, killing it first if needed; its events stay in the log",
    permission: "session.control",
    roles: [],
    needs: ["supervisor"],
    about: "session",
    input: byId,
    output: Ok,
    errors: ["session_not_found"],
    http: { method: "DELETE", path: "/sessions/:id" },
    cli: {
      positional: ["id"],
      short: "rm",
      says: ["Removed {input.id} from every list. Its events stay in the log."],
    },
    destructive: true,
    idempotent: true,
    commit: (context, { id }) => context.services.supervisor.forget(id, byOf(context)),
    answer: async (context, { id }) => {
      await context.services.supervisor.gone(id);
      return { ok: true, id };
    },
  }),
  write({
    name: "session.prune",
    summary: "Forget every ended session, except those whose worktree holds work",
    permission: "session.control",
    roles: [],
    needs: ["store", "supervisor"],
    heavy: true,
    about: "system",
    input: z.object({
      olderThanMs: z.number().int().min(0).optional().describe("only sessions that ended at least this long ago"),
      label: Label.optional().describe("only sessions with this label"),
    }),
    output: z.object({
      forgotten: z.array(z.object({ id: z.string(), name: z.string() })),
      kept: z.array(z.object({ id: z.string(), name: z.string(), reason: z.string() })),
    }),
    errors: ["overloaded"],
    http: { method: "POST", path: "/api/sessions/prune" },
    cli: {
      positional: [],
      short: "prune",
      says: [
        "Removed {forgotten.length|session} from every list. Their events stay in the log.",
        ["forgotten.length", 0, "No ended session to remove."],
        "Kept {kept.length|session}, for example because a worktree holds work. Next: nomos worktree list",
      ],
    },
    destructive: true,
    idempotent: true,
    commit: (context, filter) => context.services.supervisor.forgetEnded(filter, byOf(context)),
    answer: async ({ services: { store, supervisor } }, filter, events) => {
      const ids = [...new Set(events.flatMap(({ stream }) => idIn(Session, stream) ?? []))];
      for (const id of ids) await supervisor.gone(id);
      const rows = await Promise.all(ids.map((id) => store.row(SESSIONS, id)));
      const forgotten = rows.flatMap((row) => (row === null ? [] : [{ id: row.id, name: row.name }]));
      return { forgotten, kept: [...(await supervisor.stillListed(filter))] };
    },
  }),
  write({
    name: "session.label",
    summary: "Set or remove a session's label",
    permission: "session.label",
    roles: ["session"],
    needs: ["bounds", "store", "supervisor"],
    about: "session",
    input: byId.extend({ label: Label.nullable() }),
    output: SessionWire,
    errors: ["session_not_found", "quota_exceeded", "disk_low"],
    http: { method: "POST", path: "/sessions/:id/label" },
    cli: {
      positional: ["id", "label"],
      says: ["{name} is now labelled: {label}", ["label", null, "{name} has no label now."]],
    },
    idempotent: true,
    commit: (context, { id, label }) =>
      context.services.supervisor.label(id, label === "" ? null : label, byOf(context)),
    answer: (context, { id }) => showSession(context, id),
  }),
  write({
    name: "session.rename",
    summary: "Give a session a title, or take it away",
    permission: "session.label",
    roles: ["session"],
    needs: ["bounds", "store", "supervisor"],
    about: "session",
    input: byId.extend({ title: z.string().max(LIMITS.titleChars).nullable() }),
    output: SessionWire,
    errors: ["session_not_found", "quota_exceeded", "disk_low"],
    http: { method: "POST", path: "/sessions/:id/rename" },
    cli: {
      positional: ["id", "title"],
      short: "rename",
      says: ["{name} is now called: {title}", ["title", null, "{name} has no title now."]],
    },
    idempotent: true,
    commit: (context, { id, title }) =>
      context.services.supervisor.rename(id, title?.trim() === "" ? null : (title?.trim() ?? null), byOf(context)),
    answer: (context, { id }) => showSession(context, id),
  }),
];
