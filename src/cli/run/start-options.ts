import { resolve } from "node:path";
import type { InputOf } from "../../client/index.ts";
import { usageError } from "../arguments.ts";
import type { Terminal } from "../terminal.ts";

/** The options of `run` that say how a session starts. */
export const START_OPTIONS = {
  agent: { type: "string", short: "a" },
  cwd: { type: "string", short: "C" },
  workspace: { type: "string", short: "w" },
  label: { type: "string" },
  title: { type: "string" },
  file: { type: "string" },
  worktree: { type: "boolean" },
  base: { type: "string" },
  sandbox: { type: "string" },
  scope: { type: "string", multiple: true },
  network: { type: "string", multiple: true },
  mode: { type: "string" },
  model: { type: "string" },
  secret: { type: "string", multiple: true },
  ticket: { type: "string" },
  audit: { type: "boolean" },
} as const;

export interface StartOptions {
  readonly agent?: string | undefined;
  readonly cwd?: string | undefined;
  readonly workspace?: string | undefined;
  readonly label?: string | undefined;
  readonly title?: string | undefined;
  readonly file?: string | undefined;
  readonly worktree?: boolean | undefined;
  readonly base?: string | undefined;
  readonly sandbox?: string | undefined;
  readonly scope?: readonly string[] | undefined;
  readonly network?: readonly string[] | undefined;
  readonly mode?: string | undefined;
  readonly model?: string | undefined;
  readonly secret?: readonly string[] | undefined;
  readonly ticket?: string | undefined;
  readonly audit?: boolean | undefined;
}

/** Those of one agent or one directory alone. */
type Own = "agent" | "file" | "worktree" | "model" | "base" | "ticket" | "audit";

/** What `session.start` and `fan-out.start` have in common. `--scope !PATTERN` denies; lists may be repeated or have commas. */
export function sharedInput({ cwd: here }: Pick<Terminal, "cwd">, options: Omit<StartOptions, Own>) {
  const { label, title, mode, workspace } = options;
  const sandbox = SANDBOXES.find((one) => one === options.sandbox);
  if (options.sandbox !== undefined && sandbox === undefined)
    throw usageError(`--sandbox is one of ${SANDBOXES.join(", ")}.`);
  const patterns = listed(options.scope);
  const hosts = listed(options.network);
  const secrets = listed(options.secret);
  const deny = patterns.filter((one) => one.startsWith("!")).map((one) => one.slice(1));
  const allow = patterns.filter((one) => !one.startsWith("!"));
  return {
    ...(workspace === undefined
      ? { cwd: resolve(here, options.cwd ?? ".") }
      : { ground: `ws://workspaces/${workspace}` }),
    ...(label === undefined ? {} : { label }),
    ...(title === undefined ? {} : { title }),
    ...(mode === undefined ? {} : { mode }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(patterns.length === 0 ? {} : { scope: { allow, deny } }),
    ...(hosts.length === 0 ? {} : { network: { allow: hosts } }),
    ...(secrets.length === 0 ? {} : { secrets: [...secrets] }),
  };
}

const SANDBOXES = ["off", "warn", "enforce", "strict"] as const;

/** The input of `session.start`. On a ticket an empty prompt stands for the ticket's own text. */
export function startInput(
  terminal: Pick<Terminal, "cwd">,
  agent: { readonly slug: string; readonly driver: string },
  prompt: string,
  options: StartOptions,
): InputOf<"session.start"> {
  const { file, base, model, ticket } = options;
  if (options.audit === true && ticket === undefined) throw usageError("--audit is for a session with --ticket.");
  return {
    ...{ adapter: agent.driver, agent: agent.slug },
    ...(ticket !== undefined && prompt === "" ? {} : { prompt }),
    ...(ticket === undefined ? {} : { ticket }),
    ...(options.audit === true ? { audit: true } : {}),
    ...sharedInput(terminal, options),
    ...(model === undefined ? {} : { model }),
    ...(file === undefined ? {} : { file: resolve(terminal.cwd, file) }),
    ...(options.worktree === true || base !== undefined ? { worktree: true } : {}),
    ...(base === undefined ? {} : { base }),
  };
}

export function listed(values: readonly string[] | undefined): readonly string[] {
  return (values ?? []).flatMap((value) => value.split(",")).filter((value) => value !== "");
}
