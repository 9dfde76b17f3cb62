import * as z from "zod";
import { SessionId, TodoWire } from "../../contract/index.ts";
import { read, type Syscall, write } from "../define.ts";
import { byOf, viewOf } from "../session/answer.ts";

export const todo: readonly Syscall[] = [
  read({
    name: "todo.show",
    summary: "Show a session's todo list",
    permission: "session.read",
    roles: ["viewer", "session", "below"],
    needs: ["store"],
    about: "session",
    input: z.object({ id: SessionId }),
    output: z.object({ items: z.array(TodoWire) }),
    errors: ["session_not_found"],
    http: { method: "GET", path: "/sessions/:id/todo" },
    cli: { positional: ["id"] },
    answer: async (context, { id }) => ({ items: [...(await viewOf(context, id)).todo] }),
  }),
  write({
    name: "todo.replace",
    summary: "Replace a session's todo list",
    permission: "session.report",
    roles: ["session"],
    needs: ["store", "supervisor"],
    about: "session",
    input: z.object({ id: SessionId, items: z.array(TodoWire), turnId: z.string().max(64).optional() }),
    output: z.object({ items: z.array(TodoWire) }),
    errors: ["session_not_found", "session_ended", "turn_ended", "todo_limit", "quota_exceeded", "disk_low"],
    http: { method: "PUT", path: "/sessions/:id/todo" },
    cli: {
      positional: ["id"],
      says: [
        "The todo list of {input.id} has {items.length|item}.",
        ["items.length", 0, "The todo list of {input.id} is empty."],
      ],
    },
    mcp: { toolsets: ["inside"] },
    idempotent: true,
    commit: (context, { id, items, turnId }) =>
      context.services.supervisor.replaceTodo(id, items, turnId ?? null, byOf(context)),
    answer: async (context, { id }) => ({ items: [...(await viewOf(context, id)).todo] }),
  }),
];
