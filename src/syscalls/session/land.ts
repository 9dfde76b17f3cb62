import * as z from "zod";
import { CheckArgv, LANDING_LIST_MAX, LandHow, NomosError, SessionId } from "../../contract/index.ts";
import { type Context, type Syscall, write } from "../define.ts";
import { landingAfter, landingRowOf, waitForLanding } from "../landing/answers.ts";
import { LandingWire, landingWire, recordedWire, type LandingWire as Told } from "../landing/wire.ts";
import { byOf, sessionRowOf } from "./answer.ts";

const BRANCH_CHARS_MAX = 250;
const MESSAGE_CHARS_MAX = 20_000;
const WAIT_MS_MAX = 3_600_000;

const LandInput = z.object({
  id: SessionId,
  into: z
    .string()
    .min(1)
    .max(BRANCH_CHARS_MAX)
    .optional()
    .describe("the branch; default: the one that is checked out in the repository"),
  how: LandHow.optional().describe("default: `landing.how` of the configuration"),
  message: z
    .string()
    .min(1)
    .max(MESSAGE_CHARS_MAX)
    .optional()
    .describe("of the commit; default: made of the session's own words"),
  checks: z
    .array(CheckArgv)
    .max(LANDING_LIST_MAX)
    .optional()
    .describe('programs with their arguments, such as `[["npm", "test"]]`, beside the checks of the configuration'),
  pr: z.boolean().optional().describe("push a branch for a pull request instead of moving the branch"),
  dryRun: z.boolean().optional().describe("run the gate and the checks, and only say what would come of it"),
  waitMs: z.coerce
    .number()
    .int()
    .min(0)
    .max(WAIT_MS_MAX)
    .optional()
    .describe("wait for so long for the outcome; default: answer as soon as it is queued"),
});

/** Of a dry run it has what a dry run can know. */
const LandAnswer = LandingWire.partial().extend({
  ok: z.boolean().describe("false: refused or ejected"),
  dryRun: z.boolean(),
  id: z.string().nullable().describe("null: nothing was queued"),
  ...LandingWire.pick({ sessionId: true, sessionName: true, into: true, state: true, findings: true }).shape,
});

/** Brings finished work onto a branch. A refused landing is an answer; only a call that cannot be queued is an error. */
export const sessionLand: Syscall = write({
  name: "session.land",
  summary: "Land a session's work on a branch: through the gate, the checks and the branch's queue",
  permission: "landing.write",
  roles: [],
  needs: ["landings", "store"],
  rights: "person",
  heavy: true,
  about: "session",
  input: LandInput,
  output: LandAnswer,
  errors: [
    ...(["session_not_found", "ambiguous_id", "session_busy", "worktree_not_found", "worktree_missing"] as const),
    ...(["branch_not_found", "landing_exists", "nothing_to_land", "not_a_repository", "repository_invalid"] as const),
    ...(["tree_too_large", "git_failed", "git_missing", "disk_full", "disk_low", "quota_exceeded"] as const),
    ...(["overloaded", "sandbox_floor"] as const),
  ],
  http: { method: "POST", path: "/sessions/:id/land" },
  cli: {
    positional: ["id", "into"],
    short: "land",
    says: [
      [
        ["dryRun", true, "Dry run, nothing is queued. {sessionName} onto {into} would be {state}."],
        ["state", "landed", "Landed {sessionName} on {into} as {commit}."],
        ["state", "refused", "The landing of {sessionName} on {into} was refused."],
        ["state", "ejected", "The landing of {sessionName} on {into} was ejected: {reason}."],
        ["state", "queued", "Queued {sessionName} for {into}. Next: nomos landing wait {id}"],
        ["state", "checking", "{sessionName} is being checked for {into}. Next: nomos landing wait {id}"],
      ],
    ],
    rows: "findings",
  },
  commit: async (context, { id, dryRun, waitMs: _waitMs, ...wish }) =>
    dryRun === true ? [] : context.services.landings.land(id, wish, byOf(context)),
  answer: async (context, { id, dryRun = false, waitMs = 0, ...wish }, events) => {
    if (dryRun) return tried(context, id, wish);
    const queued = await landingAfter(context, events);
    if (waitMs === 0) return answered(await recordedWire(context, queued));
    const settled = await waitForLanding(context, queued.id, waitMs).catch(async (thrown: unknown) => {
      if (thrown instanceof NomosError && thrown.code === "wait_timeout" && !context.signal.aborted)
        return landingRowOf(context, queued.id);
      throw thrown;
    });
    return answered(await landingWire(context, settled));
  },
});

function answered(landing: Told): z.input<typeof LandAnswer> {
  return { ok: landing.state !== "refused" && landing.state !== "ejected", dryRun: false, ...landing };
}

type Wish = Omit<z.output<typeof LandInput>, "id" | "dryRun" | "waitMs">;

async function tried(
  context: Context<"landings" | "store">,
  id: string,
  wish: Wish,
): Promise<z.input<typeof LandAnswer>> {
  const { name } = await sessionRowOf(context, id);
  const { findings, checkMs, ...trial } = await context.services.landings.tryOut(id, wish, context.signal);
  const ok = findings.length === 0;
  return {
    ...{ ok, dryRun: true, id: null, sessionId: id, sessionName: name, state: ok ? "landed" : "refused" },
    ...trial,
    ...(checkMs === null ? {} : { checkMs: Math.round(checkMs) }),
    findings: findings.map((finding) => ({ ...finding })),
  };
}
