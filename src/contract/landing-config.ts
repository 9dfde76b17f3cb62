import * as z from "zod";

export const LandHow = z.enum(["merge", "rebase", "squash"]);

/** A program and its arguments. No shell reads it. */
export const CheckArgv = z.array(z.string().min(1).max(4096)).min(1).max(64);

export const LANDING_LIST_MAX = 16;

const bytes = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional();

export const Landing = z
  .looseObject({
    checks: z
      .array(CheckArgv)
      .max(LANDING_LIST_MAX)
      .optional()
      .describe(
        'programs that must succeed on the merged files before a branch moves, such as `[["npm", "test"]]`; a landing may add some, never leave one out',
      ),
    checkTimeoutMs: z.number().int().min(1000).optional().describe("a check that runs longer has failed"),
    checkNetwork: z
      .array(z.string().min(1).max(300))
      .max(64)
      .optional()
      .describe("hosts that checks may reach; default: none"),
    checkSandbox: z
      .enum(["strict", "off"])
      .optional()
      .describe("`off` runs checks and hooks as you, with your files and network, where bubblewrap does not work"),
    how: LandHow.optional().describe("how work gets onto a branch when the landing does not say"),
    uncommitted: z
      .enum(["commit", "refuse"])
      .optional()
      .describe("what to do with files that the session did not commit: commit them, or refuse and name them"),
    filesMax: z.number().int().min(1).optional().describe("a landing that changes more files is refused"),
    linesMax: z.number().int().min(1).optional().describe("so is one that changes more lines"),
    bytesMax: bytes.describe("so is one that brings more bytes"),
    fileBytesMax: bytes.describe("so is one with a file that is larger"),
    protect: z
      .array(z.string().min(1).max(1024))
      .max(256)
      .optional()
      .describe("paths that no landing may change, as in a scope: `*` for a name, `**` for any number of folders"),
    attemptsMax: z
      .number()
      .int()
      .min(1)
      .max(10)
      .optional()
      .describe(
        "how often a session's work is tried: after a refusal that its agent can mend, it is told and may mend it",
      ),
    batchAfterMs: z
      .number()
      .int()
      .min(0)
      .optional()
      .describe("when the last checks of a branch took longer than this, waiting landings are checked together"),
  })
  .optional()
  .describe("what has to hold before a session's work reaches a branch");

/** Members of `landing`. */
export const LANDING_DEFAULTS = {
  checks: [],
  checkTimeoutMs: 1_800_000,
  checkNetwork: [],
  checkSandbox: "strict",
  how: "merge",
  uncommitted: "commit",
  filesMax: 2000,
  linesMax: 100_000,
  bytesMax: 104_857_600,
  fileBytesMax: 10_485_760,
  protect: [],
  attemptsMax: 3,
  batchAfterMs: 60_000,
} as const;
