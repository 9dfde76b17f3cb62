import { z } from "zod";
import { read, type Syscall } from "../define.ts";

export const ws: readonly Syscall[] = [
  read({
    name: "ws.ticket",
    summary: "Admission for one WebSocket, for a browser that cannot send a token with it; good once, for a moment",
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
