import * as z from "zod";
import { SessionId } from "../../contract/index.ts";
import { dataIn, LIMITS, SESSION_EVENTS, SESSIONS, type SessionRow, sessionStream } from "../../kernel/index.ts";
import { type Context, read, type Syscall, write } from "../define.ts";
import { byOf, sessionRowOf } from "./answer.ts";
import { waitForApproval } from "./wait.ts";

const NOTE_CHARS = 4000;
const NOTE = "x.note@1";
const SESSIONS_LOOKED_AT = 1000;
const SIBLINGS_MAX = 100;
const ASK_WAIT_MS_MAX = 86_400_000;
const ASK_WAIT_MS = 3_600_000;

const Sibling = z.object({
  id: z.string(),
  name: z.string(),
  agent: z.string(),
  state: z.string(),
  label: z.string().nullable(),
  cwd: z.string(),
  note: z.string().nullable().describe("its last note"),
});

/** For an agent at work: list siblings, leave a note, ask a person. */
export const sessionSiblings: readonly Syscall[] = [
  read({
    name: "session.siblings",
    summary: "List living sessions with the same directory, parent or fork root, each with its last note",
    permission: "session.siblings",
    roles: ["session"],
    needs: ["store"],
    about: "session",
    input: z.object({ id: SessionId }),
    output: z.object({ siblings: z.array(Sibling) }),
    errors: ["session_not_found"],
    http: { method: "GET", path: "/sessions/:id/siblings" },
    cli: { positional: ["id"] },
    mcp: { toolsets: ["inside"] },
    answer: async (context, { id }) => {
      const self = await sessionRowOf(context, id);
      const rows = await context.services.store.rows(SESSIONS, {
        limit: SESSIONS_LOOKED_AT,
        where: { alive: true, shown: true },
      });
      const found = rows
        .filter((row) => row.id !== id && !row.forgotten && isSibling(self, row))
        .slice(0, SIBLINGS_MAX);
      return { siblings: await Promise.all(found.map((row) => shown(context, row))) };
    },
  }),
  write({
    name: "session.note",
    summary: "Leave a note on a session for its siblings and for people",
    permission: "session.note",
    roles: ["session"],
    needs: ["supervisor"],
    about: "session",
    input: z.object({ id: SessionId, text: z.string().min(1).max(NOTE_CHARS) }),
    output: z.object({ ok: z.literal(true), id: z.string() }),
    errors: ["session_not_found", "session_ended", "quota_exceeded", "disk_low"],
    http: { method: "POST", path: "/sessions/:id/note" },
    cli: {
      positional: ["id", "text"],
      says: ["Left the note on {input.id}.", "Next: nomos session siblings {input.id} shows the notes of all"],
    },
    mcp: { toolsets: ["inside"] },
    commit: (context, { id, text }) =>
      context.services.supervisor.addEvents(id, null, [{ type: NOTE, payload: { text } }], byOf(context)),
    answer: async (_context, { id }) => ({ ok: true as const, id }),
  }),
  write({
    name: "session.ask",
    summary: "Ask a person a question from within a turn, and wait for the answer",
    permission: "session.ask",
    roles: ["session"],
    needs: ["store", "supervisor"],
    about: "session",
    input: z.object({
      id: SessionId,
      question: z.string().min(1).max(4000),
      options: z
        .array(z.string().min(1).max(LIMITS.optionChars))
        .max(LIMITS.optionsMax)
        .optional()
        .describe("the allowed answers; without options the person answers in their own words"),
      wait: z.boolean().optional().describe("false: return at once and leave the question open"),
      timeoutMs: z.number().int().min(1).max(ASK_WAIT_MS_MAX).optional(),
    }),
    output: z.object({
      approvalId: z.string(),
      status: z.enum(["pending", "approved", "rejected", "cancelled", "expired"]),
      answer: z.string().nullable(),
    }),
    errors: ["session_not_found", "turn_not_running", "queue_full", "wait_timeout", "quota_exceeded", "disk_low"],
    http: { method: "POST", path: "/sessions/:id/ask" },
    cli: {
      positional: ["id", "question"],
      says: [
        "The question {approvalId} is {status}.",
        "Answer: {answer}",
        ["status", "pending", "Next: nomos approve {approvalId}"],
      ],
    },
    mcp: { toolsets: ["inside"] },
    commit: (context, { id, question, options }) =>
      context.services.supervisor.ask(id, question, options ?? [], byOf(context)),
    answer: async (context, { id, wait = true, timeoutMs }, events) => {
      const asked = dataIn(SESSION_EVENTS, events, "approval.requested@1");
      const { approvalId = "" } = asked ?? dataIn(SESSION_EVENTS, events, "approval.joined@1") ?? {};
      if (!wait) return { approvalId, status: "pending" as const, answer: null };
      const { status } = await waitForApproval(context, id, approvalId, timeoutMs ?? ASK_WAIT_MS);
      return { approvalId, status, answer: await answerOf(context, id, approvalId) };
    },
  }),
];

function isSibling(self: SessionRow, other: SessionRow): boolean {
  const ofOneParent = self.parentSessionId !== null && self.parentSessionId === other.parentSessionId;
  return other.cwd === self.cwd || other.root === self.root || ofOneParent;
}

async function shown({ services }: Context<"store">, row: SessionRow): Promise<z.input<typeof Sibling>> {
  const { id, name, agent, state, label, cwd } = row;
  const query = { limit: 1, types: ["x.note"], descending: true };
  const [last] = (await services.store.readStream(sessionStream(id), query)).events;
  const payload = z.object({ payload: z.object({ text: z.string() }) }).safeParse(last?.data);
  return { id, name, agent, state, label, cwd, note: payload.success ? payload.data.payload.text : null };
}

async function answerOf({ services }: Context<"store">, id: string, approvalId: string): Promise<string | null> {
  const query = { limit: 50, types: ["approval.answered"], descending: true };
  const { events } = await services.store.readStream(sessionStream(id), query);
  const found = events.map(({ data }) => Answered.safeParse(data)).find((one) => one.data?.approvalId === approvalId);
  return found?.data?.option ?? found?.data?.reason ?? null;
}

const Answered = z.object({ approvalId: z.string(), option: z.string().nullable(), reason: z.string().nullable() });
