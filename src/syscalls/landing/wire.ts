import * as z from "zod";
import { LandHow } from "../../contract/index.ts";
import { LANDINGS, type LandingRow, landingLane } from "../../domains/index.ts";
import { SESSIONS, type SessionRow } from "../../kernel/index.ts";
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
  waitsFor: z
    .enum(["person", "agent"])
    .optional()
    .describe("refused: who has to do something; absent when it was tried again, or the session went on"),
  reason: z.string().optional().describe("why it was ejected"),
});
export type LandingWire = z.input<typeof LandingWire>;

type Needed = Context<"landings" | "store">;
type Known = ReadonlyMap<string, SessionRow | null>;

/** Rows as they are told. What is ahead of one that waits is read once for each branch. */
export async function landingsWire(context: Needed, rows: readonly LandingRow[]): Promise<LandingWire[]> {
  const lanes = new Map<string, readonly LandingRow[]>();
  for (const lane of new Set(rows.filter(isWaiting).map(({ order }) => landingLane(order))))
    lanes.set(lane, await inOrder(context, lane));
  const sessions = await sessionsOf(context, [...rows, ...[...lanes.values()].flat()]);
  return Promise.all(
    rows.map(async (row) => ({
      ...shown(row, sessions),
      ...(isWaiting(row) ? placeOf(row, lanes.get(landingLane(row.order)) ?? [], sessions) : {}),
      ...(row.at === "checking" ? checkingNow(context, row.id) : {}),
      ...(row.at === "refused" ? await waitsFor(context, row, sessions) : {}),
    })),
  );
}

export async function landingWire(context: Needed, row: LandingRow): Promise<LandingWire> {
  const [wire] = await landingsWire(context, [row]);
  return wire ?? shown(row, new Map());
}

/** As its events left it, without what changes beside them: its place in the queue, and who has to do something. */
export async function recordedWire(context: Context<"store">, row: LandingRow): Promise<LandingWire> {
  return shown(row, await sessionsOf(context, [row]));
}

const LANE_MAX = 1000;
const isWaiting = ({ at }: LandingRow): boolean => at === "queued";

/** The open landings of a branch: who works first stands first. */
async function inOrder({ services }: Context<"store">, lane: string): Promise<readonly LandingRow[]> {
  const rows = await services.store.rows(LANDINGS, { limit: LANE_MAX, where: { lane, open: true } });
  const rank = ({ at, place }: LandingRow): string => `${at === "checking" ? 0 : 1} ${place}`;
  return rows.toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1));
}

function placeOf({ id }: LandingRow, line: readonly LandingRow[], sessions: Known): Partial<LandingWire> {
  const ahead = line.findIndex((one) => one.id === id);
  const before = line[ahead - 1];
  if (before === undefined) return { ahead: Math.max(0, ahead) };
  const { sessionId } = before.order;
  return { ahead, behind: { id: before.id, sessionId, sessionName: nameOf(sessionId, sessions) } };
}

function checkingNow({ services }: Needed, id: string): Partial<LandingWire> {
  const checking = services.landings.checking(id);
  return checking === null ? {} : { checking };
}

/** An agent that was told mends it in its turn. Whoever prompted the session since has dealt with it. */
async function waitsFor(
  { services }: Needed,
  row: Extract<LandingRow, { at: "refused" }>,
  sessions: Known,
): Promise<Partial<LandingWire>> {
  const { sessionId } = row.order;
  const session = sessions.get(sessionId) ?? null;
  if (row.retriedAs !== null || session === null || session.forgotten || session.endedAt !== null) return {};
  const [newest] = await services.store.rows(LANDINGS, { limit: 1, where: { session: sessionId } });
  if (newest !== undefined && newest.id !== row.id) return {};
  if (row.told !== null) return { waitsFor: session.busy ? "agent" : "person" };
  return session.busy || (session.lastOutputAt ?? "") > row.changedAt ? {} : { waitsFor: "person" };
}

async function sessionsOf({ services }: Context<"store">, rows: readonly LandingRow[]): Promise<Known> {
  const ids = [...new Set(rows.map(({ order }) => order.sessionId))];
  const found = await Promise.all(ids.map((id) => services.store.row(SESSIONS, id)));
  return new Map(ids.map((id, at) => [id, found[at] ?? null]));
}

function nameOf(sessionId: string, sessions: Known): string {
  return sessions.get(sessionId)?.name ?? sessionId;
}

function shown(row: LandingRow, sessions: Known): LandingWire {
  const { order, heldBecause } = row;
  const { sessionId, turnId, repository, into, how, message, checks, attempt, attemptsMax } = order;
  return {
    ...{ id: row.id, sessionId, sessionName: nameOf(sessionId, sessions) },
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
