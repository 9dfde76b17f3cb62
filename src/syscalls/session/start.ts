import * as z from "zod";
import { NomosError, SessionWire, toNomosError } from "../../contract/index.ts";
import { agentSlugIn, DEFAULT_WORKSPACE, narrowDelegates } from "../../domains/index.ts";
import { LIMITS, SESSIONS, Session } from "../../kernel/index.ts";
import type { RecordedEvent } from "../../store/index.ts";
import { carriedSecrets } from "../../supervisor/index.ts";
import { type Context, type Syscall, write } from "../define.ts";
import { byOf, sessionIdIn, showSession } from "./answer.ts";
import {
  Attachments,
  givenAttachments,
  givenSettings,
  Prompt,
  Redacted,
  redactedIn,
  refuseLarge,
  Settings,
} from "./prompt-input.ts";
import { reachOf } from "./reach.ts";
import { agentNamed } from "./talk.ts";

const SECRETS_MAX = 64;
const TICKET_ERRORS = [
  ...(["not_governed", "governance_invalid", "ticket_not_found", "ticket_invalid", "ticket_closed"] as const),
  ...(["ticket_blocked", "ticket_weak_sandbox", "audit_same_model", "ticket_leased", "lease_damaged"] as const),
  ...(["lease_rewound", "lease_remote_failed", "ref_conflict"] as const),
];
const Label = z.string().max(LIMITS.labelChars);

