import * as z from "zod";
import { LandHow } from "../../contract/index.ts";
import { LANDINGS, type LandingRow, landingLane } from "../../domains/index.ts";
import { SESSIONS } from "../../kernel/index.ts";
import type { Context } from "../define.ts";

export const FindingWire = z.object({
  rule: z.enum(["scope", "secret", "size", "fileBudget", "check", "conflict", "base", "policy"]),
  path: z.string().optional(),
  message: z.string(),
  remedy: z.string().describe("what to do about it"),
});

const PushedWire = z.object({
  remote: z.string(),
  branch: z.string(),
  url: z.string().nullable().describe("the request, or the page that opens one; null: the forge is unknown"),
  next: z.array(z.string()).describe("commands that open the request"),
});

const Neighbour = z.object({ id: z.string(), sessionId: z.string(), sessionName: z.string() });

export const LandingWire = z.object({
  id: z.string(),
  sessionId: z.string(),
  sessionName: z.string(),
  turnId: z.string().optional().describe("the session's last turn when its work was captured"),
  repository: z.string(),
  into: z.string().describe("the branch"),
  state: z.enum(["queued", "checking", "landed", "refused", "ejected"]),
  how: LandHow,
  message: z.string().optional().describe("as given; otherwise it is made of the session's own words"),
  checks: z.array(z.array(z.string())).describe("checks beside those of the configuration"),
  attempt: z.number().int().describe("from 1"),
  attemptsMax: z.number().int(),
  queuedAt: z.string(),
  changedAt: z.string(),
  ahead: z.number().int().optional().describe("queued: landings of the branch that come first"),
  behind: Neighbour.optional().describe("the last of these"),
  held: z.string().optional().describe("why a person holds it back"),
  checking: z.string().optional().describe("what is being checked right now"),
  commit: z.string().optional().describe("the branch's new commit"),
  commits: z.array(z.string()).optional().describe("new commits on the branch, oldest first"),
  files: z.number().int().optional(),
  added: z.number().int().optional().describe("lines"),
  removed: z.number().int().optional().describe("lines"),
  checkMs: z.number().int().optional().describe("how long its checks took"),
  pushed: PushedWire.optional().describe("the branch for a pull request"),
  findings: z.array(FindingWire).describe("why it was refused"),
  more: z.number().int().optional().describe("findings that are left out"),
  toldIn: z.string().optional().describe("the turn that tells the agent why"),
  retriedAs: z.string().optional().describe("the landing that tries the mended work"),
  reason: z.string().optional().describe("why it was ejected"),
});
export type LandingWire = z.input<typeof LandingWire>;

type Needed = Context<"landings" | "store">;
type Known = { readonly [id: string]: string };

/** Rows as they are told. What is ahead of one that waits is read once for each branch. */
export async function landingsWire(context: Needed, rows: readonly LandingRow[]): Promise<LandingWire[]> {
  const lanes = new Map<string, readonly LandingRow[]>();
  for (const lane of new Set(rows.filter(isWaiting).map(({ order }) => landingLane(order))))
    lanes.set(lane, await inOrder(context, lane));
  const names = await namesOf(context, [...rows, ...[...lanes.values()].flat()]);
  return rows.map((row) => ({
    ...shown(row, names),
    ...(isWaiting(row) ? placeOf(row, lanes.get(landingLane(row.order)) ?? [], names) : {}),
    ...(row.at === "checking" ? checkingNow(context, row.id) : {}),
  }));
}

export async function landingWire(context: Needed, row: LandingRow): Promise<LandingWire> {
  const [wire] = await landingsWire(context, [row]);
  return wire ?? shown(row, {});
}

const LANE_MAX = 1000;
const isWaiting = ({ at }: LandingRow): boolean => at === "queued";

/** The open landings of a branch: who works first stands first. */
export async function inOrder({ services }: Context<"store">, lane: string): Promise<readonly LandingRow[]> {
  const rows = await services.store.rows(LANDINGS, { limit: LANE_MAX, where: { lane, open: true } });
  const rank = ({ at, place }: LandingRow): string => `${at === "checking" ? 0 : 1} ${place}`;
  return rows.toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1));
}

function placeOf({ id }: LandingRow, line: readonly LandingRow[], names: Known): Partial<LandingWire> {
  const ahead = line.findIndex((one) => one.id === id);
  const before = line[ahead - 1];
  if (before === undefined) return { ahead: Math.max(0, ahead) };
  const { sessionId } = before.order;
  return { ahead, behind: { id: before.id, sessionId, sessionName: names[sessionId] ?? sessionId } };
}

function checkingNow({ services }: Needed, id: string): Partial<LandingWire> {
  const checking = services.landings.checking(id);
  return checking === null ? {} : { checking };
}

async function namesOf({ services }: Needed, rows: readonly LandingRow[]): Promise<Known> {
  const ids = [...new Set(rows.map(({ order }) => order.sessionId))];
  const found = await Promise.all(ids.map((id) => services.store.row(SESSIONS, id)));
  return Object.fromEntries(ids.map((id, at) => [id, found[at]?.name ?? id]));
}

function shown(row: LandingRow, names: Known): LandingWire {
  const { order, heldBecause } = row;
  const { sessionId, turnId, repository, into, how, message, checks, attempt, attemptsMax } = order;
  return {
    ...{ id: row.id, sessionId, sessionName: names[sessionId] ?? sessionId },
    ...(turnId === null ? {} : { turnId }),
    ...{ repository: repository.root ?? repository.gitDir, into, state: row.at, how },
    ...(message === null ? {} : { message }),
    ...{ checks: checks.map((argv) => [...argv]), attempt, attemptsMax },
    ...{ queuedAt: row.queuedAt, changedAt: row.changedAt },
    ...(heldBecause === null || row.at !== "queued" ? {} : { held: heldBecause }),
    findings: [],
    ...outcomeOf(row),
  };
}

function outcomeOf(row: LandingRow): Partial<LandingWire> {
  switch (row.at) {
    case "landed": {
      const { commit, commits, files, added, removed, checkMs } = row.landed;
      const pushed = row.pushed === null ? {} : { pushed: { ...row.pushed, next: [...row.pushed.next] } };
      return { commit, commits: [...commits], files, added, removed, checkMs: Math.round(checkMs), ...pushed };
    }
    case "refused":
      return {
        findings: row.findings.map((finding) => ({ ...finding })),
        ...(row.more === 0 ? {} : { more: row.more }),
        ...(row.told === null ? {} : { toldIn: row.told }),
        ...(row.retriedAs === null ? {} : { retriedAs: row.retriedAs }),
      };
    case "ejected":
      return { reason: row.reason };
    default:
      return {};
  }
}
