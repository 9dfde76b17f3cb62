import * as z from "zod";
import { CANDIDATES_MIN, FANOUT_LIMITS, POLICY_LIMITS } from "../domains/index.ts";
import { Landing } from "./landing-config.ts";
import { McpServers } from "./mcp-config.ts";
import { Engine, Models, OnQuota, SecretRef } from "./models-config.ts";
import { Radar } from "./radar-config.ts";
import { Web } from "./web-config.ts";

const bytes = (min: number) => z.number().int().min(min).max(Number.MAX_SAFE_INTEGER).optional();

const PolicyRule = z.object({
  id: z.string().min(1).max(100),
  effect: z.enum(["allow", "deny", "ask"]),
  verb: z
    .string()
    .max(100)
    .regex(/^(\*|[a-z*]+\.[a-z0-9_*]+)$/, "a verb (`agent.edit`), a family (`agent.*`) or `*`"),
  resource: z
    .string()
    .min(1)
    .max(1024)
    .refine((text) => !text.split("/").includes(".."), "a pattern without `..`"),
});

const PolicyRules = z
  .array(PolicyRule)
  .max(POLICY_LIMITS.policyRulesMax.max)
  .refine((rules) => JSON.stringify(rules).length <= POLICY_LIMITS.policyBytes.max / 2, "fewer or shorter rules");

const PublicUrl = z
  .url({ protocol: /^https?$/ })
  .max(2048)
  .refine((text) => {
    if (!URL.canParse(text)) return false;
    const { pathname, search, hash, username, password } = new URL(text);
    return pathname === "/" && [search, hash, username, password].every((part) => part === "");
  }, "an address without a path, such as `https://nomos.example.org`");

