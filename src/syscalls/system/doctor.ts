import * as z from "zod";
import { NomosError } from "../../contract/index.ts";
import { type Actor, decideGate } from "../../domains/index.ts";
import { checked } from "../../services/index.ts";
import { areAgreed, EvidenceStatus, evidenceStatus } from "../audit/anchor-status.ts";
import { AuditProblem } from "../audit/audit-verify.ts";
import { type Context, read, type Syscall } from "../define.ts";
import { Flag } from "../query-text.ts";
import { isInTime, WaitingStatus, waitingStatus } from "../queue/waiting-status.ts";
import { VaultStatus, vaultStatus } from "../secret/secret-wire.ts";
import type { Services } from "../services.ts";
import { BoundsStatus, boundsStatus } from "./bounds-status.ts";
import { FollowerStatus, followerStatus } from "./follower-status.ts";

const Problem = z.object({ stream: z.string(), version: z.number(), seq: z.number().nullable(), problem: z.string() });

export const systemDoctor: Syscall = read({
  name: "system.doctor",
  summary: "Check every byte of the log and its tree; with `rebuild`, also compare the read models with the log",
  permission: "system.read",
  roles: ["viewer"],
  needs: [
    "audit",
    "bounds",
    "checkSnapshots",
    "daemon",
    "fence",
    "followers",
    "heavy",
    "homeState",
    "policy",
    "secrets",
    "store",
    "waiting",
  ],
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
      .describe("the tree, compared with the log and the signed checkpoints"),
    followers: z.array(FollowerStatus).describe("followers of the log; `repair` rebuilds a failing one"),
    waiting: WaitingStatus,
    snapshots: z
      .object({
        ok: z.boolean(),
        packs: z.number(),
        bytes: z.number(),
        damaged: z.array(z.string()).describe("packs that cannot be read"),
        broken: z.array(z.string()).describe("snapshots whose list of files cannot be read"),
        missing: z.number().describe("file contents that snapshots name but that are missing"),
        gone: z.number().describe("snapshots that are missing completely, as in a restored home"),
      })
      .describe("the snapshots that rewinds restore from"),
    home: z
      .object({
        ok: z.boolean(),
        left: z
          .array(z.object({ path: z.string(), reason: z.string(), remedy: z.string() }))
          .describe("folders left by agents that could not be removed yet; Nomos tries again"),
        aside: z.array(z.string()).describe("files that blocked a start and were moved aside"),
      })
      .describe("leftovers in the home"),
    vault: VaultStatus.extend({ lost: z.number().int().describe("secrets whose value the vault does not hold") }),
    sandbox: z.object({ bubblewrap: z.string().nullable(), remedy: z.string().nullable() }),
    ...EvidenceStatus.shape,
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
});

async function snapshotsReport({ checkSnapshots }: Pick<Services, "checkSnapshots">) {
  const { damaged, broken, ...found } = await checkSnapshots();
  const ok = damaged.length + broken.length + found.missing === 0;
  return { ok, ...found, damaged: [...damaged], broken: [...broken] };
}

async function examine(
  services: Pick<
    Services,
    | "audit"
    | "bounds"
    | "checkSnapshots"
    | "daemon"
    | "fence"
    | "followers"
    | "homeState"
    | "secrets"
    | "store"
    | "waiting"
  >,
  progress: Context["progress"],
  { rebuild, repair }: { readonly rebuild: boolean; readonly repair: boolean },
) {
  const log = await services.store.verify((done, total) => progress({ message: "checking the log", done, total }));
  const models = rebuild ? await services.store.rebuild(repair ? { fence: services.fence } : null) : null;
  const { root: _root, ...tree } = await checked(services.audit.check, repair);
  // Rebuild followers only if the log is intact: otherwise their data is evidence.
  await tryFailing(services, repair && log.ok && tree.ok);
  const followers = followerStatus(services.followers.states());
  const areFollowing = followers.every(({ state }) => state !== "failing");
  const waiting = await waitingStatus(services);
  const snapshots = await snapshotsReport(services);
  const home = await homeReport(services);
  const evidence = await evidenceStatus(services);
  return {
    ok:
      log.ok &&
      (models === null || models.ok) &&
      tree.ok &&
      areFollowing &&
      isInTime(waiting) &&
      snapshots.ok &&
      areAgreed(evidence.anchors) &&
      home.ok,
    log: { ...log, problems: [...log.problems] },
    models: models === null ? null : { ...models, differences: [...models.differences] },
    tree: { ...tree, problems: [...tree.problems] },
    followers,
    waiting,
    snapshots,
    home,
    vault: { ...(await vaultStatus(services)), lost: await services.secrets.lost() },
    sandbox: services.daemon.sandbox,
    ...evidence,
    ...(await boundsStatus(services)),
  };
}

/** Retries failing followers, so that the report shows no problem that is already over. */
async function tryFailing({ followers }: Pick<Services, "followers">, isAnew: boolean): Promise<void> {
  const failing = followers.states().filter(({ state }) => state === "failing");
  const tryOne = async (name: string): Promise<void> => {
    if (isAnew) await followers.restart(name);
    await followers.caughtUp(name);
  };
  await Promise.allSettled(failing.map(({ name }) => tryOne(name)));
}

/** Directories of forks that are kept on purpose; no fault. */
const KEPT_ON_PURPOSE: readonly string[] = ["work", "in_use"];

async function homeReport({ homeState }: Pick<Services, "homeState">) {
  const { left, aside } = await homeState();
  return { ok: left.every(({ reason }) => KEPT_ON_PURPOSE.includes(reason)), left: [...left], aside: [...aside] };
}

/** Checking needs read access; repairing needs `system.admin`. */
function mayAdminister({ policy }: Pick<Services, "policy">, actor: Actor): boolean {
  return (
    decideGate(actor, { verb: "system.admin", resource: "system", tool: null }, policy.current()).verdict === "allow"
  );
}
