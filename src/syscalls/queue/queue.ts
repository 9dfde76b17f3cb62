import * as z from "zod";
import { read, type Syscall } from "../define.ts";

const LIST_DEFAULT = 100;
const LIST_MAX = 500;

export const queue: readonly Syscall[] = [
  read({
    name: "queue.list",
    summary: "List everything that is queued and why it waits: turns of sessions, items of limited lanes",
    permission: "queue.list",
    roles: ["viewer"],
    needs: ["waiting"],
    about: "system",
    input: z.object({
      lane: z.string().max(200).optional().describe("only this lane; a session's is `session/<id>`"),
      limit: z.coerce.number().int().min(1).max(LIST_MAX).optional(),
      after: z.string().max(500).optional().describe("`next` of the previous page"),
    }),
    output: z.object({
      waits: z.array(
        z.object({
          item: z.string(),
          stream: z.string(),
          lane: z.string(),
          priority: z.number().int().describe("0 to 9; higher starts first"),
          reason: z.string().describe("why it waits"),
        }),
      ),
      next: z.string().nullable(),
    }),
    errors: [],
    http: { method: "GET", path: "/api/queue" },
    cli: { positional: [] },
    answer: async ({ services }, { lane, limit = LIST_DEFAULT, after }) => {
      const page = await services.waiting.waits({
        limit,
        ...(lane === undefined ? {} : { lane }),
        ...(after === undefined ? {} : { after }),
      });
      return { waits: page.waits.map((wait) => ({ ...wait })), next: page.next };
    },
  }),
];
