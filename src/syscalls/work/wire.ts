import * as z from "zod";
import type { DriftFigures, WorkRow } from "../../domains/index.ts";

export const Figures = z.object({
  score: z.number(),
  scope: z.number().describe("the share of the files that is out of scope"),
  budget: z.number().describe("how much of the file budget is used"),
  boundary: z.number().describe("1: a file that the boundary forbids was changed"),
  lines: z.number().describe("how much of the line budget is used; no part of the score"),
  files: z.number().int(),
});

const WorkState = z.enum(["planned", "active", "suspended", "finished", "handed", "dropped"]);

export const WorkWire = z.object({
  sessionId: z.string(),
  ticket: z.string(),
  title: z.string(),
  repo: z.string(),
  role: z.enum(["work", "audit"]),
  agent: z.string(),
  model: z.string().optional(),
  state: WorkState,
  fence: z.number().int().optional().describe("of its lease"),
  lost: z.boolean().describe("somebody else has the lease"),
  settled: z.boolean().describe("false: memento, ticket status or lease are still to be brought up to date"),
  status: z.enum(["keep", "review", "done"]).optional().describe("of the last finish"),
  checks: z.enum(["passed", "bypassed", "none"]).optional(),
  summary: z.string().optional(),
  next: z.string().optional(),
  reason: z.string().optional(),
  to: z.string().optional().describe("the agent that it was handed to"),
  receivedBy: z.string().optional(),
  memento: z.string().optional(),
  refused: z
    .object({ code: z.string(), message: z.string() })
    .optional()
    .describe("why the last finish did not happen"),
  drift: Figures.optional(),
  startedAt: z.string(),
  changedAt: z.string(),
});
export type WorkWire = z.input<typeof WorkWire>;

export function workWire(row: WorkRow): WorkWire {
  const { id, order, at, fence, lost, isSettled, finished, handed, parting, drift, receivedBy, refused } = row;
  const closing = at === "handed" ? handed : finished;
  return {
    ...{ sessionId: id, ticket: order.ticketId, title: order.title, repo: order.repo, role: order.role },
    ...{ agent: order.agent, state: at === "absent" ? "planned" : at, lost: lost !== null, settled: isSettled },
    ...given("model", order.model),
    ...given("fence", fence),
    ...(finished === null ? {} : { status: finished.status }),
    ...(closing === null ? {} : { checks: closing.checks, memento: closing.memento }),
    ...(parting === null ? {} : { summary: parting.summary }),
    ...given("next", parting?.next ?? null),
    ...given("reason", parting?.reason ?? null),
    ...given("to", handed?.to ?? null),
    ...given("receivedBy", receivedBy),
    ...(refused === null ? {} : { refused: { ...refused } }),
    ...(drift === null ? {} : { drift: figures(drift) }),
    ...{ startedAt: row.since, changedAt: row.changedAt },
  };
}

export function figures({ score, scope, budget, boundary, lines, files }: DriftFigures): z.input<typeof Figures> {
  return { score, scope, budget, boundary, lines, files };
}

function given<Key extends string, T>(key: Key, value: T | null): { readonly [K in Key]?: T } {
  return value === null ? {} : ({ [key]: value } as { readonly [K in Key]: T });
}
