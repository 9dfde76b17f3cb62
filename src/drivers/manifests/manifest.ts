import * as z from "zod";
import type { DriverSettings, SessionSpec } from "../../kernel/index.ts";
import { DriverError } from "../../turns/index.ts";

/** A path below HOME, with a plain name. */
const StatePath = z.string().regex(/^(?!.*(^|\/)\.\.?(\/|$))[^/\0][^\0]*$/, "a path below HOME");

/**
 * Everything Nomos knows about a foreign agent: one small file, no code. The names are those of AIP-45's AGENT-CLI
 * manifest; `print`, `env`, `state`, `walled`, `endpoints`, `timeouts` and `unproved` are additions.
 */
export const Manifest = z.object({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, "lower case letters, digits and dashes"),
  name: z.string().min(1).max(80),
  description: z.string().max(500),
  version: z.string().max(40).default("1.0.0"),
  protocol: z.enum(["acp", "print"]),
  /** The ACP version to ask for. An agent that answers 1 is spoken to in version 1. */
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
  /** Which versions work. The package's own file is read first; `args` are for a program found on the PATH. */
  version_check: z
    .object({
      package: z.string().optional(),
      args: z.array(z.string()).default(["--version"]),
      range: z.string().max(80),
      timeout_ms: z.number().int().default(20_000),
    })
    .optional(),
  env: z.record(z.string(), z.string()).default({}),
  /** The files of the person's HOME that it gets behind walls, where the session has its own HOME. */
  state: z
    .object({
      /** Files that hold only a login: shared with the person, so that a renewed key is valid for both. */
      login: z.array(StatePath).default([]),
      /**
       * Copied when the session's HOME is made; the session may change its copy. Files that can run programs are never
       * shared.
       */
      config: z.array(StatePath).default([]),
      /** Variables that give one of these files another path. */
      variables: z.record(z.string(), StatePath).default({}),
    })
    .default({ login: [], config: [], variables: {} }),
  /**
   * Extra arguments and variables behind walls: an agent's own sandbox may need what the walls deny, such as a user
   * namespace.
   */
  walled: z.object({ env: z.record(z.string(), z.string()).default({}) }).default({ env: {} }),
  /** Hosts of its model, unless a variable or its configuration says otherwise: `host`, `host:port` or `*.host`. */
  endpoints: z.array(z.string().max(255)).default([]),
  auth: z
    .object({
      /** Variables that hold its keys: passed from the daemon's environment to this agent only. */
      env: z.array(z.string()).default([]),
      /** Where it keeps its login, below HOME. One of these, or one of `env`, must exist. */
      paths: z.array(z.string()).default([]),
      /** How a person logs in. */
      login: z.array(z.string()).default([]),
      /** The protocol's login method that needs no person. */
      method: z.string().optional(),
    })
    .optional(),
  modes: z
    .array(
      z.object({
        id: z.string(),
        description: z.string().default(""),
        bin_args_append: z.array(z.string()).default([]),
        /** Replaces these arguments behind our walls, for an agent whose own sandbox cannot run there. */
        walled_args: z.array(z.string()).optional(),
        /**
         * For a one-shot program that reads its mode from a variable. It overrides the person's own, because the mode
         * was chosen.
         */
        env: z.record(z.string(), z.string()).default({}),
      }),
    )
    .default([]),
  /** The mode to start in; without it the agent chooses, possibly a mode that never asks. */
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
      /** Before the prompt; `{prompt}` is replaced by it, otherwise it goes to stdin. */
      args: z.array(z.string()),
      /** Replaces `args` when the native session is resumed: `{id}` is its id. */
      resume_args: z.array(z.string()).default([]),
    })
    .optional(),
  /** What could not be tested, in one sentence. */
  unproved: z.string().optional(),
});
export type Manifest = z.infer<typeof Manifest>;

/**
 * How it runs behind walls, and without. Behind walls it overrides the person's settings, which would not work there.
 */
export function asHeld<T extends { readonly env: Readonly<Record<string, string>> }>(
  { walled }: Manifest,
  { sandbox }: Pick<SessionSpec, "sandbox">,
  found: T,
): T {
  if (sandbox !== "strict") return found;
  return { ...found, env: { ...found.env, ...walled.env } };
}

/** The members that are set, to override others. */
export function given<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

/** Refuses what the manifest rules out before anything starts; what it does not list is left to the agent. */
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
