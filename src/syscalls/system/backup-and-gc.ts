import * as z from "zod";
import { NomosError } from "../../contract/index.ts";
import { SYSTEM_EVENTS } from "../../domains/index.ts";
import { dataIn } from "../../kernel/index.ts";
import { type Syscall, write } from "../define.ts";
import { type Output, outputPlace } from "../output-place.ts";
import { byOf } from "../session/answer.ts";
import { refuseOwnPlace } from "../session/reach.ts";

const BACKUP: Output = {
  folder: "backups",
  refused: (details) => new NomosError("backup_refused", details),
};
const about = "system" as const;
const Count = z.number().int();

const Collected = z.object({
  id: z.string(),
  name: z.string(),
  endedAt: z.string(),
  events: Count,
  bytes: Count,
  archive: z.string().nullable().describe("file name in `archive` of the home"),
});

const GcAnswer = z.object({
  dryRun: z.boolean(),
  sessions: z.array(Collected),
  needed: z
    .array(z.object({ id: z.string(), name: z.string() }))
    .describe("old enough, but kept because a fork needs them"),
  events: Count.describe("events whose data is removed; their headers and hashes stay"),
  bytes: Count.describe("size of that data"),
  blobs: Count.describe("blobs that no event names afterwards"),
  blobBytes: Count,
  more: z.boolean().describe("true: this call reached its limit; call again for the rest"),
});

/** Backups and collection of old data. */
export const backupAndGc: readonly Syscall[] = [
  write({
    name: "system.backup",
    summary: "Back up the log, blobs, tree, keys and configuration into a new folder while the daemon runs",
    permission: "system.backup",
    roles: [],
    needs: ["backups", "daemon"],
    rights: "place",
    about,
    input: z.object({
      to: z.string().max(4096).optional().describe("an absolute path; default: in `backups` of the home"),
    }),
    output: z.object({
      path: z.string(),
      size: Count.describe("number of events in the backup"),
      root: z.string().describe("root of the tree over these events"),
      blobs: Count,
      missingBlobs: Count.describe("blobs that events name but that are missing"),
      bytes: Count.describe("size of the log and the blobs"),
    }),
    errors: ["backup_exists", "backup_refused", "sandbox_floor", "overloaded", "disk_full"],
    http: { method: "POST", path: "/api/backup" },
    cli: {
      positional: ["to"],
      short: "backup",
      says: [
        "Backed up {size|event} to {path}, {bytes|bytes} in {took}.",
        "With {blobs|blob}.",
        "Missing already before: {missingBlobs|blob} that events name.",
        "Next: nomos restore {path}, in an empty home",
      ],
    },
    commit: async (context, { to }) => {
      refuseOwnPlace(context.actor, to);
      const { backups, daemon } = context.services;
      const path = await outputPlace(daemon.home, to ?? null, BACKUP);
      return backups.make(path, context.progress, byOf(context));
    },
    answer: async (_context, _input, events) => {
      const made = dataIn(SYSTEM_EVENTS, events, "log.backed_up@1");
      if (made === null) throw new NomosError("internal", { reason: "no backup was recorded" });
      const { path, size, root, blobs, missingBlobs, bytes } = made;
      return { path, size, root, blobs, missingBlobs, bytes };
    },
  }),
  write({
    name: "system.gc",
    summary: "Move the data of sessions that ended long ago into archives, and remove unused blobs",
    permission: "system.gc",
    roles: [],
    needs: ["retention"],
    about,
    input: z.object({
      maxAgeDays: z.coerce
        .number()
        .min(0)
        .max(36_500)
        .describe("archive sessions that ended more than this many days ago"),
      dryRun: z.boolean().optional().describe("only report what would be removed, and how many bytes"),
      discard: z.boolean().optional().describe("make no archive: the data is lost for good"),
    }),
    output: GcAnswer,
    errors: ["overloaded", "disk_full"],
    http: { method: "POST", path: "/api/gc" },
    cli: {
      positional: [],
      short: "gc",
      says: [
        ["dryRun", true, "Dry run: nothing was changed."],
        ["sessions.length", 0, "No session is old enough."],
        ["dryRun", true, "Would archive {sessions.length|session}: {events|event}, {bytes|bytes}."],
        ["dryRun", false, "Archived {sessions.length|session}: {events|event}, {bytes|bytes}."],
        ["dryRun", true, "Would remove {blobs|blob}, {blobBytes|bytes}."],
        ["dryRun", false, "Removed {blobs|blob}, {blobBytes|bytes}."],
        "Kept {needed.length|old session}, because a fork needs it.",
        ["more", true, "Not done yet. Next: the same command again"],
      ],
    },
    destructive: true,
    commit: async (context, { maxAgeDays, dryRun, discard }) => {
      if (dryRun === true) return [];
      const progress = (done: number, total: number) => context.progress({ message: "archiving", done, total });
      const asked = { maxAgeDays, discard: discard === true };
      return context.services.retention.collect(asked, progress, byOf(context));
    },
    answer: async ({ services }, { maxAgeDays, dryRun }, events) => {
      const data = dataIn(SYSTEM_EVENTS, events, "log.collected@1");
      const plan = data === null || dryRun === true ? await services.retention.plan(maxAgeDays) : null;
      return GcAnswer.parse({ needed: [], ...data, ...plan, dryRun: plan !== null });
    },
  }),
];
