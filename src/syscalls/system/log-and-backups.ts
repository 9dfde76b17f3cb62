import * as z from "zod";
import { read, type Syscall } from "../define.ts";
import { Flag, Limit } from "../query-text.ts";

const LINES_MAX = 1000;
const LINES = 200;
const BACKUPS_MAX = 200;

/** What a person wants to look at when something is wrong: the daemon's own log, and what there is to go back to. */
export const logAndBackups: readonly Syscall[] = [
  read({
    name: "system.log",
    summary: "Show the daemon's own log by page, newest lines first",
    permission: "system.log",
    roles: [],
    needs: ["readLog"],
    about: "system",
    input: z.object({
      limit: Limit(LINES_MAX),
      before: z
        .string()
        .regex(/^\d{1,20}:\d{1,15}$/, "the `next` of an earlier page")
        .optional(),
      onlyProblems: Flag.describe("leave out lines that tell of no problem"),
    }),
    output: z.object({
      entries: z.array(
        z.object({
          at: z.string().nullable(),
          message: z.string(),
          isProblem: z.boolean(),
          details: z.record(z.string(), z.unknown()),
        }),
      ),
      next: z.string().nullable().describe("the `before` of the next page, which is older"),
    }),
    errors: [],
    http: { method: "GET", path: "/api/system/log" },
    cli: { positional: [] },
    answer: async ({ services }, { limit = LINES, before = null, onlyProblems = false }) => {
      const { lines, next } = await services.readLog({ limit, before, onlyProblems });
      return { entries: lines.map((line) => ({ ...line, details: { ...line.details } })), next };
    },
  }),
  read({
    name: "system.backups",
    summary: "List the backups that this log tells of, newest first, and whether they are still there",
    permission: "system.read",
    roles: ["viewer"],
    needs: ["backups"],
    about: "system",
    input: z.object({ limit: Limit(BACKUPS_MAX) }),
    output: z.object({
      backups: z.array(
        z.object({
          path: z.string(),
          madeAt: z.string(),
          size: z.number().int().describe("number of events in the backup"),
          bytes: z.number().int(),
          blobs: z.number().int(),
          missingBlobs: z.number().int(),
          root: z.string(),
          isThere: z.boolean(),
        }),
      ),
    }),
    errors: [],
    http: { method: "GET", path: "/api/system/backups" },
    cli: { positional: [] },
    answer: async ({ services }, { limit = BACKUPS_MAX }) => ({ backups: [...(await services.backups.list(limit))] }),
  }),
];
