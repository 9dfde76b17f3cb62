import * as z from "zod";
import { NomosError, SessionId, SessionWire } from "../../../contract/index.ts";
import { LIMITS } from "../../../kernel/index.ts";
import { type Context, type Syscall, write } from "../../define.ts";
import { byOf, sessionIdIn, sessionRowOf, showSession } from "../answer.ts";
import { AgentName, driverOf, ModelChoice, OWN_DRIVER } from "../talk.ts";
import { pointAt, rewindAnswer } from "./rewind-answer.ts";

const Label = z.string().max(LIMITS.labelChars);
const byId = z.object({ id: SessionId });
const TurnNumber = z.number().int().min(0);
/** A command with its focus fits into its event. */
const FOCUS_CHARS = 1000;
const TalkOnly = z.boolean().optional().describe("leave the files as they are");

/** Forks, rewinds and erases a session. */
export const sessionHistory: readonly Syscall[] = [
  write({
    name: "session.fork",
    summary: "Start a new session from an event of another one, with its own copy of the files at that event",
    permission: "session.fork",
    roles: [],
    needs: ["agents", "bounds", "store", "supervisor"],
    rights: "session",
    about: "session",
    names: { agent: "agent" },
    input: byId.extend({
      at: z.string().max(64).optional().describe("an event id or a label; default: the head"),
      turn: TurnNumber.optional().describe(
        "instead of an event: the end of this turn, from 1; 0: before the first turn",
      ),
      label: Label.optional(),
      agent: AgentName.optional().describe("another agent for the fork; default: the same"),
      model: ModelChoice.optional().describe("the model of the fork; default: the same, if the agent is the same"),
      talkOnly: TalkOnly,
    }),
    output: SessionWire,
    errors: [
      "sandbox_floor",
      "session_not_found",
      "event_not_found",
      "turn_not_found",
      "delegation_denied",
      "invalid_agent",
      "not_installed",
      "setup_required",
      "unknown_model",
      "no_model",
      "quota_exceeded",
      "disk_low",
      "disk_full",
      "limit_reached",
      "files_not_kept",
      "restore_failed",
      "worktree_missing",
      "worktree_failed",
      "worktree_base_missing",
      "worktree_base_incomplete",
      "tree_too_large",
      "repository_invalid",
      "cwd_missing",
      "git_missing",
      "git_failed",
      "restore_unavailable",
      "snapshot_damaged",
      "snapshot_missing",
    ],
    http: { method: "POST", path: "/sessions/:id/fork", status: 201 },
    cli: {
      positional: ["id"],
      short: "fork",
      says: ["Forked {input.id} into {name} in {cwd}.", "Next: nomos attach {name}"],
    },
    mcp: { toolsets: ["core"] },
    commit: async (context, { id, at, turn, label, talkOnly, agent, model }) => {
      // A fork has no parent session, so a session could use it to bypass the limits on depth, quota and delegates.
      if (context.actor.sessionId !== null) throw new NomosError("delegation_denied", { by: context.actor.sessionId });
      const point = turn === undefined ? at : await pointAt(context, id, { to: at, turn });
      const onBytes = (done: number, total: number | null): void =>
        context.progress({ message: "copying files", ...(total === null ? {} : { done, total }) });
      const driver = agent === undefined ? undefined : await driverOf(context, agent);
      const settings = model === undefined ? undefined : { model };
      const given = { at: point, label, talkOnly, onBytes, driver, settings };
      return context.services.supervisor.fork(id, given, byOf(context));
    },
    answer: (context, _input, events) => showSession(context, sessionIdIn(events)),
  }),
  write({
    name: "session.rewind",
    summary: "Move a session back to an event, with its files, artifacts and todo; deletes nothing from the log",
    permission: "session.control",
    roles: [],
    needs: ["bounds", "store", "supervisor"],
    rights: "session",
    about: "session",
    input: byId.extend({
      to: z.string().max(64).optional().describe("an event id or a label"),
      turn: TurnNumber.optional().describe(
        "instead of an event: the end of this turn, from 1; 0: before the first turn",
      ),
      force: z.boolean().optional().describe("also overwrite files that both the session and others changed"),
      talkOnly: TalkOnly,
      summarize: z
        .boolean()
        .optional()
        .describe("then let the agent `nomos` note what came of the branch that is left, in a turn of its own"),
      focus: z.string().max(FOCUS_CHARS).optional().describe("what that summary should keep above all"),
    }),
    output: SessionWire.extend({
      irrevocable: z.array(z.object({ effectId: z.string(), kind: z.string(), detail: z.unknown() })),
      restored: z.array(z.string()).describe("files whose earlier contents are back"),
      removed: z.array(z.string()).describe("files that did not exist then and were removed"),
      kept: z.array(z.string()).describe("files that others changed, left unchanged"),
      more: z.number().describe("how many more names there are"),
      undo: z.string().nullable().describe("the command that undoes this rewind"),
    }),
    errors: [
      "sandbox_floor",
      "session_not_found",
      "event_not_found",
      "turn_not_found",
      "branch_unsupported",
      "session_busy",
      "session_ended",
      "quota_exceeded",
      "disk_low",
      "disk_full",
      "files_of_others",
      "files_not_kept",
      "restore_failed",
      "restore_unavailable",
      "snapshot_damaged",
      "snapshot_missing",
      "tree_missing",
      "tree_moved",
      "tree_too_large",
      "tree_unreadable",
    ],
    http: { method: "POST", path: "/sessions/:id/rewind" },
    cli: {
      positional: ["id", "to"],
      short: "rewind",
      says: [
        "Rewound {name}. Nothing is deleted from the log.",
        "Restored: {restored}",
        "Removed: {removed}",
        "Kept, because others changed them: {kept}",
        "And {more|more file}.",
        "Cannot be taken back: {irrevocable.length|effect} outside of the files, such as commands that ran.",
        "Undo: {undo}",
      ],
    },
    mcp: { toolsets: ["core"] },
    idempotent: true,
    commit: async (context, { id, force, talkOnly, summarize, focus = null, ...where }) => {
      if (summarize === true) await requireOwnDriver(context, id);
      const to = await pointAt(context, id, where);
      const summary = summarize === true ? { focus } : undefined;
      return context.services.supervisor.rewind(id, { to, force, talkOnly, summary }, byOf(context));
    },
    answer: async (context, { id }, events) => ({
      ...(await showSession(context, id)),
      ...(await rewindAnswer(context, id, events)),
    }),
  }),
  write({
    name: "session.erase",
    summary: "Erase the data of events for good; their headers stay, so the chain and old proofs stay valid",
    permission: "session.erase",
    roles: [],
    needs: ["supervisor"],
    about: "session",
    input: z.object({
      id: SessionId,
      events: z.array(z.string().max(64)).min(1).max(1000),
      reason: z.string().max(500).optional(),
    }),
    output: z.object({ ok: z.boolean(), erased: z.array(z.string()) }),
    errors: ["session_not_found", "event_not_found", "session_busy", "not_erasable"],
    http: { method: "POST", path: "/sessions/:id/erase" },
    cli: {
      positional: ["id", "events"],
      says: ["Erased the data of {erased.length|event} for good. Old proofs stay valid."],
    },
    destructive: true,
    commit: (context, { id, events, reason }) =>
      context.services.supervisor.erase(id, events, reason ?? "asked to", byOf(context)),
    answer: async (_context, { events }) => ({ ok: true, erased: events }),
  }),
];

/** Other agents keep their own conversation: what they are told of a branch is theirs. */
async function requireOwnDriver(context: Context<"store">, id: string): Promise<void> {
  const { adapter } = await sessionRowOf(context, id);
  if (adapter !== OWN_DRIVER) throw new NomosError("branch_unsupported", { id, adapter });
}
