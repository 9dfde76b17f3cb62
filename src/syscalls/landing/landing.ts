import * as z from "zod";
import { SessionId } from "../../contract/index.ts";
import { read, type Syscall, write } from "../define.ts";
import { Limit } from "../query-text.ts";
import { byOf, sessionRowOf } from "../session/answer.ts";
import { landingAfter, landingRowOf, waitForLanding } from "./answers.ts";
import { listLandings } from "./list.ts";
import { landingWhy } from "./why.ts";
import { LandingWire, landingsWire, landingWire, recordedWire } from "./wire.ts";

const LIST_DEFAULT = 100;
const LIST_MAX = 500;
const WAIT_MS = 600_000;
const WAIT_MS_MAX = 3_600_000;
const REASON_CHARS_MAX = 500;

const LandingId = z.string().min(1).max(200).describe("a landing's id or the beginning of it, or its session");
const byId = z.object({ id: LandingId });
const because = byId.extend({ reason: z.string().max(REASON_CHARS_MAX).optional() });
const named = { id: "landing" } as const;

const aboutOne = (input: Record<string, unknown>): string => `landing/${String(input["id"])}`;

const MISSING = ["landing_not_found", "session_not_found", "ambiguous_id"] as const;
const SETTLED = [...MISSING, "landing_settled", "sandbox_floor", "quota_exceeded", "disk_low"] as const;

