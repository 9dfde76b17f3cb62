import { z } from "zod";

const bytes = (min: number) => z.number().int().min(min).max(Number.MAX_SAFE_INTEGER).optional();

/** `$NOMOS_HOME/config.json`. Unknown members are kept for newer versions; an invalid one is refused by name. */
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
  sandbox: z
    .looseObject({
      readable: z
        .array(z.string().min(1).max(4096))
        .max(100)
        .optional()
        .describe("directories outside of the system that every walled session may read, such as a tool chain"),
      memoryMb: z.number().int().min(64).optional().describe("memory of a walled process with all it starts"),
      pidsMax: z
        .number()
        .int()
        .min(16)
        .optional()
        .describe("processes and threads of a walled process with all it starts"),
      cpus: z
        .number()
        .min(0.05)
        .max(1024)
        .optional()
        .describe("processors that a walled process with all it starts may use"),
    })
    .optional()
    .describe("of sessions with `sandbox: strict`"),
  processOpenFilesMax: z.number().int().min(64).optional().describe("open files of each process of a session"),
  processesMax: z.number().int().min(1).optional().describe("processes of all sessions together"),
  connectionsMax: z.number().int().min(1).optional().describe("open connections, streams included"),
  requestBytesMax: z.number().int().min(1024).optional().describe("the largest request body"),
  snapshotFilesMax: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe("a session's directory with more files and folders than this is not kept at its turns' ends"),
  snapshotBytesMax: bytes(1024).describe("nor is one with more bytes than this"),
  snapshotLeaveOut: z
    .array(z.string().min(1).max(500))
    .max(100)
    .optional()
    .describe(
      "names (`node_modules`) or paths below the session's directory (`/build/*.o`) that no snapshot holds and no restore touches; default: none",
    ),
  limits: z
    .looseObject({
      sessionBytes: bytes(1024).describe(
        "what one session may take up with all its forks: events as stored, and the blobs and artifacts they brought, packed",
      ),
      homeBytes: bytes(1024).describe("what the whole log may take up, with all blobs and artifacts"),
      liveSessionsMax: z.number().int().min(1).optional().describe("sessions that have not ended"),
      diskFreeBytes: bytes(0).describe(
        "with less than this free on the home's disk nothing new is begun; with less than a quarter of it turns end",
      ),
      walBytes: bytes(1_048_576).describe(
        "a write-ahead log that somebody keeps from being folded in is told of past this size; past four times this nothing new is begun, past eight times turns end; up to 32 MiB are usual",
      ),
    })
    .optional()
    .describe("what may be taken up; changed one by one, at once, and with null back to what holds without"),
  delegationDepthMax: z
    .number()
    .int()
    .min(0)
    .max(16)
    .optional()
    .describe("how deep sessions may start sessions; a root is at 0"),
  delegationChildrenMax: z
    .number()
    .int()
    .min(0)
    .max(32)
    .optional()
    .describe("how many living sessions one session may have started"),
  worktree: z
    .looseObject({
      carry: z
        .array(z.string().min(1).max(256))
        .max(64)
        .optional()
        .describe("what goes along into a worktree although git does not know it: names at any depth, or paths"),
      carryBytesMax: bytes(0).describe("a file or folder that is larger stays behind"),
      alternates: z
        .boolean()
        .optional()
        .describe("whether a repository that borrows objects of another one (`git clone --shared`) may be the base"),
    })
    .optional()
    .describe("what a worktree is made with"),
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
  delegationDepthMax: 3,
  delegationChildrenMax: 8,
  snapshotFilesMax: 200_000,
  snapshotBytesMax: 4_294_967_296,
} as const;

/** Members of `limits`. */
export const LIMIT_DEFAULTS = {
  sessionBytes: 10_737_418_240,
  homeBytes: 107_374_182_400,
  liveSessionsMax: 10_000,
  diskFreeBytes: 536_870_912,
  walBytes: 268_435_456,
} as const;

/** Members of `worktree`. */
export const WORKTREE_DEFAULTS = {
  carry: [".env*", "node_modules"],
  carryBytesMax: 536_870_912,
  alternates: false,
} as const;

/** These take effect at once; the others need a restart. */
export const HOT_KEYS: readonly string[] = [
  "turnTimeoutMs",
  "idleHibernateMs",
  "approvalWaitMs",
  "processMemoryMb",
  "processOpenFilesMax",
  "sandbox",
  "drivers",
  "limits",
  "worktree",
  "delegationDepthMax",
  "delegationChildrenMax",
  "snapshotFilesMax",
  "snapshotBytesMax",
  "snapshotLeaveOut",
];