/** A person's token starts a root session. A session's own token starts one below it, if its agent may delegate. */
export const sessionStart: Syscall = write({
  name: "session.start",
  summary: "Start a session with a driver, and with a first prompt if you give one",
  permission: "session.spawn",
  roles: ["session"],
  needs: ["agents", "bounds", "delegation", "laws", "noteDenial", "redactor", "store", "supervisor", "trees", "works"],
  rights: "opening",
  about: (_input, { sessionId }) => (sessionId === null ? "system" : `session/${sessionId}`),
  names: { agent: "agent" },
  input: z.object({
    adapter: z.string().min(1).max(64).describe("the driver; `driver list` shows all"),
    agent: z.string().min(1).max(200).optional().describe("default: the agent with the driver's name"),
    workspaceSlug: z.string().max(1024).optional().describe("a workspace by its slug; older form of `ground`"),
    ground: z.string().max(1024).optional().describe("such as ws://workspaces/<slug>/src"),
    cwd: z.string().min(1).max(4096).optional().describe("the working directory, if you name no ground"),
    prompt: Prompt.optional(),
    attachments: Attachments.optional(),
    ...Settings,
    label: Label.optional(),
    title: z.string().max(LIMITS.titleChars).optional().describe("default: the first line of the first prompt"),
    sandbox: z.enum(["off", "warn", "enforce", "strict"]).optional(),
    scope: z
      .object({ allow: z.array(z.string()).optional(), deny: z.array(z.string()).optional() })
      .optional()
      .describe("paths it may change, from the repository's root; implies a worktree"),
    network: z.object({ allow: z.array(z.string()) }).optional(),
    worktree: z.boolean().optional().describe("work in a new worktree, made from the repository at `base`"),
    base: z.string().min(1).max(1024).optional().describe("branch, tag or commit of the worktree; default: HEAD"),
    secrets: z
      .array(z.string().max(200))
      .max(SECRETS_MAX)
      .optional()
      .describe("secrets its processes get as variables"),
    file: z.string().max(4096).optional().describe("for the script driver: the TypeScript file to run"),
    ticket: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe("a ticket to work on: strict, within its scope, under its lease"),
    audit: z.boolean().optional().describe("of a ticket: read what was done, change nothing"),
  }),
  missing: { adapter: "missing_adapter" },
  output: SessionWire.extend({
    redacted: Redacted,
    warnings: z.array(z.string()).optional().describe("where it differs from the request"),
    neighbours: z
      .array(z.object({ id: z.string(), name: z.string(), busy: z.boolean() }))
      .optional()
      .describe("living sessions in the same directory, or above or below it"),
    notice: z.string().optional().describe("about neighbours, or that the repository can have a law"),
  }),
  errors: [
    "missing_adapter",
    "cwd_missing",
    "cwd_hidden",
    "path_outside",
    "workspace_not_found",
    "invalid_ground",
    "not_installed",
    "agent_version",
    "setup_required",
    "unknown_mode",
    "unknown_model",
    "unknown_option",
    "driver_file_invalid",
    "sandbox_unavailable",
    "sandbox_floor",
    "scope_invalid",
    "not_a_repository",
    "repository_invalid",
    "worktree_base_missing",
    "worktree_base_incomplete",
    "tree_too_large",
    "worktree_failed",
    "git_missing",
    "git_failed",
    "disk_full",
    "payload_too_large",
    "invalid_agent",
    "delegation_denied",
    "cwd_outside_parent",
    "max_depth_exceeded",
    "child_quota_exceeded",
    "quota_exceeded",
    "disk_low",
    "limit_reached",
    "secret_not_found",
    "secret_lost",
    "secret_not_variable",
    "vault_locked",
    ...TICKET_ERRORS,
  ],
  http: { method: "POST", path: "/sessions/agent", status: 201 },
  cli: {
    positional: ["adapter", "prompt"],
    paths: ["cwd", "file"],
    here: { member: "cwd", unless: ["ground", "workspaceSlug"] },
    says: ["Started {name} with {agent} in {cwd}.", "{warnings|lines}", "{notice}", "Next: nomos attach {name}"],
  },
  mcp: { toolsets: ["core", "inside"], aliases: { agent_start: {}, start_agent_session: {} } },
  commit: async (context, { attachments, mode, model, options, ticket, audit, ...rest }) => {
    refuseLarge(rest.prompt);
    const settings = givenSettings({ mode, model, options });
    const input = { ...rest, ...reachOf(context.actor), settings, attachments: givenAttachments(attachments) };
    const parent = context.actor.sessionId;
    if (ticket === undefined && audit !== true)
      return parent === null ? startRoot(context, input) : startBelow(context, parent, input);
    // Below a session it would share its parent's worktree, and so a scope that is not the ticket's.
    if (parent !== null) throw new NomosError("denied", { rules: ["ticket_below_session"] });
    if (ticket === undefined)
      throw new NomosError("invalid_request", { field: "ticket", reason: "an audit needs one" });
    const isPerson = !input.onlyRegistered;
    const opening = await withAgent(context, input);
    return context.services.works.open(
      { ...opening, ticket, role: audit === true ? "audit" : "work", isPerson },
      byOf(context),
    );
  },
  answer: async (context, input, events) => {
    const session = await showSession(context, sessionIdIn(events));
    if (context.actor.sessionId !== null) return { ...session, ...redactedIn(context.services.redactor, input.prompt) };
    const redacted = redactedIn(context.services.redactor, input.prompt);
    const warnings = [
      ...warningsAbout(input, session),
      ...warningAboutSecrets(redacted),
      ...(await warningAboutCarried(context, session.id)),
      ...(await warningAboutLaw(context, input)),
    ];
    const around = await besides(context, session);
    const offer = await lawOffer(context, session, input);
    const notices = ["notice" in around ? around.notice : null, offer].filter((one) => one !== null);
    const notice = notices.length === 0 ? {} : { notice: notices.join("\n") };
    return { ...session, ...around, ...notice, ...redacted, ...(warnings.length === 0 ? {} : { warnings }) };
  },
});

type Input = Parameters<Context["services"]["supervisor"]["open"]>[0];

async function startRoot(context: Context<"agents" | "supervisor">, input: Input): Promise<readonly RecordedEvent[]> {
  return context.services.supervisor.open(await withAgent(context, input), byOf(context));
}

/** The agent that is named brings whom it may delegate to. */
async function withAgent(context: Context<"agents">, input: Input): Promise<Input> {
  if (input.agent === undefined) return input;
  const agent = await agentNamed(context, input.agent);
  return { ...input, agent: agent.slug, delegates: narrowDelegates(agent.delegatesTo ?? [], null) };
}

const GATE_CODES: readonly string[] = [
  "invalid_agent",
  "delegation_denied",
  "cwd_outside_parent",
  "max_depth_exceeded",
  "child_quota_exceeded",
];

