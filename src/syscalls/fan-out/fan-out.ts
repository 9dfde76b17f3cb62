import * as z from "zod";
import { FANOUTS } from "../../domains/index.ts";
import { type Context, read, type Syscall, stream } from "../define.ts";
import { Flag, Limit } from "../query-text.ts";
import { lookUntil } from "../session/wait.ts";
import { finishFanout } from "./finish.ts";
import { hearsOf, isDone, progressOf, watch } from "./follow.ts";
import { about, byId, MISSING, names, Who, whoIs } from "./named.ts";
import { fanoutStart } from "./start.ts";
import { CandidateWire, candidateWire, FanoutRowWire, FanoutWire, fanoutRowWire, fanoutWire } from "./wire.ts";

const LIST_DEFAULT = 50;
const LIST_MAX = 500;
const WAIT_MS = 600_000;
const WAIT_MS_MAX = 3_600_000;
const PATCH_BYTES_MAX = 4_194_304;

/** One prompt, several worktrees, one result. */
export const fanOut: readonly Syscall[] = [
  fanoutStart,
  read({
    name: "fan-out.list",
    summary: "List fan-outs, newest first",
    permission: "fanout.read",
    roles: ["viewer"],
    needs: ["store"],
    about: "system",
    input: z.object({
      open: Flag.describe("only those that are not settled"),
      limit: Limit(LIST_MAX),
      after: z.string().max(100).optional().describe("`next` of the previous page"),
    }),
    output: z.object({ fanOuts: z.array(FanoutRowWire), next: z.string().nullable() }),
    errors: [],
    http: { method: "GET", path: "/api/fan-outs" },
    cli: { positional: [] },
    answer: async ({ services }, { open, limit = LIST_DEFAULT, after }) => {
      const where = open === true ? { open: true } : {};
      const place = after === undefined ? {} : { after: { id: after } };
      const rows = await services.store.rows(FANOUTS, { limit, where, ...place });
      return { fanOuts: rows.map(fanoutRowWire), next: rows.length < limit ? null : (rows.at(-1)?.id ?? null) };
    },
  }),
  read({
    name: "fan-out.show",
    summary: "Compare the candidates of a fan-out: checks, size, time and cost, the best first",
    permission: "fanout.read",
    roles: ["viewer"],
    needs: ["fanOuts"],
    about,
    names,
    input: byId,
    output: FanoutWire,
    errors: MISSING,
    http: { method: "GET", path: "/api/fan-outs/:id" },
    cli: { positional: ["id"], print: "fan-out" },
    answer: async ({ services }, { id }) => fanoutWire(await services.fanOuts.show(id)),
  }),
  read({
    name: "fan-out.wait",
    summary: "Wait until no candidate of a fan-out works any more, and compare them",
    permission: "fanout.read",
    roles: ["viewer"],
    needs: ["fanOuts", "store"],
    about,
    names,
    input: byId.extend({ timeoutMs: z.coerce.number().int().min(0).max(WAIT_MS_MAX).optional() }),
    output: FanoutWire,
    errors: [...MISSING, "wait_timeout"],
    http: { method: "GET", path: "/api/fan-outs/:id/wait" },
    cli: { positional: ["id"], print: "fan-out" },
    answer: async (context, { id, timeoutMs = WAIT_MS }) => {
      const { fanOuts } = context.services;
      const hears = hearsOf(id, await fanOuts.show(id));
      const done = await lookUntil(context, { id, timeoutMs, hears }, async () => {
        const shown = await fanOuts.show(id);
        context.progress({ message: progressOf(shown) });
        return isDone(shown) ? shown : null;
      });
      return fanoutWire(done);
    },
  }),
  stream({
    name: "fan-out.watch",
    summary: "Follow a fan-out: the comparison after each change, until no candidate works any more",
    permission: "fanout.read",
    roles: ["viewer"],
    needs: ["fanOuts", "store"],
    about,
    names,
    input: byId,
    output: FanoutWire,
    errors: MISSING,
    http: { method: "GET", path: "/api/fan-outs/:id/stream" },
    cli: { positional: ["id"] },
    items: async (context, { id }) => watch(context, id, await context.services.fanOuts.show(id)),
  }),
  read({
    name: "fan-out.diff",
    summary: "Show what each candidate of a fan-out changed, as a patch",
    permission: "fanout.read",
    roles: ["viewer"],
    needs: ["fanOuts"],
    heavy: true,
    about,
    names,
    input: byId.extend({ session: Who.optional().describe("only this candidate: its session or its agent") }),
    output: z.object({
      id: z.string(),
      diffs: z.array(
        CandidateWire.pick({ sessionId: true, name: true, agent: true }).extend({
          files: z.array(z.object({ path: z.string(), added: z.number(), removed: z.number() })),
          patch: z.string().nullable().describe("as `git apply` takes it; null: too large, or the worktree is gone"),
          why: z.string().optional().describe("why there is no patch"),
        }),
      ),
    }),
    errors: [...MISSING, "overloaded", "fanout_candidate_not_found"],
    http: { method: "GET", path: "/api/fan-outs/:id/diff" },
    cli: { positional: ["id", "session"], print: "fan-out-diff" },
    answer: async ({ services: { fanOuts } }, { id, session }) => ({ id, diffs: await diffsOf(fanOuts, id, session) }),
  }),
  ...finishFanout,
];

type FanOuts = Context<"fanOuts">["services"]["fanOuts"];

async function diffsOf(fanOuts: FanOuts, id: string, session: string | undefined) {
  const found = [];
  for (const one of await fanOuts.candidates(id, session)) {
    const who = whoIs(candidateWire(one));
    const changes = await fanOuts.changes(one.sessionId, PATCH_BYTES_MAX).catch((thrown: unknown) => reasonOf(thrown));
    if (typeof changes === "string") found.push({ ...who, files: [], patch: null, why: changes });
    else
      found.push({
        ...{ ...who, files: changes.files.map((file) => ({ ...file })), patch: changes.patch },
        ...(changes.patch === null ? { why: "the patch is too large" } : {}),
      });
  }
  return found;
}

function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
