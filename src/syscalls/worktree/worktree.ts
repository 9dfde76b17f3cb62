import * as z from "zod";
import { SessionWire } from "../../contract/index.ts";
import { shellQuoted } from "../../host/index.ts";
import { LIMITS } from "../../kernel/index.ts";
import type { SessionTrees } from "../../supervisor/index.ts";
import { read, type Syscall, write } from "../define.ts";
import { byOf, sessionIdIn, showSession } from "../session/answer.ts";
import { Prompt, refuseLarge } from "../session/prompt-input.ts";
import { reachOf } from "../session/reach.ts";
import { applyWorktree } from "./apply.ts";

const Id = z
  .string()
  .regex(/^[0-9a-z][0-9a-z-]{0,63}$/, "the id of a worktree, or a name of the session that works in it");
const byId = z.object({ id: Id });
const aboutIt = (input: Record<string, unknown>) => `worktree/${String(input["id"])}`;
const Names = z.array(z.string());

const WorktreeWire = z.object({
  id: z.string().describe("id of the session it was made for"),
  state: z.enum(["present", "missing"]).describe("missing: somebody moved or deleted its folder"),
  path: z.string(),
  cwd: z.string().describe("the session's directory inside the worktree"),
  branch: z.string(),
  base: z.string().nullable().describe("the commit it was made from; null: the repository had no commit"),
  repository: z.string(),
  objects: z.enum(["linked", "copied", "shared"]).describe("shared: `git prune` in the repository can break it"),
  createdAt: z.string(),
  sessions: Names.describe("living sessions that work in it"),
  carried: Names.describe("files copied along that git does not track"),
  notCarried: z.array(z.object({ path: z.string(), reason: z.string() })),
  fetch: z.string().describe("the command to run in the repository to fetch its commits"),
});

const WorkWire = z.object({
  changed: Names.describe("changed or staged files, not committed"),
  untracked: Names,
  carried: Names.describe("carried files that are new or changed"),
  commits: Names.describe("commits and tags that the repository does not have"),
  nested: Names.describe("nested repositories"),
  unclear: z.string().nullable().describe("why the check failed"),
});