/** `$NOMOS_HOME/config.json`. Unknown members are kept for newer versions; a wrong one is refused by name. */
export const Config = z.looseObject({
  port: z.number().int().min(0).max(65535).optional().describe("the daemon's port on loopback; 0: any free port"),
  publicUrl: PublicUrl.optional().describe(
    "the address of a reverse proxy in front of the daemon, such as `https://nomos.example.org`: the daemon answers to its name, and phones sign in there",
  ),
  store: z.string().optional().describe("where the log is stored: `sqlite` (in the home), or `postgres://...`"),
  storeLeaseMs: z
    .number()
    .int()
    .min(1000)
    .optional()
    .describe("on PostgreSQL: a daemon that does not renew its lease for this long loses its right to the log"),
  storeWaitMs: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe("on PostgreSQL: how long a start waits for another daemon to release the log"),
  turnTimeoutMs: z.number().int().min(1000).optional().describe("a turn that runs longer is interrupted"),
  idleHibernateMs: z.number().int().min(1000).optional().describe("an idle session hibernates after this time"),
  approvalWaitMs: z
    .number()
    .int()
    .min(1000)
    .optional()
    .describe("a question that nobody answers for this long is rejected; default: questions wait"),
  processMemoryMb: z
    .number()
    .int()
    .min(256)
    .optional()
    .describe(
      "memory of each process of a session, if the system enforces such a limit; Node alone takes 600 MB to start; default: no limit",
    ),
  sandbox: z
    .looseObject({
      readable: z
        .array(z.string().min(1).max(4096))
        .max(100)
        .optional()
        .describe("directories outside the system that every strict session may read, such as a tool chain"),
      memoryMb: z
        .number()
        .int()
        .min(64)
        .optional()
        .describe("memory of a process in a strict sandbox with all that it starts"),
      pidsMax: z.number().int().min(16).optional().describe("processes and threads in a strict sandbox"),
      cpus: z.number().min(0.05).max(1024).optional().describe("processors that a strict sandbox may use"),
    })
    .optional()
    .describe("settings of sessions with `sandbox: strict`"),
  processOpenFilesMax: z.number().int().min(64).optional().describe("open files of each process of a session"),
  processesMax: z.number().int().min(1).optional().describe("processes of all sessions together"),
  connectionsMax: z.number().int().min(1).optional().describe("open connections, streams included"),
  requestBytesMax: z.number().int().min(1024).optional().describe("the largest request body"),
  snapshotFilesMax: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe("a directory with more files and folders than this gets no snapshots"),
  snapshotBytesMax: bytes(1024).describe("a directory with more bytes than this gets no snapshots"),
  snapshotLeaveOut: z
    .array(z.string().min(1).max(500))
    .max(100)
    .optional()
    .describe(
      "names (`node_modules`) or paths below the session's directory (`/build/*.o`) that snapshots leave out and restores never touch; default: none",
    ),
  limits: z
    .looseObject({
      sessionBytes: bytes(1024).describe(
        "what one session may take up with all its forks and all sessions that they start: events as stored, and the blobs and artifacts they brought, packed",
      ),
      homeBytes: bytes(1024).describe("storage of the whole log, with all blobs and artifacts"),
      liveSessionsMax: z.number().int().min(1).optional().describe("sessions that have not ended"),
      diskFreeBytes: bytes(0).describe(
        "with less than this free on the home's disk nothing new starts; with less than a quarter of it turns end",
      ),
      walBytes: bytes(1_048_576).describe(
        "past this size of the write-ahead log Nomos warns; past four times this nothing new starts, past eight times turns end; up to 32 MiB are usual",
      ),
    })
    .optional()
    .describe("storage limits; each can be changed alone and applies at once; null restores its default"),
  delegationDepthMax: z
    .number()
    .int()
    .min(0)
    .max(16)
    .optional()
    .describe("how deep sessions may start sessions; a session that no session started has depth 0"),
  delegationChildrenMax: z
    .number()
    .int()
    .min(0)
    .max(32)
    .optional()
    .describe("how many living child sessions one session may have"),
  worktree: z
    .looseObject({
      carry: z
        .array(z.string().min(1).max(256))
        .max(64)
        .optional()
        .describe("what goes along into a worktree although git does not know it: names at any depth, or paths"),
      carryBytesMax: bytes(0).describe("a file or folder that is larger stays behind"),
      filesMax: z
        .number()
        .int()
        .min(1)
        .optional()
        .describe("a base that unfolds to more files and folders than this is refused"),
      bytesMax: bytes(1024).describe("so is one with more bytes than this"),
      alternates: z
        .boolean()
        .optional()
        .describe("true: a repository that borrows objects from another one (`git clone --shared`) may be the base"),
    })
    .optional()
    .describe("how worktrees are made"),
  landing: Landing,
  fanOut: z
    .looseObject({
      candidatesMax: z
        .number()
        .int()
        .min(CANDIDATES_MIN)
        .max(FANOUT_LIMITS.candidates.max)
        .optional()
        .describe("how many agents one fan-out may run a prompt with"),
      judgedAtOnce: z.number().int().min(1).max(16).optional().describe("candidates whose checks run at the same time"),
    })
    .optional()
    .describe("limits of fan-outs: one prompt in several worktrees"),
  radar: Radar,
  anchors: z
    .object({
      git: z
        .object({ repo: z.string().min(1), ref: z.string().regex(/^refs\/[\w./-]+$/, "a full name, `refs/...`") })
        .optional(),
      witness: z.object({ url: z.url({ protocol: /^https?$/ }), key: z.string().min(1) }).optional(),
    })
    .optional()
    .describe("where each new checkpoint of the log is also written to, out of the writer's reach"),
  policy: z
    .object({ rules: PolicyRules })
    .optional()
    .describe(
      "rules of the gate: allow, deny or ask for a verb and a resource; deny beats ask, ask beats allow; in force for the next decision, and recorded",
    ),
  models: Models,
  mcpServers: McpServers,
  engine: Engine,
  web: Web,
  onQuota: OnQuota.optional(),
  drivers: z
    .record(
      z.string(),
      z.object({
        command: z.string().optional(),
        args: z.array(z.string()).optional(),
        env: z.record(z.string(), z.union([z.string(), SecretRef])).optional(),
        home: z.string().optional(),
        file: z.string().optional(),
        permissions: z.enum(["ask", "reject", "allow"]).optional(),
        onQuota: OnQuota.optional(),
      }),
    )
    .optional()
    .describe(
      "per driver: command, arguments, environment (text, or `{secret: NAME}` of the vault) and HOME; how its requests for permission are answered (`ask`, `reject`, `allow`); for your own driver, its TypeScript file",
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
  carry: ["node_modules"],
  carryBytesMax: 536_870_912,
  filesMax: 1_000_000,
  bytesMax: 21_474_836_480,
  alternates: false,
} as const;

/** Members of `fanOut`. */
export const FAN_OUT_DEFAULTS = { candidatesMax: 8, judgedAtOnce: 1 } as const;

/** These take effect at once; the others need a restart. */
export const HOT_KEYS: readonly string[] = [
  "publicUrl",
  "turnTimeoutMs",
  "idleHibernateMs",
  "approvalWaitMs",
  "processMemoryMb",
  "processOpenFilesMax",
  "sandbox",
  "drivers",
  "models",
  "mcpServers",
  "engine",
  "web",
  "onQuota",
  "policy",
  "limits",
  "worktree",
  "landing",
  "fanOut",
  "radar",
  "delegationDepthMax",
  "delegationChildrenMax",
  "snapshotFilesMax",
  "snapshotBytesMax",
  "snapshotLeaveOut",
];
