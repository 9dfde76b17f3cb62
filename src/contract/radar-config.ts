import * as z from "zod";

export const Radar = z
  .looseObject({
    enabled: z.boolean().optional().describe("false: worktrees are not compared with each other or with their branch"),
    lookEveryMs: z
      .number()
      .int()
      .min(1000)
      .optional()
      .describe("the work of one worktree is merged in memory at most this often"),
    treesMax: z
      .number()
      .int()
      .min(2)
      .max(256)
      .optional()
      .describe("how many living worktrees are compared, newest first"),
    foldersMax: z
      .number()
      .int()
      .min(0)
      .max(1_000_000)
      .optional()
      .describe("how many folders are watched for changes; worktrees beyond it are looked through now and then"),
    fileBytesMax: z
      .number()
      .int()
      .min(1024)
      .max(67_108_864)
      .optional()
      .describe("a larger file counts as colliding when both change it: its contents are not compared"),
    advise: z.boolean().optional().describe("false: agents are not told of collisions; people still see them"),
  })
  .optional()
  .describe("whether and how sessions learn early that their work collides");

/** Members of `radar`. */
export const RADAR_DEFAULTS = {
  enabled: true,
  lookEveryMs: 10_000,
  treesMax: 64,
  foldersMax: 32_768,
  fileBytesMax: 4_194_304,
  advise: true,
} as const;