/** Worktrees of sessions. They are removed only when nothing would be lost. */
export const worktree: readonly Syscall[] = [
  read({
    name: "worktree.list",
    summary: "List the worktrees and the sessions that work in them",
    permission: "worktree.read",
    roles: ["viewer"],
    needs: ["trees"],
    heavy: true,
    about: "system",
    input: z.object({}),
    output: z.object({ worktrees: z.array(WorktreeWire) }),
    errors: ["overloaded"],
    http: { method: "GET", path: "/api/worktrees" },
    cli: { positional: [] },
    answer: async ({ services }) => ({ worktrees: (await services.trees.list()).map(shown) }),
  }),
  read({
    name: "worktree.show",
    summary: "Show one worktree and the work that would be lost with it",
    permission: "worktree.read",
    roles: ["viewer"],
    needs: ["trees"],
    heavy: true,
    about: aboutIt,
    names: { id: "worktree" },
    input: byId,
    output: WorktreeWire.extend({ work: WorkWire }),
    errors: ["overloaded", "worktree_not_found", "git_missing"],
    http: { method: "GET", path: "/api/worktrees/:id" },
    cli: { positional: ["id"] },
    answer: async ({ services }, { id }) => {
      const { work, ...tree } = await services.trees.show(id);
      const { changed, untracked, carried, commits, nested, unclear } = work;
      const lists = { changed, untracked, carried, commits, nested };
      const copied = Object.entries(lists).map(([kind, list]) => [kind, [...list]]);
      return { ...shown(tree), work: WorkWire.parse({ ...Object.fromEntries(copied), unclear }) };
    },
  }),
  ...applyWorktree,
  write({
    name: "worktree.attach",
    summary: "Start a session in an existing worktree, to continue there",
    permission: "session.spawn",
    roles: ["session"],
    needs: ["bounds", "store", "supervisor", "trees"],
    rights: "opening",
    about: aboutIt,
    names: { id: "worktree" },
    input: byId.extend({
      adapter: z.string().min(1).max(64).describe("the driver"),
      prompt: Prompt.optional(),
      label: z.string().max(LIMITS.labelChars).optional(),
    }),
    output: SessionWire,
    errors: [
      "sandbox_floor",
      "worktree_not_found",
      "worktree_missing",
      "worktree_in_use",
      "not_installed",
      "cwd_missing",
      "payload_too_large",
      "quota_exceeded",
      "disk_low",
      "limit_reached",
    ],
    http: { method: "POST", path: "/api/worktrees/:id/attach", status: 201 },
    cli: {
      positional: ["id", "adapter", "prompt"],
      says: ["Started {name} with {agent} in the worktree {cwd}.", "Next: nomos attach {name}"],
    },
    commit: async (context, { id, ...input }) => {
      refuseLarge(input.prompt);
      const { trees, supervisor } = context.services;
      const tree = (await trees.list()).find((one) => one.id === id);
      const cwd = tree === undefined ? undefined : (tree.repository.root ?? tree.repository.gitDir);
      return supervisor.open({ ...input, ...reachOf(context.actor), cwd, attach: id }, byOf(context));
    },
    answer: (context, _input, events) => showSession(context, sessionIdIn(events)),
  }),
  write({
    name: "worktree.remove",
    summary: "Remove a worktree; refused if it holds work that exists nowhere else",
    permission: "worktree.write",
    roles: [],
    needs: ["trees"],
    about: aboutIt,
    names: { id: "worktree" },
    input: byId,
    output: z.object({ ok: z.boolean(), id: z.string() }),
    errors: ["worktree_not_found", "worktree_has_work", "worktree_in_use", "worktree_failed", "git_failed"],
    http: { method: "DELETE", path: "/api/worktrees/:id" },
    cli: { positional: ["id"], says: ["Removed the worktree {input.id}."] },
    destructive: true,
    commit: (context, { id }) => context.services.trees.remove(id, byOf(context)),
    answer: async (_context, { id }) => ({ ok: true, id }),
  }),
  write({
    name: "worktree.gc",
    summary: "Remove every worktree that no session uses and that holds no work",
    permission: "worktree.write",
    roles: [],
    needs: ["trees"],
    about: "system",
    input: z.object({}),
    output: z.object({ removed: Names, kept: Names }),
    errors: ["worktree_failed", "git_failed"],
    http: { method: "POST", path: "/api/worktrees/gc" },
    cli: {
      positional: [],
      says: [
        "Removed {removed.length|worktree}.",
        ["removed.length", 0, "No worktree could be removed."],
        "Kept {kept.length|worktree}: a session uses it, or it holds work. Next: nomos worktree list",
      ],
    },
    idempotent: true,
    commit: (context) => context.services.trees.collect(byOf(context)),
    answer: async ({ services }, _input, events) => {
      const gone = events
        .filter(({ type }) => type === "worktree.removed@1")
        .map(({ data }) => Object(data).worktreeId);
      return { removed: gone.map(String), kept: (await services.trees.list()).map(({ id }) => id) };
    },
  }),
];

type Shown = Awaited<ReturnType<SessionTrees["list"]>>[number];

function shown(tree: Shown): z.input<typeof WorktreeWire> {
  const { id, state, path, cwd, branch, base, objects, createdAt, repository, sessions, carried, notCarried } = tree;
  return {
    ...{ id, state, path, cwd, branch, base, objects, createdAt },
    repository: repository.root ?? repository.gitDir,
    sessions: [...sessions],
    carried: carried.map((one) => one.path),
    notCarried: notCarried.map((one) => ({ ...one })),
    fetch: `git fetch ${shellQuoted(path)} ${shellQuoted(`${branch}:${branch}`)}`,
  };
}
