import * as z from "zod";
import { NomosError } from "../../contract/index.ts";
import { isInside } from "../../host/index.ts";
import type { Context } from "../define.ts";
import { reachOf } from "../session/reach.ts";

export const Cwd = z.string().min(1).max(4096).describe("a folder of the repository");
export const byCwd = z.object({ cwd: Cwd });
/** On the command line, the folder that the person is in. */
export const HERE = { here: { member: "cwd", unless: [] }, paths: ["cwd"] } as const;

export const Paths = z.array(z.string());
export const Commands = z.array(z.array(z.string()));

export const RuleWire = z.object({
  id: z.string(),
  type: z.string(),
  patterns: Paths,
  actions: z.array(z.string()).describe("empty: all"),
  message: z.string(),
  checks: Commands,
});

export const ProblemWire = z.object({
  code: z.string(),
  file: z.string(),
  message: z.string(),
  remedy: z.string(),
  at: z.enum(["committed", "checkout"]).describe("in the law's branch, or only in the files that are checked out"),
});

export const ConfigProblemWire = z.object({
  level: z.enum(["error", "warning"]),
  key: z.string().describe("such as `budgets.files`; empty: the whole file"),
  message: z.string(),
});

export const ScanWire = z.object({
  root: z.string(),
  files: z.number().int(),
  languages: z.array(
    z.object({
      name: z.string(),
      confidence: z.number().describe("the part of its markers that was found"),
      markers: Paths,
    }),
  ),
  checks: z.array(z.object({ argv: z.array(z.string()), from: z.string().describe("the file that names it") })),
  sourceDirs: Paths,
  ci: Paths,
  hooks: Paths,
  sensitive: Paths.describe("patterns of files that hold keys or passwords"),
  budget: z.object({ files: z.number().int(), lines: z.number().int() }),
  hasExo: z.boolean().describe("there is an `.exo` folder, whose law can be imported"),
});

/** What can be refused wherever a repository is opened. */
export const OPENING = [
  ...(["cwd_missing", "cwd_hidden", "not_a_repository", "repository_invalid", "git_missing", "git_failed"] as const),
  ...(["governance_invalid", "governance_newer"] as const),
] as const;

/** What can be refused when the law's files are written. */
export const WRITING = [
  ...(["repository_bare", "repository_busy", "head_detached", "commit_refused", "governance_blocked"] as const),
  ...(["rule_invalid", "config_invalid", "disk_full", "path_outside"] as const),
] as const;

/** Without the person's rights a caller asks about registered workspaces alone. */
export async function refuseHidden({ actor, services }: Context<"workspaces">, cwd: string): Promise<void> {
  if (!reachOf(actor).onlyRegistered) return;
  const { list } = await services.workspaces.all();
  if (!list.some(({ path }) => isInside(path, cwd))) throw new NomosError("cwd_hidden", { cwd });
}
