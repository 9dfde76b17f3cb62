import { z } from "zod";
import { read, type Syscall } from "../define.ts";

const LIST_DEFAULT = 100;
const LIST_MAX = 500;

export const queue: readonly Syscall[] = [
  read({
    name: "queue.list",
    summary: "What waits for its turn anywhere, and why: turns of sessions and items of lanes with a limit",
    permission: "queue.list",
    roles: ["viewer"],
    needs: ["waiting"],
    about: "system",
    input: z.object({
      lane: z.string().max(200).optional().describe("only this lane; a session's is `session/<id>`"),
      limit: z.coerce.number().int().min(1).max(LIST_MAX).optional(),
      after: z.string().max(500).optional().describe("`next` of the page before"),
    }),
    output: z.object({
      waits: z.array(
        z.object({
          item: z.string(),
          stream: z.string(),
          lane: z.string(),
          priority: z.number().int().describe("0 to 9; the higher goes first"),
          reason: z.string().describe("what it waits for"),
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
