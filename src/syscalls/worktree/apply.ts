import * as z from "zod";
import { SessionId } from "../../contract/index.ts";
import { read, type Syscall, write } from "../define.ts";
import { byOf } from "../session/answer.ts";

const Names = z.array(z.string());
const bySession = z.object({ id: SessionId });

/** The worktree of a session, by the session: where it is, and its work brought home. */
export const applyWorktree: readonly Syscall[] = [
  read({
    name: "worktree.path",
    summary: "Print the path of a session's worktree",
    permission: "worktree.read",
    roles: ["viewer"],
    needs: ["trees"],
    about: "session",
    input: bySession,
    output: z.object({ id: z.string(), path: z.string(), cwd: z.string(), branch: z.string(), repository: z.string() }),
    errors: ["session_not_found", "ambiguous_id", "worktree_not_found"],
    http: { method: "GET", path: "/sessions/:id/worktree" },
    cli: { positional: ["id"], says: ["{path}"] },
    answer: async ({ services }, input) => {
      const { id, path, cwd, branch, repository } = await services.trees.find(input.id);
      return { id, path, cwd, branch, repository: repository.root ?? repository.gitDir };
    },
  }),
  write({
    name: "worktree.apply",
    summary: "Bring a session's work home: into the files of the repository that its worktree was made from",
    permission: "worktree.write",
    roles: [],
    needs: ["trees"],
    rights: "person",
    heavy: true,
    about: "session",
    input: bySession.extend({
      dryRun: z.boolean().optional().describe("only say what would change, and what is in conflict"),
    }),
    output: z.object({
      ok: z.boolean(),
      dryRun: z.boolean(),
      id: z.string(),
      repository: z.string(),
      applied: Names.describe("files that were added, changed or deleted; the first thousand"),
      more: z.number().int().describe("how many further files"),
      conflicts: z.array(z.object({ path: z.string(), reason: z.string() })),
      nested: Names.describe("repositories inside the worktree, which stay there"),
    }),
    errors: [
      ...(["session_not_found", "ambiguous_id", "session_busy", "worktree_not_found", "worktree_missing"] as const),
      ...(["worktree_conflicts", "not_a_repository", "repository_invalid", "tree_too_large"] as const),
      ...(["worktree_failed", "git_failed", "git_missing", "disk_full", "overloaded", "sandbox_floor"] as const),
    ],
    http: { method: "POST", path: "/sessions/:id/worktree/apply" },
    cli: {
      positional: ["id"],
      says: [
        ["dryRun", false, "Brought {applied.length|file} home into {repository}. Next: git diff"],
        ["dryRun", true, "Would bring {applied.length|file} home into {repository}."],
        "{applied|lines}",
        ["applied.length", 0, "Nothing to bring home: {repository} has it all."],
        "In conflict with your changes: {conflicts.length|file}",
        "{conflicts|lines}",
        "Repositories that stay in the worktree: {nested}",
      ],
    },
    commit: async (context, { id, dryRun }) =>
      dryRun === true ? [] : (await context.services.trees.apply(id, byOf(context))).events,
    answer: async ({ services }, { id, dryRun = false }, events) => {
      const done = events.find(({ type }) => type === "worktree.applied@1");
      if (done !== undefined) {
        const { repository, files, more } = Recorded.parse(done.data);
        const applied = files.map(({ path }) => path);
        return { ok: true, dryRun, id, repository, applied, more, conflicts: [], nested: [] };
      }
      // Nothing was to be done when the call was made. What came since is for another call.
      if (!dryRun) {
        const { repository } = await services.trees.find(id);
        const where = { id, repository: repository.root ?? repository.gitDir };
        return { ok: true, dryRun, ...where, applied: [], more: 0, conflicts: [], nested: [] };
      }
      const { applied } = await services.trees.apply(id, null);
      const files = applied.files.slice(0, LISTED_MAX).map(({ path }) => path);
      return {
        ...{ ok: applied.conflicts.length === 0, dryRun, id, repository: applied.repository },
        ...{ applied: files, more: applied.files.length - files.length },
        conflicts: applied.conflicts.slice(0, LISTED_MAX).map((one) => ({ ...one })),
        nested: [...applied.nested],
      };
    },
  }),
];

const LISTED_MAX = 1000;

const Recorded = z.object({
  repository: z.string(),
  files: z.array(z.object({ path: z.string() })),
  more: z.number(),
});
