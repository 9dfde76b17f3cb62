import { z } from "zod";
import { NomosError, SessionId } from "../../contract/index.ts";
import { type Actor, decideGate } from "../../kernel/index.ts";
import { AuditProblem, checked } from "../audit/audit-verify.ts";
import { TreeStatus, treeStatus } from "../audit/tree-status.ts";
import { type Context, read, type Syscall, write } from "../define.ts";
import { EXPOSITION_TYPE, exposition } from "../metrics/exposition.ts";
import { gatherMetrics } from "../metrics/gather.ts";
import { isInTime, WaitingStatus, waitingStatus } from "../queue/waiting-status.ts";
import type { Services } from "../services.ts";
import { byOf } from "../session/answer.ts";
import { BoundsStatus, boundsStatus } from "./bounds-status.ts";
import { FollowerStatus, followerStatus } from "./follower-status.ts";

const Problem = z.object({ stream: z.string(), version: z.number(), seq: z.number().nullable(), problem: z.string() });
/** Looking is everybody's who may read the system; writing anew what was found is not. */
async function snapshotsReport({ checkSnapshots }: Services) {
  const { damaged, broken, ...found } = await checkSnapshots();
  const ok = damaged.length + broken.length + found.missing === 0;
  return { ok, ...found, damaged: [...damaged], broken: [...broken] };
}

async function examine(
  services: Services,
  progress: Context["progress"],
  { rebuild, repair }: { readonly rebuild: boolean; readonly repair: boolean },
) {
  const log = await services.store.verify((done, total) => progress({ message: "checking the log", done, total }));
  const models = rebuild ? await services.store.rebuild(repair ? { fence: services.fence } : null) : null;
  const { root: _root, ...tree } = await checked(services.audit.check, repair);
  // Anew only where the log is whole: what was made out of it is evidence otherwise.
  await tryFailing(services, repair && log.ok && tree.ok);
  const followers = followerStatus(services.followers.states());
  const areFollowing = followers.every(({ state }) => state !== "failing");
  const waiting = await waitingStatus(services);
  const snapshots = await snapshotsReport(services);
  const home = await homeReport(services);
  return {
    ok:
      log.ok &&
      (models === null || models.ok) &&
      tree.ok &&
      areFollowing &&
      isInTime(waiting) &&
      snapshots.ok &&
      home.ok,
    log: { ...log, problems: [...log.problems] },
    models: models === null ? null : { ...models, differences: [...models.differences] },
    tree: { ...tree, problems: [...tree.problems] },
    followers,
    waiting,
    snapshots,
    home,
    sandbox: services.daemon.sandbox,
    ...(await boundsStatus(services)),
  };
}

/** Whoever asks shall not be told of what is over by now. One that fails again says so in its state. */
async function tryFailing({ followers }: Services, isAnew: boolean): Promise<void> {
  const failing = followers.states().filter(({ state }) => state === "failing");
  const tryOne = async (name: string): Promise<void> => {
    if (isAnew) await followers.restart(name);
    await followers.caughtUp(name);
  };
  await Promise.allSettled(failing.map(({ name }) => tryOne(name)));
}

async function homeReport({ homeState }: Services) {
  const { left, aside } = await homeState();
  return { ok: left.length === 0, left: [...left], aside: [...aside] };
}

function mayAdminister({ policy }: Services, actor: Actor): boolean {
  return decideGate(actor, { verb: "system.admin", resource: "system", tool: null }, policy).verdict === "allow";
}

const Flag = z
  .union([z.boolean(), z.enum(["true", "false", "1", "0"]).transform((text) => text === "true" || text === "1")])
  .optional();