/** What is on its way to a branch, and what a person may do about it. */
export const landing: readonly Syscall[] = [
  read({
    name: "landing.list",
    summary: "List landings, newest first; with `--state open` those that are queued or being checked",
    permission: "landing.read",
    roles: ["viewer"],
    needs: ["landings", "store"],
    about: "system",
    names: { session: "session" },
    input: z.object({
      session: SessionId.optional().describe("only those of this session"),
      into: z.string().max(250).optional().describe("only those onto this branch"),
      state: z
        .enum(["open", "queued", "checking", "landed", "refused", "ejected"])
        .optional()
        .describe("`open`: queued or checking"),
      cwd: z.string().max(4096).optional().describe("only those of the repository with this directory"),
      limit: Limit(LIST_MAX),
      after: z.string().max(100).optional().describe("`next` of the previous page"),
    }),
    output: z.object({ landings: z.array(LandingWire), next: z.string().nullable() }),
    errors: ["session_not_found", "ambiguous_id"],
    http: { method: "GET", path: "/api/landings" },
    cli: { positional: [], paths: ["cwd"] },
    answer: async (context, { limit = LIST_DEFAULT, ...given }) => {
      const { rows, next } = await listLandings(context, { ...given, limit });
      return { landings: await landingsWire(context, rows), next };
    },
  }),
  read({
    name: "landing.show",
    summary: "Show a landing: its place in the queue, its commit, or why it was refused",
    permission: "landing.read",
    roles: ["viewer"],
    needs: ["landings", "store"],
    about: aboutOne,
    names: named,
    input: byId,
    output: LandingWire,
    errors: MISSING,
    http: { method: "GET", path: "/api/landings/:id" },
    cli: { positional: ["id"] },
    answer: async (context, { id }) => {
      return landingWire(context, await landingRowOf(context, id));
    },
  }),
  read({
    name: "landing.wait",
    summary: "Wait until a landing has landed, was refused or was ejected",
    permission: "landing.read",
    roles: ["viewer"],
    needs: ["landings", "store"],
    about: aboutOne,
    names: named,
    input: byId.extend({ timeoutMs: z.coerce.number().int().min(0).max(WAIT_MS_MAX).optional() }),
    output: LandingWire.extend({ ok: z.boolean().describe("false: refused or ejected") }),
    errors: [...MISSING, "wait_timeout"],
    http: { method: "GET", path: "/api/landings/:id/wait" },
    cli: {
      positional: ["id"],
      says: [
        [
          ["state", "landed", "Landed {sessionName} on {into} as {commit}."],
          ["state", "refused", "The landing of {sessionName} on {into} was refused."],
          ["state", "ejected", "The landing of {sessionName} on {into} was ejected: {reason}."],
        ],
      ],
      rows: "findings",
    },
    answer: async (context, { id, timeoutMs = WAIT_MS }) => {
      const settled = await landingWire(context, await waitForLanding(context, id, timeoutMs));
      return { ...settled, ok: settled.state === "landed" };
    },
  }),
  read({
    name: "landing.draft",
    summary: "Show the message that the commit of a landing would get, to edit it beforehand",
    permission: "landing.read",
    roles: ["viewer"],
    needs: ["landings", "store"],
    about: "session",
    input: z.object({ id: SessionId }),
    output: z.object({ id: z.string(), message: z.string() }),
    errors: ["session_not_found", "ambiguous_id"],
    http: { method: "GET", path: "/sessions/:id/land" },
    cli: { positional: ["id"], says: ["{message}"] },
    answer: async (context, { id }) => {
      await sessionRowOf(context, id);
      return { id, message: await context.services.landings.draft(id) };
    },
  }),
  write({
    name: "landing.eject",
    summary: "Take a landing out of the queue; its work stays in the session's worktree",
    permission: "landing.write",
    roles: [],
    needs: ["landings", "store"],
    rights: "person",
    about: aboutOne,
    names: named,
    input: because,
    output: LandingWire,
    errors: SETTLED,
    http: { method: "POST", path: "/api/landings/:id/eject" },
    cli: {
      positional: ["id", "reason"],
      says: ["Ejected the landing of {sessionName}.", "Next: nomos land {sessionName}"],
    },
    commit: (context, { id, reason }) => context.services.landings.eject(id, reason ?? BY_HAND, byOf(context)),
    answer: async (context, { id }, events) => recordedWire(context, await landingAfter(context, events, id)),
  }),
  write({
    name: "landing.hold",
    summary: "Hold a queued landing back; those behind it go on",
    permission: "landing.write",
    roles: [],
    needs: ["landings", "store"],
    rights: "person",
    about: aboutOne,
    names: named,
    input: because,
    output: LandingWire,
    errors: SETTLED,
    http: { method: "POST", path: "/api/landings/:id/hold" },
    cli: {
      positional: ["id", "reason"],
      says: ["The landing of {sessionName} is held back: {held}.", "Next: nomos landing release {sessionName}"],
    },
    idempotent: true,
    commit: (context, { id, reason }) => context.services.landings.hold(id, reason ?? BY_HAND, byOf(context)),
    answer: async (context, { id }, events) => recordedWire(context, await landingAfter(context, events, id)),
  }),
  write({
    name: "landing.release",
    summary: "Let a landing that was held back go on, at its old place",
    permission: "landing.write",
    roles: [],
    needs: ["landings", "store"],
    rights: "person",
    about: aboutOne,
    names: named,
    input: byId,
    output: LandingWire,
    errors: SETTLED,
    http: { method: "POST", path: "/api/landings/:id/release" },
    cli: {
      positional: ["id"],
      says: ["The landing of {sessionName} goes on.", "Next: nomos landing wait {sessionName}"],
    },
    idempotent: true,
    commit: (context, { id }) => context.services.landings.release(id, byOf(context)),
    answer: async (context, { id }, events) => recordedWire(context, await landingAfter(context, events, id)),
  }),
  write({
    name: "landing.move",
    summary: "Put a queued landing just before another one of the same branch",
    permission: "landing.write",
    roles: [],
    needs: ["landings", "store"],
    rights: "person",
    about: aboutOne,
    names: { ...named, before: "landing" },
    input: byId.extend({ before: LandingId }),
    output: LandingWire,
    errors: [...SETTLED, "landing_unmovable"],
    http: { method: "POST", path: "/api/landings/:id/move" },
    cli: {
      positional: ["id", "before"],
      says: ["Moved the landing of {sessionName}.", "Next: nomos landing list --state open"],
    },
    commit: (context, { id, before }) => context.services.landings.move(id, before, byOf(context)),
    answer: async (context, { id }, events) => recordedWire(context, await landingAfter(context, events, id)),
  }),
  landingWhy,
];

const BY_HAND = "by a person";
