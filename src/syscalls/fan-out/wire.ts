import * as z from "zod";
import { SpentWire, spentWire } from "../../contract/index.ts";
import type { FanoutRow, Judgement } from "../../domains/index.ts";
import type { ShownCandidate, ShownFanout } from "../../services/index.ts";
import { FindingWire } from "../landing/wire.ts";

const Fault = z.object({ code: z.string(), message: z.string() });
const Names = z.array(z.string());

export const CandidateWire = z.object({
  sessionId: z.string(),
  name: z.string().optional().describe("the session's name; absent before it exists"),
  agent: z.string(),
  model: z.string().optional(),
  state: z
    .enum([
      ...(["opening", "working", "waiting", "judging", "judged", "failed"] as const),
      ...(["ended", "landing", "landed", "dropping", "dropped"] as const),
    ])
    .describe("waiting: for an approval or a usage limit; failed: it could not be started; ended: without a result"),
  waitingFor: z.enum(["approval", "quota"]).optional(),
  waitingUntil: z.string().optional(),
  rank: z.number().int().optional().describe("from 1, among those that were judged"),
  reason: z.string().optional().describe("why it has this rank, or why it failed"),
  passes: z.boolean().optional().describe("its work could land as it is"),
  outcome: z.string().optional().describe("how its last turn ended"),
  checks: z.enum(["passed", "failed", "not run", "none"]).optional().describe("none: there are no checks"),
  checkMs: z.number().int().optional(),
  findings: z.array(FindingWire).describe("what would keep its work from the branch"),
  more: z.number().int().optional().describe("findings that are left out"),
  files: z.number().int().optional().describe("changed files, against the base"),
  added: z.number().int().optional().describe("lines"),
  removed: z.number().int().optional().describe("lines"),
  paths: Names.describe("the first changed files"),
  turnMs: z.number().int().optional().describe("how long its turns took"),
  spent: SpentWire.optional(),
  landing: z
    .object({ id: z.string(), into: z.string(), state: z.enum(["queued", "checking", "landed", "refused", "ejected"]) })
    .optional()
    .describe("its newest landing"),
  error: Fault.optional().describe("why it failed, could not be judged, or is still there"),
  gone: z
    .object({
      files: Names,
      more: z.number().int(),
      snapshot: z.string().nullable().describe("still holds the files; `nomos fork` brings them back"),
    })
    .optional()
    .describe("what went with its worktree"),
});

export const FanoutWire = z.object({
  id: z.string(),
  name: z.string(),
  state: z
    .enum(["starting", "working", "judged", "settled", "failed"])
    .describe("judged: no candidate works any more; settled: landed or dropped, all of them; failed: too few started"),
  prompt: z.string().nullable().describe("a long one is cut; null: erased"),
  repository: z.string(),
  base: z.string().nullable().describe("the commit that every worktree was made from"),
  into: z.string().nullable().describe("the branch that the work is tried against; null: the one that is checked out"),
  checks: z.array(Names).describe("checks beside those of the configuration"),
  startedAt: z.string(),
  changedAt: z.string(),
  startedBy: z.string(),
  candidates: z.array(CandidateWire).describe("the best first"),
  best: z
    .object({ sessionId: z.string(), name: z.string(), reason: z.string() })
    .nullable()
    .describe("what `best` names; null while one works, and when none could land"),
  chosen: z.object({ sessionId: z.string(), landingId: z.string() }).nullable().describe("the newest that was landed"),
  overlap: z
    .array(z.object({ path: z.string(), sessions: Names }))
    .describe("files that more than one candidate changed; the first of them"),
  overlapMore: z.number().int().describe("how many further files"),
});
export type FanoutWire = z.input<typeof FanoutWire>;

export const FanoutRowWire = z.object({
  id: z.string(),
  name: z.string(),
  state: z.enum(["starting", "running", "settled"]),
  repository: z.string(),
  agents: Names,
  sessions: Names,
  judged: z.number().int(),
  chosen: z.string().nullable().describe("the session that was landed"),
  startedAt: z.string(),
  changedAt: z.string(),
});

export function fanoutRowWire({ at, agents, sessions, chosen, ...row }: FanoutRow): z.input<typeof FanoutRowWire> {
  return { ...row, state: at, agents: [...agents], sessions: [...sessions], chosen: chosen?.sessionId ?? null };
}

export function fanoutWire({ id, state, fanout, candidates, best, overlap }: ShownFanout): FanoutWire {
  const { order, prompt, chosen, startedAt, changedAt } = fanout;
  const { name, repository, base, into, checks, actor } = order;
  const first = candidates.find(({ sessionId }) => sessionId === best);
  return {
    ...{ id, name, state, prompt: prompt?.text ?? null, repository, base, into },
    ...{ checks: checks.map((argv) => [...argv]), startedAt, changedAt, startedBy: actor, chosen },
    candidates: candidates.map(candidateWire),
    best:
      first === undefined
        ? null
        : {
            sessionId: first.sessionId,
            name: first.session?.name ?? first.sessionId,
            reason: first.ranked?.reason ?? "",
          },
    overlap: overlap.files.map(({ path, sessions }) => ({ path, sessions: [...sessions] })),
    overlapMore: overlap.more,
  };
}

export function candidateWire(one: ShownCandidate): FanoutWire["candidates"][number] {
  const { sessionId, agent, model, state, session, ranked, judged, landing, failed, stuck, removed } = one;
  const error = failed ?? stuck ?? judged?.error ?? null;
  const reason = ranked?.reason ?? failed?.message;
  const spent = session?.spent ?? judged?.spent ?? null;
  return {
    ...{ sessionId, agent, state },
    ...(session === null ? {} : { name: session.name }),
    ...(model === null ? {} : { model }),
    ...(session?.waitingFor == null || state !== "waiting" ? {} : { waitingFor: session.waitingFor }),
    ...(session?.waitingUntil === undefined ? {} : { waitingUntil: session.waitingUntil }),
    ...(ranked === null ? {} : { rank: ranked.rank, passes: ranked.passes }),
    ...(reason === undefined ? {} : { reason }),
    ...(judged === null ? { findings: [], paths: [] } : judgementWire(judged)),
    ...(spent === null ? {} : { spent: spentWire(spent) }),
    ...(landing === null ? {} : { landing: { id: landing.id, into: landing.order.into, state: landing.at } }),
    ...(error === null ? {} : { error: { code: error.code, message: error.message } }),
    ...(removed === null ? {} : { gone: { ...removed, files: [...removed.files] } }),
  };
}

function judgementWire(judged: Judgement) {
  const { outcome, checkMs, findings, more, files, added, removed, paths, turnMs } = judged;
  return {
    ...{ outcome, files, added, removed, turnMs: Math.round(turnMs), paths: [...paths], checks: checksOf(judged) },
    ...(checkMs === null ? {} : { checkMs: Math.round(checkMs) }),
    ...(more === 0 ? {} : { more }),
    findings: findings.map((finding) => ({ ...finding })),
  };
}

function checksOf({ checks, findings }: Judgement): "passed" | "failed" | "not run" | "none" {
  if (findings.some(({ rule }) => rule === "check")) return "failed";
  if (checks === null) return "not run";
  return checks === 0 ? "none" : "passed";
}
