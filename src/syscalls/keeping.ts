import { z } from "zod";
import { type Syscall, write } from "./define.ts";
import { outputPlace } from "./output-place.ts";
import { byOf, dataIn } from "./session-answer.ts";

const BACKUP = { folder: "backups", refusal: "backup_refused" } as const;
const about = "system" as const;
const Count = z.number().int();

/** Keeping the log for long: copies of it, and what leaves it. */
export const keeping: readonly Syscall[] = [
  write({
    name: "system.backup",
    summary: "Copy the log, its blobs, the tree, the keys and the configuration into a new folder, while all goes on",
    permission: "system.backup",
    about,
    input: z.object({ to: z.string().max(4096).optional().describe("absolute; default: in `backups` of the home") }),
    output: z.object({
      path: z.string(),
      size: Count.describe("events in it"),
      root: z.string().describe("of the tree over them"),
      blobs: Count,
      missingBlobs: Count.describe("named by events, but not there to be copied"),
      bytes: Count.describe("of the log and the blobs"),
    }),
    errors: ["backup_exists", "backup_refused", "overloaded", "disk_full"],
    http: { method: "POST", path: "/api/backup" },
    cli: { positional: ["to"], short: "backup" },
    commit: async (context, { to }) => {
      const { backups, daemon } = context.services;
      const path = await outputPlace(daemon.home, to ?? null, BACKUP);
      return backups.make(path, context.progress, byOf(context));
    },
    answer: async (_context, _input, events) => {
      const { path, size, root, blobs, missingBlobs, bytes } = dataIn(events, "log.backed_up@1") ?? {};
      return {
        path: String(path),
        size: Number(size),
        root: String(root),
        blobs: Number(blobs),
        missingBlobs: Number(missingBlobs),
        bytes: Number(bytes),
      };
    },
  }),
];
