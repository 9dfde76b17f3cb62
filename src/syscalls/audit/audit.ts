import * as z from "zod";
import { EventWire, NomosError } from "../../contract/index.ts";
import { hex, SYSTEM_EVENTS } from "../../domains/index.ts";
import { dataIn } from "../../kernel/index.ts";
import { type Context, read, type Syscall, write } from "../define.ts";
import { type Output, outputPlace } from "../output-place.ts";
import { byOf } from "../session/answer.ts";
import { refuseOwnPlace } from "../session/reach.ts";
import { auditAgent } from "./audit-agent.ts";
import { auditEntries, Order } from "./audit-entries.ts";
import { AuditProblem, verifyAll } from "./audit-verify.ts";
import { EventProof, eventProof, Hashes } from "./event-proof.ts";

const EXPORT: Output = {
  folder: "exports",
  refused: (details) => new NomosError("export_refused", details),
};
const ENTRIES_MAX = 1000;
const Size = z.coerce.number().int().min(0);
const about = "system" as const;

export const audit: readonly Syscall[] = [
  auditEntries,
  read({
    name: "audit.verify",
    summary: "Check the hashes and position of every event, and the tree against its signed checkpoint",
    permission: "audit.read",
    roles: ["viewer"],
    needs: ["audit", "heavy", "store"],
    heavy: true,
    about,
    input: z.object({}),
    output: z.object({
      ok: z.boolean(),
      size: z.number().int(),
      root: z.string().describe("root of the tree over all events, computed from the log by this call"),
      problems: z.array(AuditProblem),
    }),
    errors: ["overloaded"],
    http: { method: "GET", path: "/api/audit/verify" },
    cli: {
      positional: [],
      says: [
        ["ok", true, "The log is intact: {size|event}."],
        ["ok", false, "The log is damaged: {problems.length|problem}."],
        "{problems|lines}",
        "Root {root}.",
      ],
    },
    answer: ({ services, actor, progress }) =>
      services.heavy.shared("verify", actor.capabilities.includes("*"), () => verifyAll(services, progress)),
  }),
  read({
    name: "audit.checkpoint",
    summary: "Show the newest signed checkpoint as a C2SP signed note; as JSON, also the key that verifies it",
    permission: "audit.read",
    roles: ["viewer"],
    needs: ["audit"],
    about,
    input: z.object({}),
    output: z.object({
      checkpoint: z.string(),
      key: z.string(),
      size: z.number().int(),
      root: z.string(),
      cosigned: z.string().nullable().describe("the newest checkpoint that a witness has also signed"),
    }),
    errors: [],
    http: { method: "GET", path: "/api/audit/checkpoint", text: "checkpoint" },
    cli: { positional: [] },
    answer: async ({ services: { audit: service } }) => {
      const { note, size, root } = await service.checkpoints.reach(0);
      return { checkpoint: note, key: service.key, size, root: hex(root), cosigned: await service.cosigned() };
    },
  }),
  read({
    name: "audit.proof",
    summary: "Prove that an event is in the signed log",
    permission: "audit.read",
    roles: ["viewer"],
    needs: ["audit", "secrets", "store"],
    about,
    input: z.object({ eventId: z.string().max(64) }),
    output: EventProof,
    errors: ["event_not_found", "tile_missing"],
    http: { method: "GET", path: "/api/audit/proof/:eventId" },
    cli: { positional: ["eventId"] },
    answer: (context, { eventId }) => eventProof(context, eventId),
  }),
  read({
    name: "audit.consistency",
    summary: "Prove that the log still begins with the events it had at an earlier size",
    permission: "audit.read",
    roles: ["viewer"],
    needs: ["audit", "store"],
    about,
    input: z.object({ from: Size, to: Size.optional().describe("default: the newest checkpoint") }),
    output: z.object({
      from: z.number().int(),
      to: z.number().int(),
      fromRoot: z.string(),
      toRoot: z.string(),
      hashes: Hashes,
      checkpoint: z.string(),
    }),
    errors: ["tile_missing"],
    http: { method: "GET", path: "/api/audit/consistency" },
    cli: { positional: ["from", "to"] },
    answer: consistency,
  }),
  read({
    name: "audit.tile",
    summary: "Read one tile of the tree (C2SP tlog-tiles): up to 256 hashes of a level",
    permission: "audit.read",
    roles: ["viewer"],
    needs: ["audit"],
    about,
    input: z.object({ level: Size.max(63), index: Size }),
    output: z.object({ level: z.number(), index: z.number(), width: z.number(), hashes: z.array(z.string()) }),
    errors: ["tile_not_found", "tile_missing"],
    http: { method: "GET", path: "/api/audit/tile/:level/:index" },
    cli: { positional: ["level", "index"] },
    answer: async ({ services }, { level, index }) => {
      const tile = Buffer.from(await services.audit.tree.tile(level, index));
      const hashes = tile.toString("hex").match(/.{64}/g) ?? [];
      return { level, index, width: hashes.length, hashes };
    },
  }),
  write({
    name: "audit.export",
    summary: "Export the whole log as a folder or a .tar; `nomos-verify` checks it without Nomos",
    permission: "audit.export",
    roles: [],
    needs: ["audit", "daemon", "store"],
    rights: "place",
    heavy: true,
    about,
    input: z.object({
      to: z.string().max(4096).optional().describe("an absolute path; default: in `exports` of the home"),
    }),
    output: z.object({ path: z.string(), size: z.number().int() }),
    errors: ["export_exists", "export_refused", "sandbox_floor", "overloaded", "disk_full"],
    http: { method: "POST", path: "/api/audit/export" },
    cli: {
      positional: ["to"],
      says: ["Exported {size|event} to {path}.", "Next: copy the folder to another machine and verify it there"],
    },
    commit: async (context, { to }) => {
      refuseOwnPlace(context.actor, to);
      const { store, audit: service, daemon } = context.services;
      const path = await outputPlace(daemon.home, to ?? null, EXPORT);
      const checkpoint = async () => service.checkpoints.reach(await store.lastSeq());
      const { size } = await store.exportBundle({ path, key: service.key, checkpoint });
      return service.noteExport({ path, size }, byOf(context));
    },
    answer: async (_context, _input, events) => {
      const written = dataIn(SYSTEM_EVENTS, events, "log.exported@1");
      if (written === null) throw new NomosError("internal", { reason: "no export was recorded" });
      return { path: written.path, size: written.size };
    },
  }),
  read({
    name: "audit.agent",
    summary: "List the events of an agent's sessions in global order, by page; a short page may not be the last",
    permission: "audit.read",
    roles: ["viewer"],
    needs: ["store"],
    heavy: true,
    about: (input) => `agent/${String(input["id"])}`,
    input: z.object({
      id: z.string().max(64).describe("the agent's slug"),
      after: Size.optional().describe("a `next` or a `seq`; the page starts after it"),
      limit: z.coerce.number().int().min(1).max(ENTRIES_MAX).optional(),
      order: Order,
    }),
    output: z.object({ agent: z.string(), entries: z.array(EventWire), next: z.number().int().nullable() }),
    errors: ["overloaded", "agent_not_found"],
    http: { method: "GET", path: "/api/audit/agent/:id" },
    cli: { positional: ["id"] },
    answer: ({ services }, { id, after, limit, order }) =>
      auditAgent(services, id, { after: after ?? null, limit: limit ?? 100, descending: order === "desc" }),
  }),
];

async function consistency(
  { services }: Context<"audit" | "store">,
  { from, to }: { readonly from: number; readonly to?: number | undefined },
) {
  const { tree, checkpoints } = services.audit;
  const newest = await checkpoints.reach(Math.min(to ?? 0, await services.store.lastSeq()));
  const second = to ?? newest.size;
  if (from > second || second > newest.size)
    throw new NomosError("invalid_request", { from, to: second, size: newest.size });
  return {
    from,
    to: second,
    fromRoot: hex(await tree.rootAt(from)),
    toRoot: hex(await tree.rootAt(second)),
    hashes: (await tree.consistency(from, second)).map(hex),
    checkpoint: newest.note,
  };
}