async function startBelow(
  context: Context<"delegation" | "noteDenial">,
  parent: string,
  input: Input,
): Promise<readonly RecordedEvent[]> {
  const { delegation, noteDenial } = context.services;
  try {
    return await delegation.spawn(parent, input, byOf(context));
  } catch (thrown) {
    const { code } = toNomosError(thrown);
    if (GATE_CODES.includes(code))
      await noteDenial(
        { verb: "session.spawn", resource: `agent/${agentSlugIn(input.agent ?? "") ?? "none"}`, rules: [code] },
        context,
      );
    throw thrown;
  }
}

const NEIGHBOURS_MAX = 10;

/** Warns about other sessions in the directory, which would change the same files, and names the remedy. */
async function besides({ services }: Context<"store" | "supervisor">, { id, cwd }: SessionWire) {
  const near = (await services.supervisor.livingNear(cwd)).filter((one) => one.id !== id);
  if (near.length === 0) return {};
  const rows = await Promise.all(near.slice(-NEIGHBOURS_MAX).map((one) => services.store.row(SESSIONS, one.id)));
  const neighbours = rows.filter((row) => row !== null).map(({ id: one, name, busy }) => ({ id: one, name, busy }));
  const names = neighbours.map(({ name }) => name).join(", ");
  const more = near.length > neighbours.length ? ` and ${near.length - neighbours.length} more` : "";
  const verb = near.length === 1 ? "works" : "work";
  const notice = `${names}${more} also ${verb} in this directory. To keep them apart, start with a worktree: \`--worktree\`.`;
  return { neighbours, notice };
}

/** People alone are told, and once for a repository: nobody is made to have a law. */
async function lawOffer(
  { services, actor }: Context<"laws" | "store">,
  { id, cwd }: SessionWire,
  input: Pick<Input, "cwd">,
): Promise<string | null> {
  if (reachOf(actor).onlyRegistered) return null;
  // A worktree is a repository of its own: whose it is, the request says.
  const folder = (await services.store.fold(Session, id)).worktree == null ? cwd : input.cwd;
  return folder === undefined ? null : services.laws.offer(folder);
}

function warningAboutSecrets({ redacted = [] }: ReturnType<typeof redactedIn>): readonly string[] {
  const kinds = [...new Set(redacted.map(({ kind }) => kind))].join(", ");
  return redacted.length === 0 ? [] : [`The prompt holds secrets (${kinds}): the agent gets a mark in their place.`];
}

/** The law is that of the repository that the caller named, and not of a worktree of it. */
async function warningAboutLaw(
  { services }: Context<"works">,
  { ticket, cwd }: { readonly ticket?: string | undefined; readonly cwd?: string | undefined },
): Promise<readonly string[]> {
  const warning = ticket === undefined && cwd !== undefined ? await services.works.warning(cwd) : null;
  return warning === null ? [] : [warning];
}

const CARRIED_NAMED_MAX = 10;

/** Whoever works in the worktree can read the values there, also a session that was given no secret. */
async function warningAboutCarried(
  { services }: Context<"redactor" | "store" | "trees">,
  id: string,
): Promise<readonly string[]> {
  if ((await services.store.fold(Session, id)).worktree == null) return [];
  const files = await carriedSecrets(await services.trees.find(id), services.redactor);
  const more = files.length > CARRIED_NAMED_MAX ? ` and ${files.length - CARRIED_NAMED_MAX} more` : "";
  const named = files.slice(0, CARRIED_NAMED_MAX).join(", ");
  return files.length === 0
    ? []
    : [
        `Files carried into its worktree hold secrets of the vault: ${named}${more}. \`worktree.carry\` names what is carried.`,
      ];
}

function warningsAbout(
  { workspaceSlug, ground, cwd }: Pick<Input, "workspaceSlug" | "ground" | "cwd">,
  session: SessionWire,
): readonly string[] {
  const asked = workspaceSlug === undefined || workspaceSlug === session.workspaceSlug ? [] : [workspaceSlug];
  const nowhere = ground === undefined && cwd === undefined && session.workspaceSlug === DEFAULT_WORKSPACE;
  return [
    ...asked.map(
      (slug) =>
        `It is not in the workspace ${JSON.stringify(slug)}: that is not registered, or does not hold its directory.`,
    ),
    ...(nowhere ? [`No workspace is named or active: it works in the daemon's own directory, ${session.cwd}.`] : []),
  ];
}
