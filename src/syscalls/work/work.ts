import * as z from "zod";
import { NomosError } from "../../contract/index.ts";
import { read, type Syscall } from "../define.ts";
import { Flag } from "../query-text.ts";
import { Figures, figures, WorkWire, workWire } from "./wire.ts";

const LISTED_MAX = 500;
const HISTORY_MAX = 1000;
const Cwd = z.string().min(1).max(4096).describe("a directory of the repository");

/** Sessions that work on tickets, by repository. */
export const work: readonly Syscall[] = [
  read({
    name: "work.list",
    summary: "List the sessions that work on a repository's tickets, or worked on one of them",
    permission: "work.read",
    roles: ["viewer"],
    needs: ["works"],
    about: "system",
    input: z.object({
      cwd: Cwd.optional(),
      ticket: z.string().max(64).optional().describe("all work on this ticket, also ended"),
      all: Flag.describe("of all repositories: without `cwd` and `ticket`"),
    }),
    output: z.object({ works: z.array(WorkWire) }),
    errors: ["not_governed", "cwd_missing", "invalid_request"],
    http: { method: "GET", path: "/api/works" },
    cli: { positional: ["ticket"], paths: ["cwd"], here: { member: "cwd", unless: ["all"] } },
    answer: async ({ services: { works } }, { cwd, ticket, all = false }) => {
      if (all) return { works: (await works.allOpen(LISTED_MAX)).map(workWire) };
      if (cwd === undefined) throw new NomosError("invalid_request", { field: "cwd" });
      const repo = await works.repoAt(cwd);
      const rows = ticket === undefined ? await works.openIn(repo, LISTED_MAX) : await works.onTicket(repo, ticket);
      return { works: rows.map(workWire) };
    },
  }),
  read({
    name: "work.drift",
    summary: "Show how the drift of a repository's sessions went, the newest first",
    permission: "work.read",
    roles: ["viewer"],
    needs: ["works"],
    about: "system",
    input: z.object({
      cwd: Cwd,
      ticket: z.string().max(64).optional(),
      limit: z.coerce.number().int().min(1).max(HISTORY_MAX).default(100),
    }),
    output: z.object({
      average: z.number().nullable().describe("of the last figures of each session; null: nothing was measured"),
      max: z.number().nullable(),
      high: z.number().int().describe("sessions over 0.7"),
      samples: z.array(
        Figures.extend({ sessionId: z.string(), ticket: z.string(), agent: z.string(), at: z.string() }),
      ),
    }),
    errors: ["not_governed", "cwd_missing"],
    http: { method: "GET", path: "/api/drift" },
    cli: {
      positional: ["ticket"],
      paths: ["cwd"],
      here: { member: "cwd", unless: [] },
      says: [
        ["samples.length", 0, "Nothing was measured yet."],
        "Drift is {average} on average and {max} at most.",
        "Over 0.7: {high|session}.",
      ],
      rows: "samples",
    },
    answer: async ({ services: { works } }, { cwd, ticket, limit }) => {
      const repo = await works.repoAt(cwd);
      const samples = await works.history(repo, ticket ?? null, limit);
      const { average, max, high } = works.summary(samples);
      return {
        ...{ average, max, high },
        samples: samples.map((one) => ({
          ...{
            ...figures(one),
            sessionId: one.sessionId,
            ticket: one.order.ticketId,
            agent: one.order.agent,
            at: one.at,
          },
        })),
      };
    },
  }),
];
