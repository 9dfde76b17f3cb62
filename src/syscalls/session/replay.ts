import * as z from "zod";
import { Config, ModelName, NomosError, SessionId, SpentWire, spentWire } from "../../contract/index.ts";
import { decideGate } from "../../domains/index.ts";
import type { SessionReplay } from "../../services/index.ts";
import { refuseBelow } from "../../supervisor/index.ts";
import { type Context, read, type Syscall } from "../define.ts";

const MICRO = 1_000_000;
/** Of each list in the answer. */
const LISTED_MAX = 1000;

/** As `policy` of the configuration. */
const PolicyWire = z.object({ rules: Config.shape.policy.unwrap().shape.rules });

const DivergenceWire = z.object({
  eventId: z.string().describe("the recorded event, or the last one before"),
  turnId: z.string(),
  step: z.number().int().describe("which answer of the turn, from 1"),
  in: z.enum(["engine", "calls", "text"]).describe("`engine`: its loop decides otherwise; else the model answers so"),
  recorded: z.string(),
  replayed: z.string(),
});

const JudgedWire = z.object({
  eventId: z.string(),
  turnId: z.string(),
  callId: z.string().nullable(),
  title: z.string(),
  verb: z.string(),
  resource: z.string(),
  rules: z.array(z.string()),
  was: z.enum(["allowed", "asked", "refused"]).describe("what was decided then"),
});

const ReplayWire = z.object({
  id: z.string(),
  diverged: z.boolean(),
  at: z.string().optional().describe("the event of the first divergence"),
  until: z.string().nullable().describe("the last event that was replayed"),
  turns: z.array(
    z.object({
      turnId: z.string(),
      eventId: z.string().describe("of its start"),
      kind: z.enum(["own", "foreign"]).describe("`foreign`: another agent's turn; its calls are judged, not run again"),
      steps: z.number().int(),
      calls: z.number().int(),
      is: z.enum(["same", "diverged", "skipped"]),
      divergences: z.array(DivergenceWire),
      text: z.string().nullable().describe("what was said last, by the other model where it was asked; its beginning"),
      note: z.string().nullable(),
    }),
  ),
  steps: z.number().int(),
  spent: SpentWire.describe("as recorded"),
  wouldCost: z
    .object({ model: z.string(), costUsd: z.number().nullable().describe("null: its price is unknown") })
    .optional()
    .describe("the recorded tokens at the other model's prices"),
  compared: z
    .object({ model: z.string(), answers: z.number().int(), spent: SpentWire })
    .optional()
    .describe("what the other model was asked, and what that cost"),
  policy: z.enum(["current", "given"]),
  judged: z.number().int().describe("calls that the policy was asked about"),
  refused: z.array(JudgedWire).describe("calls that the policy refuses"),
  asked: z.array(JudgedWire).describe("calls that a person would be asked about"),
  more: z.number().int().describe("entries of these lists that are left out"),
  notes: z.array(z.string()),
});

