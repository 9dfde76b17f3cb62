import * as z from "zod";
import { read, type Syscall } from "../define.ts";

export const ws: readonly Syscall[] = [
  read({
    name: "ws.ticket",
    summary: "Issue a pass that opens one WebSocket once, within 30 seconds, for browsers that cannot send a token",
    permission: "system.read",
    roles: ["viewer"],
    needs: ["passes"],
    about: "system",
    input: z.object({}),
    output: z.object({ ticket: z.string(), expiresAt: z.string() }),
    errors: ["overloaded"],
    http: { method: "POST", path: "/api/ws/ticket", status: 201 },
    cli: { positional: [] },
    answer: async ({ services, actor }) => services.passes.issue(actor),
  }),
];
