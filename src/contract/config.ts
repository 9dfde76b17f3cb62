import { z } from "zod";

/** `$NOMOS_HOME/config.json`. Unknown members are kept for newer versions; a wrong one is refused by name. */
export const Config = z.looseObject({
  port: z
    .number()
    .int()
    .min(0)
    .max(65535)
    .optional()
    .describe("where the daemon listens on loopback; 0: any free port"),
  store: z.string().optional().describe("where the log is: `sqlite` (in the home), or `postgres://...`"),
  storeLeaseMs: z
    .number()
    .int()
    .min(1000)
    .optional()
    .describe("on PostgreSQL: a daemon that is not heard of for so long loses its right to the log"),
  storeWaitMs: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe("on PostgreSQL: how long a start waits for another daemon to let go of the log"),
  turnTimeoutMs: z.number().int().min(1000).optional().describe("a turn without an end after this long is interrupted"),
  idleHibernateMs: z.number().int().min(1000).optional().describe("an idle session is put to sleep after this long"),
  approvalWaitMs: z
    .number()
    .int()
    .min(1000)
    .optional()
    .describe("a question that nobody answered for so long is taken for a no; without it questions wait"),
  processMemoryMb: z
    .number()
    .int()
    .min(256)
    .optional()
    .describe(
      "memory of each process of a session, where the system holds such a limit; Node alone takes 600 MB to start; default: no limit",
    ),
  processOpenFilesMax: z.number().int().min(64).optional().describe("open files of each process of a session"),
  processesMax: z.number().int().min(1).optional().describe("processes of all sessions together"),
  connectionsMax: z.number().int().min(1).optional().describe("open connections, streams included"),
  requestBytesMax: z.number().int().min(1024).optional().describe("the largest request body"),
  anchors: z
    .object({
      git: z
        .object({ repo: z.string().min(1), ref: z.string().regex(/^refs\/[\w./-]+$/, "a full name, `refs/...`") })
        .optional(),
      witness: z.object({ url: z.url({ protocol: /^https?$/ }), key: z.string().min(1) }).optional(),
    })
    .optional()
    .describe("where each new checkpoint of the log is also written to, out of the writer's reach"),
  drivers: z
    .record(
      z.string(),
      z.object({
        command: z.string().optional(),
        args: z.array(z.string()).optional(),
        env: z.record(z.string(), z.string()).optional(),
        home: z.string().optional(),
        file: z.string().optional(),
        permissions: z.enum(["ask", "reject", "allow"]).optional(),
      }),
    )
    .optional()
    .describe(
      "per driver: its own command, arguments, environment and HOME; what happens to its requests for permission (`ask`, `reject`, `allow`); the TypeScript file of one of your own",
    ),
});
export type Config = z.infer<typeof Config>;

export const CONFIG_DEFAULTS = {
  port: 4200,
  storeLeaseMs: 60_000,
  storeWaitMs: 0,
  turnTimeoutMs: 3_600_000,
  idleHibernateMs: 600_000,
  processesMax: 256,
  connectionsMax: 4096,
  requestBytesMax: 24_000_000,
} as const;

/** Takes effect at once; the others need a restart. */
export const HOT_KEYS: readonly string[] = [
  "turnTimeoutMs",
  "idleHibernateMs",
  "approvalWaitMs",
  "processMemoryMb",
  "processOpenFilesMax",
  "drivers",
];
