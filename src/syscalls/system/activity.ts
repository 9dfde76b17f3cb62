import * as z from "zod";
import { SpentWire, spentWire } from "../../contract/index.ts";
import { readActivity } from "../../services/index.ts";
import { read, type Syscall } from "../define.ts";
import { firstSince } from "../event/event-page.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const DAYS_MAX = 92;

const Input = z.object({
  since: z.iso.datetime().optional().describe(`default: a day before \`until\`; at most ${DAYS_MAX} days before it`),
  until: z.iso.datetime().optional().describe("default: now"),
  step: z
    .union([z.literal(15), z.literal(60), z.enum(["15", "60"]).transform(Number)])
    .optional()
    .describe("minutes that are one sum; 15 suits every time zone"),
  after: z.coerce.number().int().min(1).optional().describe("the `next` of the part before, with the same times"),
});

export const systemActivity: Syscall = read({
  name: "system.activity",
  summary: "Sum up turns, tokens and cost by time, agent, workspace and model",
  permission: "system.read",
  roles: ["viewer"],
  needs: ["store"],
  heavy: true,
  about: "system",
  input: Input,
  output: z.object({
    since: z.string(),
    until: z.string(),
    step: z.number().int(),
    parts: z
      .array(
        z.object({
          at: z.string().describe("the beginning of the step"),
          agent: z.string().nullable().describe("null: erased"),
          workspace: z.string().nullable(),
          model: z.string().nullable().describe("the session's model now; null: not told"),
          turns: z.number().int().describe("turns that ended"),
          spent: SpentWire.optional().describe("absent when the agents told nothing: that is not 0"),
        }),
      )
      .describe("to be summed with those of the other parts"),
    working: z
      .array(z.object({ at: z.string(), busyMs: z.number() }))
      .describe("time of all turns in a step; divided by the step: how many sessions worked at once"),
    next: z.number().int().nullable().describe("null: this is all; else an older part follows `after` it"),
  }),
  errors: ["overloaded"],
  http: { method: "GET", path: "/api/activity" },
  cli: { positional: [] },
  answer: async ({ services: { store } }, input) => {
    const nowMs = Date.now();
    const untilMs = Math.min(nowMs, input.until === undefined ? nowMs : Date.parse(input.until));
    const asked = input.since === undefined ? untilMs - DAY_MS : Date.parse(input.since);
    const sinceMs = Math.max(asked, untilMs - DAYS_MAX * DAY_MS);
    const [since, until] = [new Date(sinceMs).toISOString(), new Date(untilMs).toISOString()];
    const step = input.step ?? 60;
    const { parts, working, next } = await readActivity(store, {
      ...{ sinceMs, untilMs, stepMs: step * MINUTE_MS },
      after: (await firstSince(store, since)) - 1,
      before: input.after ?? (untilMs === nowMs ? Number.MAX_SAFE_INTEGER : await firstSince(store, until)),
      withRunning: input.after === undefined && untilMs === nowMs,
    });
    return {
      ...{ since, until, step },
      parts: parts.map(({ atMs, spent, ...part }) => ({
        at: new Date(atMs).toISOString(),
        ...part,
        ...(spent === null ? {} : { spent: spentWire(spent) }),
      })),
      working: working.map(({ atMs, busyMs }) => ({ at: new Date(atMs).toISOString(), busyMs })),
      next,
    };
  },
});