/** Runs recorded sessions again. */
export const sessionReplay: readonly Syscall[] = [
  read({
    name: "session.replay",
    summary: "Run a recorded session again on its recorded results: where it diverges, its cost, what a policy refuses",
    permission: "session.read",
    roles: ["viewer", "session", "below"],
    needs: ["policy", "replays"],
    heavy: true,
    about: "session",
    input: z.object({
      id: SessionId,
      model: ModelName.optional().describe("another model that is asked at each recorded step; that costs money"),
      policy: PolicyWire.optional().describe("rules as in `policy` of the configuration; default: the current ones"),
      until: z.string().min(1).max(200).optional().describe("an event id or a label: only up to there"),
      all: z.boolean().optional().describe("go on after a divergence of the model, along the record"),
      callsOnly: z.boolean().optional().describe("compare which calls the model makes, and not its words"),
      budget: z.number().min(0).max(10_000).optional().describe("dollars that asking the model may cost"),
    }),
    output: ReplayWire,
    errors: [
      "overloaded",
      "sandbox_floor",
      "session_not_found",
      "session_archived",
      "event_not_found",
      "replay_too_large",
      "unknown_model",
      "model_auth",
      "model_billing",
      "model_failed",
      "model_unreachable",
      "model_overflow",
      "quota_reached",
      "engine_failed",
    ],
    http: { method: "POST", path: "/sessions/:id/replay" },
    cli: {
      positional: ["id"],
      short: "replay",
      files: ["policy"],
      print: "replay",
      succeeds: { member: "diverged", value: "false" },
    },
    answer: async (context, { id, policy, budget, ...given }) => {
      if (given.model !== undefined) requireSpending(context);
      const replayed = await context.services.replays.replay(id, {
        ...given,
        rules: policy?.rules,
        budgetUsd: budget,
        signal: context.signal,
        onStep: (done, total) => {
          if (done % STEPS_TOLD === 0) context.progress({ message: "replaying", done, total });
        },
      });
      return replayWire(id, replayed, { model: given.model, policy: policy === undefined ? "current" : "given" });
    },
  }),
];

const STEPS_TOLD = 20;
const SPENDING = "model.write";

/** Asking a model costs money: whoever may only read may not. */
function requireSpending({ actor, services: { policy } }: Context<"policy">): void {
  const { verdict, rules } = decideGate(actor, { verb: SPENDING, resource: "system", tool: null }, policy.current());
  if (verdict !== "allow") throw new NomosError("denied", { capability: SPENDING, rules: [...rules] });
  refuseBelow(actor.floor, "off");
}

function replayWire(
  id: string,
  replayed: SessionReplay,
  { model, policy }: { readonly model: string | undefined; readonly policy: "current" | "given" },
): z.input<typeof ReplayWire> {
  const { turns, refused, asked, wouldCostMicroUsd, compared, asking } = replayed;
  const first = turns.flatMap(({ divergences }) => divergences)[0];
  const lists = [turns, refused, asked];
  return {
    ...{ id, diverged: first !== undefined, ...(first === undefined ? {} : { at: first.eventId }) },
    until: replayed.until,
    turns: turns
      .slice(0, LISTED_MAX)
      .map((turn) => ({ ...turn, divergences: turn.divergences.map((one) => ({ ...one })) })),
    steps: turns.reduce((sum, { steps }) => sum + steps, 0),
    spent: spentWire(replayed.spent),
    ...(model === undefined
      ? {}
      : {
          wouldCost: { model, costUsd: wouldCostMicroUsd === null ? null : wouldCostMicroUsd / MICRO },
          compared: { model, answers: compared, spent: spentWire(asking) },
        }),
    ...{ policy, judged: replayed.judged },
    refused: refused.slice(0, LISTED_MAX).map((one) => ({ ...one, rules: [...one.rules] })),
    asked: asked.slice(0, LISTED_MAX).map((one) => ({ ...one, rules: [...one.rules] })),
    more: lists.reduce((sum, list) => sum + Math.max(0, list.length - LISTED_MAX), 0),
    notes: notesOf(replayed, model),
  };
}

function notesOf({ turns, notes, isRunning }: SessionReplay, model: string | undefined): string[] {
  const skipped = turns.filter(({ is }) => is === "skipped");
  const foreign = turns.filter(({ kind, calls }) => kind === "foreign" && calls > 0).length;
  return [
    ...notes,
    ...(isRunning ? ["A turn is still running: what it has recorded so far was replayed."] : []),
    ...skipped.slice(0, NOTES_MAX).map(({ turnId, note }) => `The turn ${turnId} cannot be replayed: ${note}.`),
    ...(foreign > 0 && model !== undefined
      ? [`${foreign} turns are another agent's: the model was not asked about them.`]
      : []),
  ];
}

const NOTES_MAX = 20;
