import * as z from "zod";
import { read, type Syscall } from "../define.ts";
import { Cwd, NamedTicketWire, namedWire } from "./wire.ts";

const LAW = ["cwd_missing", "not_governed", "not_a_repository", "governance_newer", "config_invalid"] as const;
const cli = { positional: [], paths: ["cwd"], here: { member: "cwd", unless: [] } } as const;

/** What is told of all tickets of a repository together. */
export const ticketSurvey: readonly Syscall[] = [
  read({
    name: "ticket.overlaps",
    summary: "List pairs of open tasks that may change the same file, each with such a path",
    permission: "ticket.survey",
    roles: ["viewer"],
    needs: ["tickets"],
    heavy: true,
    about: "system",
    input: z.object({ cwd: Cwd }),
    output: z.object({
      overlaps: z.array(z.object({ a: NamedTicketWire, b: NamedTicketWire, path: z.string() })),
      tickets: z.number().int().describe("open tasks that were compared"),
      whole: z.boolean().describe("false: there are more pairs than are told or were compared"),
    }),
    errors: [...LAW, "overloaded"],
    http: { method: "GET", path: "/api/tickets/all/overlaps" },
    cli: {
      ...cli,
      says: [["overlaps.length", 0, "No two of {tickets|open task} may change the same file."]],
      rows: "overlaps",
    },
    answer: async ({ services }, { cwd }) => {
      const { overlaps, tickets, isWhole } = await services.tickets.overlaps(cwd);
      return {
        overlaps: overlaps.map(({ a, b, path }) => ({ a: namedWire(a), b: namedWire(b), path })),
        tickets,
        whole: isWhole,
      };
    },
  }),
  read({
    name: "ticket.check",
    summary:
      "Check all tickets: files that cannot be read, parents and blockers that are missing or form a circle, orphans",
    permission: "ticket.survey",
    roles: ["viewer"],
    needs: ["tickets"],
    about: "system",
    input: z.object({ cwd: Cwd }),
    output: z.object({
      ok: z.boolean(),
      findings: z.array(
        z.object({
          rule: z.string(),
          ticket: z.string().optional(),
          path: z.string().optional(),
          message: z.string(),
          remedy: z.string(),
        }),
      ),
    }),
    errors: LAW,
    http: { method: "GET", path: "/api/tickets/all/check" },
    cli: { ...cli, says: [["ok", true, "All tickets are in order."]], rows: "findings" },
    answer: async ({ services }, { cwd }) => {
      const findings = (await services.tickets.problems(cwd)).map(({ ticket, path, fault, message, remedy }) => ({
        ...(ticket === null ? {} : { ticket }),
        ...(path === null ? {} : { path }),
        ...{ rule: fault, message, remedy },
      }));
      return { ok: findings.length === 0, findings };
    },
  }),
];
