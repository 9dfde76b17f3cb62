import * as z from "zod";
import { CheckArgv, LANDING_LIST_MAX, LandHow, NomosError } from "../../contract/index.ts";
import { FANOUT_EVENTS, LandingStream } from "../../domains/index.ts";
import { dataIn, idIn } from "../../kernel/index.ts";
import { type Syscall, write } from "../define.ts";
import { byOf } from "../session/answer.ts";
import { about, byId, MISSING, names, Who, whoIs } from "./named.ts";
import { CandidateWire, candidateWire, FanoutWire, fanoutWire } from "./wire.ts";

/** What a person does with the result: land one, drop the others. */
export const finishFanout: readonly Syscall[] = [
  write({
    name: "fan-out.land",
    summary: "Land the work of one candidate, through the gate and the queue; the others are kept",
    permission: "landing.write",
    roles: [],
    needs: ["fanOuts"],
    rights: "person",
    heavy: true,
    about,
    names,
    input: byId.extend({
      session: Who.describe("its session, its agent, or `best`"),
      into: z.string().min(1).max(250).optional().describe("the branch; default: as the fan-out was tried"),
      how: LandHow.optional().describe("default: `landing.how` of the configuration"),
      message: z.string().min(1).max(20_000).optional().describe("of the commit"),
      checks: z.array(CheckArgv).max(LANDING_LIST_MAX).optional().describe("beside those of the fan-out"),
      pr: z.boolean().optional().describe("push a branch for a pull request instead of moving the branch"),
    }),
    output: FanoutWire.extend({ landing: z.object({ id: z.string(), sessionId: z.string(), name: z.string() }) }),
    errors: [
      ...([...MISSING, "fanout_candidate_not_found", "fanout_unfinished", "fanout_no_winner", "session_busy"] as const),
      ...(["worktree_not_found", "worktree_missing", "branch_not_found", "landing_exists", "nothing_to_land"] as const),
      ...(["not_a_repository", "repository_invalid", "tree_too_large", "git_failed", "git_missing"] as const),
      ...(["disk_full", "disk_low", "quota_exceeded", "overloaded", "sandbox_floor"] as const),
    ],
    http: { method: "POST", path: "/api/fan-outs/:id/land" },
    cli: {
      positional: ["id", "session"],
      says: [
        "Queued {landing.name}. Next: nomos landing wait {landing.id}",
        "The others are kept. When it has landed: nomos fan-out drop {name}",
      ],
    },
    commit: ({ services, ...context }, { id, session, ...wish }) =>
      services.fanOuts.land(id, session, wish, byOf({ services: {}, ...context })),
    answer: async ({ services }, { id }, events) => {
      const landingId = events.flatMap(({ stream: of }) => idIn(LandingStream, of) ?? [])[0] ?? "";
      const shown = await services.fanOuts.show(id);
      const landed = shown.candidates.find(({ landing }) => landing?.id === landingId);
      const { sessionId = "", session = null } = landed ?? {};
      return { ...fanoutWire(shown), landing: { id: landingId, sessionId, name: session?.name ?? sessionId } };
    },
  }),
  write({
    name: "fan-out.drop",
    summary: "End candidates of a fan-out and remove their worktrees with the work in them",
    permission: "fanout.write",
    roles: [],
    needs: ["fanOuts"],
    about,
    names,
    input: byId.extend({
      session: Who.optional().describe("its session or its agent; default: all but the one that was landed"),
      all: z.boolean().optional().describe("every candidate, also when none was landed"),
      dryRun: z.boolean().optional().describe("only say what would go"),
    }),
    output: z.object({
      id: z.string(),
      dryRun: z.boolean(),
      dropped: z.array(
        CandidateWire.pick({ sessionId: true, name: true, agent: true }).extend({
          files: z.array(z.string()).describe("changed files that went with the worktree"),
          more: z.number().int().describe("how many further files"),
          snapshot: z.string().nullable().describe("still holds the files: `nomos fork <name>` brings them back"),
        }),
      ),
      count: z.number().int(),
    }),
    errors: [
      ...([...MISSING, "fanout_candidate_not_found", "fanout_undecided", "fanout_landing", "invalid_request"] as const),
      ...(["worktree_in_use", "worktree_failed", "git_failed"] as const),
    ],
    http: { method: "POST", path: "/api/fan-outs/:id/drop" },
    cli: {
      positional: ["id", "session"],
      says: [
        ["dryRun", true, "Dry run: {count|candidate} would go, with these files."],
        ["dryRun", false, "Dropped {count|candidate}. `nomos fork <name>` brings back what its snapshots hold."],
      ],
      rows: "dropped",
    },
    destructive: true,
    commit: async (context, { id, dryRun, ...who }) =>
      dryRun === true ? [] : context.services.fanOuts.drop(id, wishOf(who), byOf(context)),
    answer: async ({ services: { fanOuts } }, { id, dryRun = false, ...who }, events) => {
      if (dryRun) {
        const going = await fanOuts.wouldDrop(id, wishOf(who));
        const dropped = going.map(({ candidate, files }) => ({
          ...whoIs(candidateWire(candidate)),
          ...{ files: files.slice(0, FILES_LISTED_MAX), more: Math.max(0, files.length - FILES_LISTED_MAX) },
          snapshot: null,
        }));
        return { id, dryRun, dropped, count: dropped.length };
      }
      await fanOuts.dropped(id);
      const asked = dataIn(FANOUT_EVENTS, events, "fanout.dropped@1")?.sessions ?? [];
      const { candidates } = await fanOuts.show(id);
      const dropped = candidates
        .filter(({ sessionId }) => asked.includes(sessionId))
        .map((one) => ({ ...whoIs(candidateWire(one)), ...NOTHING, ...candidateWire(one).gone }));
      return { id, dryRun, dropped, count: dropped.length };
    },
  }),
];

const FILES_LISTED_MAX = 100;
const NOTHING = { files: [] as string[], more: 0, snapshot: null };

function wishOf({ session, all = false }: { session?: string | undefined; all?: boolean | undefined }) {
  if (session !== undefined && all)
    throw new NomosError("invalid_request", { reason: "`all` and a session exclude each other" });
  return session === undefined ? (all ? "all" : "others") : { session };
}
