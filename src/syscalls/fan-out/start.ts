import * as z from "zod";
import { CheckArgv, LANDING_LIST_MAX, NomosError } from "../../contract/index.ts";
import { FANOUT_LIMITS, FanoutStream } from "../../domains/index.ts";
import { idIn, LIMITS } from "../../kernel/index.ts";
import type { RecordedEvent } from "../../store/index.ts";
import { type Context, type Syscall, write } from "../define.ts";
import { byOf } from "../session/answer.ts";
import { Prompt, Redacted, redactedIn, refuseLarge } from "../session/prompt-input.ts";
import { reachOf, refuseOwnPlace } from "../session/reach.ts";
import { agentNamed } from "../session/talk.ts";
import { FanoutWire, fanoutWire } from "./wire.ts";

const SECRETS_MAX = 64;
const BRANCH_CHARS_MAX = 250;
const AGENT_CHARS_MAX = 400;

/** Sessions with the same prompt, each in a worktree of its own, all made from one commit. */
export const fanoutStart: Syscall = write({
  name: "fan-out.start",
  summary: "Run one prompt with several agents at once, each in a worktree of its own",
  permission: "fanout.write",
  roles: [],
  needs: ["agents", "fanOuts", "redactor", "store"],
  rights: "opening",
  about: "system",
  input: z.object({
    prompt: Prompt,
    agents: z
      .array(z.string().min(1).max(AGENT_CHARS_MAX))
      .min(2)
      .max(FANOUT_LIMITS.candidates.max)
      .describe("two or more; `agent:model` chooses a model, and the same agent may be named again for another try"),
    workspaceSlug: z.string().max(1024).optional().describe("a workspace by its slug"),
    ground: z.string().max(1024).optional().describe("where they work: ws://workspaces/<slug>, and a path if needed"),
    cwd: z.string().min(1).max(4096).optional().describe("a directory of the repository, if you name no ground"),
    base: z.string().min(1).max(1024).optional().describe("branch, tag or commit to start from; default: HEAD"),
    into: z
      .string()
      .min(1)
      .max(BRANCH_CHARS_MAX)
      .optional()
      .describe("the branch that the work is tried against; default: the one that is checked out"),
    checks: z
      .array(CheckArgv)
      .max(LANDING_LIST_MAX)
      .optional()
      .describe('programs with their arguments, such as `[["npm", "test"]]`, beside the checks of the configuration'),
    mode: z.string().min(1).max(200).optional().describe("the agents' mode"),
    sandbox: z.enum(["off", "warn", "enforce", "strict"]).optional(),
    scope: z
      .object({ allow: z.array(z.string()).optional(), deny: z.array(z.string()).optional() })
      .optional()
      .describe("paths they may change, below the repository's root"),
    network: z.object({ allow: z.array(z.string()) }).optional(),
    secrets: z.array(z.string().max(200)).max(SECRETS_MAX).optional().describe("secrets they get as variables"),
    label: z.string().max(LIMITS.labelChars).optional().describe("of the sessions; default: `fan-out` and its name"),
    title: z.string().max(LIMITS.titleChars).optional().describe("of the sessions; default: the prompt's first line"),
  }),
  output: FanoutWire.extend({ redacted: Redacted }),
  errors: [
    ...(["fanout_too_few", "fanout_too_many", "invalid_agent", "payload_too_large", "quota_exceeded"] as const),
    ...(["disk_low", "disk_full", "limit_reached", "cwd_missing", "cwd_hidden", "path_outside"] as const),
    ...(["workspace_not_found", "invalid_ground", "not_installed", "agent_version", "setup_required"] as const),
    ...(["unknown_mode", "unknown_model", "unknown_option", "sandbox_unavailable", "sandbox_floor"] as const),
    ...(["scope_invalid", "not_a_repository", "repository_invalid", "worktree_base_missing"] as const),
    ...(["git_missing", "git_failed", "secret_not_found", "secret_lost", "secret_not_variable"] as const),
    ...(["vault_locked", "driver_file_invalid"] as const),
  ],
  http: { method: "POST", path: "/api/fan-outs", status: 201 },
  cli: {
    positional: ["prompt"],
    paths: ["cwd"],
    here: { member: "cwd", unless: ["ground", "workspaceSlug"] },
    says: [
      "Started {name} with {candidates.length|candidate}.",
      "{redacted.length|secret} in the prompt: the agents get a mark in its place.",
      "Next: nomos fan-out wait {name}",
    ],
  },
  commit: async (context, { prompt, agents, ...given }) => {
    refuseLarge(prompt);
    // A check of the caller's is a program of the caller's.
    if (given.checks !== undefined) refuseOwnPlace(context.actor, "checks");
    const { floor, onlyRegistered } = reachOf(context.actor);
    const candidates = await Promise.all(agents.map((one) => candidateIn(context, one)));
    return context.services.fanOuts.start(
      {
        ...{ prompt, candidates, base: given.base, into: given.into ?? null, checks: given.checks ?? [] },
        start: {
          cwd: given.cwd,
          ground: groundIn(given),
          sandbox: given.sandbox ?? null,
          scope: scopeIn(given.scope),
          network: given.network ?? null,
          secrets: given.secrets ?? [],
          mode: given.mode ?? null,
          label: given.label,
          title: given.title ?? null,
          floor: floor ?? null,
          onlyRegistered,
        },
      },
      byOf(context),
    );
  },
  answer: async (context, { prompt }, events) => {
    const id = fanoutIdIn(events);
    await context.services.fanOuts.opened(id);
    return {
      ...fanoutWire(await context.services.fanOuts.show(id)),
      ...redactedIn(context.services.redactor, prompt),
    };
  },
});

/** `claude`, or `nomos:PROVIDER/MODEL`: a model may have colons, an agent has none. */
async function candidateIn(context: Context<"agents">, given: string) {
  const [name = "", ...rest] = given.split(":");
  const { slug, driver } = await agentNamed(context, name);
  const model = rest.join(":");
  if (rest.length > 0 && model === "")
    throw new NomosError("invalid_request", { field: "agents", given, reason: "a model after the colon" });
  return { agent: slug, driver, model: rest.length === 0 ? null : model };
}

function groundIn({ ground, workspaceSlug }: { ground?: string | undefined; workspaceSlug?: string | undefined }) {
  return ground ?? (workspaceSlug === undefined ? null : `ws://workspaces/${workspaceSlug}`);
}

function scopeIn(scope: { allow?: string[] | undefined; deny?: string[] | undefined } | undefined) {
  if (scope === undefined) return null;
  const { allow, deny } = scope;
  return { ...(allow === undefined ? {} : { allow }), ...(deny === undefined ? {} : { deny }) };
}

function fanoutIdIn(events: readonly RecordedEvent[]): string {
  const [id] = events.flatMap(({ stream }) => idIn(FanoutStream, stream) ?? []);
  if (id === undefined) throw new NomosError("internal", { reason: "no fan-out in what was written" });
  return id;
}