export const system: readonly Syscall[] = [
  read({
    name: "system.status",
    summary: "Show the daemon's version, address, recovery results, and use of sessions and storage",
    permission: "system.read",
    about: "system",
    input: z.object({}),
    output: z.object({
      service: z.literal("nomos"),
      status: z.literal("ok"),
      version: z.string(),
      pid: z.number().int(),
      port: z.number().int(),
      home: z.string(),
      uptimeMs: z.number(),
      events: z.number().int(),
      recovery: z.object({ sessions: z.number().int(), interrupted: z.number().int(), ms: z.number() }),
      sandbox: z.object({ bubblewrap: z.string().nullable(), remedy: z.string().nullable() }),
      limits: z
        .object({ memoryMb: z.number().nullable(), openFilesMax: z.number().nullable(), held: z.boolean() })
        .describe("limits of each process of a session; `held` is false where the system enforces none"),
      tree: TreeStatus,
      followers: z.array(FollowerStatus).describe("followers of the log"),
      waiting: WaitingStatus,
      ...BoundsStatus.shape,
    }),
    errors: [],
    http: { method: "GET", path: "/api/status" },
    cli: { positional: [], short: "status" },
    answer: async ({ services }) => {
      const { version, pid, home, port, startedAtMs, recovery, sandbox } = services.daemon;
      const uptimeMs = Math.max(0, Date.now() - startedAtMs);
      const events = await services.store.lastSeq();
      return {
        service: "nomos" as const,
        status: "ok" as const,
        version,
        pid,
        port: port(),
        home,
        uptimeMs,
        events,
        recovery: recovery(),
        sandbox,
        limits: services.daemon.limits(),
        tree: treeStatus(services, events),
        followers: followerStatus(services.followers.states()),
        waiting: await waitingStatus(services),
        ...(await boundsStatus(services)),
      };
    },
  }),
  read({
    name: "system.metrics",
    summary: "Show the metrics in the Prometheus text format",
    permission: "system.read",
    about: "system",
    input: z.object({}),
    output: z.object({ metrics: z.string() }),
    errors: [],
    http: { method: "GET", path: "/api/metrics", text: "metrics", textType: EXPOSITION_TYPE },
    cli: { positional: [] },
    answer: async ({ services }) => ({ metrics: exposition(await gatherMetrics(services)) }),
  }),
  read({
    name: "system.doctor",
    summary: "Check every byte of the log and its tree; with `rebuild`, also compare the read models with the log",
    permission: "system.read",
    heavy: true,
    about: "system",
    input: z.object({ rebuild: Flag, repair: Flag }),
    output: z.object({
      ok: z.boolean(),
      log: z.object({ ok: z.boolean(), events: z.number(), streams: z.number(), problems: z.array(Problem) }),
      models: z
        .object({
          ok: z.boolean(),
          streams: z.number(),
          rows: z.number(),
          differences: z.array(
            z.object({ model: z.string(), id: z.string(), what: z.enum(["missing", "extra", "differs"]) }),
          ),
        })
        .nullable(),
      tree: z
        .object({ ok: z.boolean(), size: z.number(), problems: z.array(AuditProblem) })
        .describe("the tree, compared with the log and with its signed checkpoint"),
      followers: z.array(FollowerStatus).describe("followers of the log; `repair` rebuilds one that fails"),
      waiting: WaitingStatus,
      snapshots: z
        .object({
          ok: z.boolean(),
          packs: z.number(),
          bytes: z.number(),
          damaged: z.array(z.string()).describe("unreadable packs"),
          broken: z.array(z.string()).describe("snapshots whose list of files cannot be read"),
          missing: z.number().describe("file contents that snapshots name but that are missing"),
          gone: z.number().describe("snapshots with no contents left, as in a restored home"),
        })
        .describe("the snapshots that rewinds restore files from"),
      home: z
        .object({
          ok: z.boolean(),
          left: z
            .array(z.object({ path: z.string(), reason: z.string(), remedy: z.string() }))
            .describe("files of agents that could not be removed; Nomos tries again"),
          aside: z.array(z.string()).describe("files that blocked a start and were moved aside"),
        })
        .describe("files in the home that do not belong there"),
      sandbox: z.object({ bubblewrap: z.string().nullable(), remedy: z.string().nullable() }),
      ...BoundsStatus.shape,
    }),
    errors: ["overloaded", "log_corrupt"],
    http: { method: "GET", path: "/api/doctor" },
    cli: { positional: [] },
    answer: async ({ services, actor, progress }, { rebuild, repair }) => {
      const mayMend = mayAdminister(services, actor);
      if (repair === true && !mayMend) throw new NomosError("denied", { capability: "system.admin" });
      if (repair === true) return examine(services, progress, { rebuild: true, repair });
      const given = { rebuild: rebuild === true, repair: false };
      return services.heavy.shared(`doctor:${given.rebuild}`, mayMend, () => examine(services, progress, given));
    },
  }),
  write({
    name: "session.erase",
    summary: "Erase the data of events for good; their headers stay, so the chain and old proofs stay valid",
    permission: "session.erase",
    about: "session",
    input: z.object({
      id: SessionId,
      events: z.array(z.string().max(64)).min(1).max(1000),
      reason: z.string().max(500).optional(),
    }),
    output: z.object({ ok: z.boolean(), erased: z.array(z.string()) }),
    errors: ["session_not_found", "event_not_found", "session_busy", "not_erasable"],
    http: { method: "POST", path: "/sessions/:id/erase" },
    cli: { positional: ["id", "events"] },
    destructive: true,
    commit: (context, { id, events, reason }) =>
      context.services.supervisor.erase(id, events, reason ?? "asked to", byOf(context)),
    answer: async (_context, { events }) => ({ ok: true, erased: events }),
  }),
  read({
    name: "config.show",
    summary: "Show the configuration in use; possible secrets are hidden",
    permission: "system.read",
    about: "system",
    input: z.object({}),
    output: z.object({ config: z.record(z.string(), z.unknown()) }),
    errors: [],
    http: { method: "GET", path: "/api/config" },
    cli: { positional: [], short: "config" },
    answer: async ({ services }) => ({ config: { ...services.config.shown() } }),
  }),
  write({
    name: "config.set",
    summary: "Change settings; null removes one, and a hidden value sent back leaves the setting unchanged",
    permission: "system.admin",
    rights: "person",
    about: "system",
    input: z.object({ config: z.record(z.string().max(64), z.unknown()) }),
    output: z.object({ config: z.record(z.string(), z.unknown()), restart: z.array(z.string()) }),
    errors: ["sandbox_floor", "invalid_request"],
    http: { method: "PUT", path: "/api/config" },
    cli: { positional: [] },
    idempotent: true,
    commit: async ({ services }, { config }) => {
      await services.config.change(config);
      await services.agents.ensureBuiltIn(services.drivers.slugs());
      return [];
    },
    answer: async ({ services }, { config }) => ({
      config: { ...services.config.shown() },
      restart: services.config.needRestart(Object.keys(config)),
    }),
  }),
  write({
    name: "system.shutdown",
    summary: "Stop the daemon: running turns end and every session hibernates; nothing is lost",
    permission: "system.admin",
    about: "system",
    input: z.object({}),
    output: z.object({ ok: z.literal(true), pid: z.number().int() }),
    errors: [],
    http: { method: "POST", path: "/api/shutdown" },
    cli: { positional: [] },
    destructive: true,
    idempotent: true,
    commit: async () => [],
    answer: async ({ services }) => {
      services.daemon.shutDown();
      return { ok: true as const, pid: services.daemon.pid };
    },
  }),
];
