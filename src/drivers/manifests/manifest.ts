import { z } from "zod";
import type { DriverSettings, SessionSpec } from "../../kernel/index.ts";
import { DriverError } from "../../turns/index.ts";

/** Below HOME, by its plain name. */
const StatePath = z.string().regex(/^(?!.*(^|\/)\.\.?(\/|$))[^/\0][^\0]*$/, "a path below HOME");

/**
 * All that Nomos knows about a foreign agent: one small file, no code. The names are those of AIP-45's AGENT-CLI
 * manifest; `print`, `env`, `state`, `walled`, `endpoints`, `timeouts` and `unproved` are additions.
 */
export const Manifest = z.object({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, "lower case letters, digits and dashes"),
  name: z.string().min(1).max(80),
  description: z.string().max(500),
  version: z.string().max(40).default("1.0.0"),
  protocol: z.enum(["acp", "print"]),
  /** The version of ACP to ask for. An agent that answers 1 to 2 is spoken to in 1. */
  acp_version: z.union([z.literal(1), z.literal(2)]).default(1),
  bin: z.string().regex(/^[A-Za-z0-9._\-/]+$/),
  bin_args: z.array(z.string()).default([]),
  install: z
    .array(
      z.discriminatedUnion("method", [
        z.object({ method: z.literal("npm"), packages: z.array(z.string().regex(/^(?!-)[@\w./~^-]+$/)).min(1) }),
        z.object({ method: z.literal("manual"), steps: z.array(z.string()).min(1) }),
      ]),
    )
    .default([]),
  /** Which version is good. The package's own file is looked at first; `args` are for a program found on the PATH. */
  version_check: z
    .object({
      package: z.string().optional(),
      args: z.array(z.string()).default(["--version"]),
      range: z.string().max(80),
      timeout_ms: z.number().int().default(20_000),
    })
    .optional(),
  env: z.record(z.string(), z.string()).default({}),
  /** What it has of the person's HOME where it stands behind walls, which is a HOME of the session's own. */
  state: z
    .object({
      /** Files that hold a login and nothing else: the person's own, so that a renewed key is good for both. */
      login: z.array(StatePath).default([]),
      /** Copied when the session's HOME is made. It may change its copy; what runs programs is never shared. */
      config: z.array(StatePath).default([]),
      /** Variables that name one of these by another path. */
      variables: z.record(z.string(), StatePath).default({}),
    })
    .default({ login: [], config: [], variables: {} }),
  /** What it is told behind walls besides: an agent's own sandbox may need what the walls deny, such as a user namespace. */
  walled: z.object({ env: z.record(z.string(), z.string()).default({}) }).default({ env: {} }),
  /** Where its model is, unless a variable or its configuration says otherwise: `host`, `host:port` or `*.host`. */
  endpoints: z.array(z.string().max(255)).default([]),
  auth: z
    .object({
      /** Variables that carry its keys: handed on to this agent alone, from the daemon's environment. */
      env: z.array(z.string()).default([]),
      /** Where it keeps a login of its own, below HOME. One of these or of `env` has to be there. */
      paths: z.array(z.string()).default([]),
      /** What a person does to log in. */
      login: z.array(z.string()).default([]),
      /** The protocol's login that needs no person. */
      method: z.string().optional(),
    })
    .optional(),
  modes: z
    .array(
      z.object({
        id: z.string(),
        description: z.string().default(""),
        bin_args_append: z.array(z.string()).default([]),
        /** Instead of these, behind our walls, for one that cannot put up its own there. */
        walled_args: z.array(z.string()).optional(),
        /** For a one-shot program that takes its mode from there. Over the person's own variables: the mode was chosen. */
        env: z.record(z.string(), z.string()).default({}),
      }),
    )
    .default([]),
  /** The mode to start in; without it the agent's own choice, which may be one that asks nobody. */
  default_mode: z.string().optional(),
  models: z
    .object({
      default: z.string().optional(),
      allowed: z.array(z.string()).default([]),
      bin_args_template: z.array(z.string()).optional(),
    })
    .default({ allowed: [] }),
  options: z
    .array(
      z.object({
        id: z.string(),
        type: z.enum(["boolean", "string", "enum"]),
        enum: z.array(z.string()).default([]),
        bin_args_template: z.array(z.string()).default([]),
      }),
    )
    .default([]),
  capabilities: z
    .object({
      many_sessions: z.boolean().default(false),
      multimodal: z.boolean().default(false),
      mcp: z.boolean().default(true),
    })
    .default({ many_sessions: false, multimodal: false, mcp: true }),
  continuation: z.object({ default: z.enum(["native-resume", "transcript"]) }).default({ default: "native-resume" }),
  timeouts: z
    .object({
      initializeMs: z.number().int().min(10),
      authenticateMs: z.number().int().min(10),
      openMs: z.number().int().min(10),
      loadMs: z.number().int().min(10),
      setMs: z.number().int().min(10),
      cancelMs: z.number().int().min(10).max(2000),
    })
    .partial()
    .default({}),
  print: z
    .object({
      schema: z.enum(["claude", "codex", "opencode", "gemini", "pi"]),
      /** Before the prompt; `{prompt}` stands for it, otherwise it goes to stdin. */
      args: z.array(z.string()),
      /** Instead of `args` when the agent's own session goes on: `{id}` is its name. */
      resume_args: z.array(z.string()).default([]),
    })
    .optional(),
  /** What nobody has been able to try, in a sentence. */
  unproved: z.string().optional(),
});
export type Manifest = z.infer<typeof Manifest>;

/** How it is run behind walls, and how without. There it counts more than what the person set, which would not work. */
export function asHeld<T extends { readonly env: Readonly<Record<string, string>> }>(
  { walled }: Manifest,
  { sandbox }: Pick<SessionSpec, "sandbox">,
  found: T,
): T {
  if (sandbox !== "strict") return found;
  return { ...found, env: { ...found.env, ...walled.env } };
}

/** Members that are set; to be laid over others. */
export function given<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

/** What the manifest rules out is refused before anything starts; what it does not list is left to the agent. */
export function checkManifestSettings(manifest: Manifest, settings: Partial<DriverSettings>): void {
  const { mode, model, options = {} } = settings;
  const modes = manifest.modes.map(({ id }) => id);
  if (mode != null && modes.length > 0 && !modes.includes(mode))
    throw new DriverError("unknown_mode", `${manifest.id} has no mode ${mode}`, { modes });
  const models = manifest.models.allowed;
  if (model != null && models.length > 0 && !models.includes(model))
    throw new DriverError("unknown_model", `${manifest.id} is not offered with the model ${model}`, { models });
  if (manifest.protocol === "acp" && manifest.options.length === 0) return;
  const known = manifest.options.map(({ id }) => id);
  for (const [id, value] of Object.entries(options)) {
    const option = manifest.options.find((one) => one.id === id);
    if (option === undefined)
      throw new DriverError("unknown_option", `${manifest.id} has no option ${id}`, { options: known });
    if (option.type === "enum" && !option.enum.includes(String(value)))
      throw new DriverError("unknown_option", `${id} cannot be ${String(value)}`, { values: option.enum });
  }
}
