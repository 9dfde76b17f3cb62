import * as z from "zod";
import { machineLoad } from "../../host/index.ts";
import { TreeStatus, treeStatus } from "../audit/tree-status.ts";
import { read, type Syscall, write } from "../define.ts";
import { WaitingStatus, waitingStatus } from "../queue/waiting-status.ts";
import { VaultStatus, vaultStatus } from "../secret/secret-wire.ts";
import { systemActivity } from "./activity.ts";
import { backupAndGc } from "./backup-and-gc.ts";
import { BoundsStatus, boundsStatus } from "./bounds-status.ts";
import { systemConformance } from "./conformance.ts";
import { systemDoctor } from "./doctor.ts";
import { EngineStatus, engineStatus } from "./engine-status.ts";
import { EXPOSITION_TYPE, exposition } from "./exposition.ts";
import { FollowerStatus, followerStatus } from "./follower-status.ts";
import { gatherMetrics } from "./gather-metrics.ts";
import { logAndBackups } from "./log-and-backups.ts";

export const system: readonly Syscall[] = [
  read({
    name: "system.status",
    summary: "Show the daemon's version, address, recovery results, and use of sessions and storage",
    permission: "system.read",
    roles: ["viewer"],
    needs: ["audit", "bounds", "daemon", "engine", "followers", "models", "secrets", "store", "waiting"],
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
      machine: z.object({
        cores: z.number().int(),
        load: z.number().nullable().describe("processes that run or wait, on average over a minute"),
        memoryBytes: z.number(),
        memoryFreeBytes: z.number(),
      }),
      tree: TreeStatus,
      followers: z.array(FollowerStatus).describe("followers of the log"),
      waiting: WaitingStatus,
      vault: VaultStatus,
      ...EngineStatus.shape,
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
        machine: machineLoad(),
        tree: treeStatus(services, events),
        followers: followerStatus(services.followers.states()),
        waiting: await waitingStatus(services),
        vault: await vaultStatus(services),
        ...engineStatus(services),
        ...(await boundsStatus(services)),
      };
    },
  }),
  read({
    name: "system.metrics",
    summary: "Show the metrics in the Prometheus text format",
    permission: "system.read",
    roles: ["viewer"],
    needs: [
      "audit",
      "bounds",
      "census",
      "daemon",
      "engine",
      "eventLoop",
      "followers",
      "instruments",
      "redactor",
      "store",
      "waiting",
    ],
    about: "system",
    input: z.object({}),
    output: z.object({ metrics: z.string() }),
    errors: [],
    http: { method: "GET", path: "/api/metrics", aliases: ["/metrics"], text: "metrics", textType: EXPOSITION_TYPE },
    cli: { positional: [] },
    answer: async ({ services }) => ({ metrics: services.redactor.text(exposition(await gatherMetrics(services))) }),
  }),
  systemDoctor,
  systemConformance,
  ...backupAndGc,
  systemActivity,
  ...logAndBackups,
  write({
    name: "system.shutdown",
    summary: "Stop the daemon: running turns end and every session hibernates; nothing is lost",
    permission: "system.admin",
    roles: [],
    needs: ["daemon"],
    about: "system",
    input: z.object({}),
    output: z.object({ ok: z.literal(true), pid: z.number().int() }),
    errors: [],
    http: { method: "POST", path: "/api/shutdown" },
    cli: { positional: [], says: ["The daemon ends (pid {pid})."] },
    destructive: true,
    idempotent: true,
    commit: async () => [],
    answer: async ({ services }) => {
      services.daemon.shutDown();
      return { ok: true as const, pid: services.daemon.pid };
    },
  }),
];
