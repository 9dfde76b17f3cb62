import { isAbsolute, join, resolve, sep } from "node:path";
import { NomosError } from "../contract/index.ts";
import type { Driver } from "../drivers/index.ts";
import type { Files } from "../host/index.ts";
import { type SandboxMode, type SessionSpec, sessionName } from "../kernel/index.ts";

export interface OpenInput {
  readonly adapter: string;
  readonly agent?: string | undefined;
  readonly workspaceSlug?: string | undefined;
  readonly ground?: string | undefined;
  readonly cwd?: string | undefined;
  readonly label?: string | undefined;
  readonly sandbox?: SandboxMode | undefined;
  readonly scope?:
    | { readonly allow?: readonly string[] | undefined; readonly deny?: readonly string[] | undefined }
    | undefined;
  readonly network?: { readonly allow: readonly string[] } | undefined;
  readonly worktree?: boolean | undefined;
  readonly file?: string | undefined;
  readonly external?: { readonly pid: number; readonly startTime: string } | undefined;
}

export interface SpecSources {
  /** As it really is, without links. */
  readonly home: string;
  readonly files: Files;
  readonly defaultCwd: string;
  readonly driver: (slug: string) => Driver;
  /** The file that the configuration gives a driver of the user's own. */
  readonly driverFile: (slug: string) => string | null;
  readonly random: () => Uint8Array;
}

/** What a new session will be, checked before it exists: a refused spawn leaves nothing behind. */
export async function makeSpec(input: OpenInput, sources: SpecSources): Promise<SessionSpec> {
  refuseWalls(input);
  const driver = sources.driver(input.adapter);
  const cwd = await resolveCwd(input.cwd ?? sources.defaultCwd, sources);
  const file = input.file ?? sources.driverFile(input.adapter);
  const workspace = input.workspaceSlug ?? "default";
  const spec: SessionSpec = {
    name: sessionName(sources.random()),
    adapter: input.adapter,
    agent: input.agent ?? input.adapter,
    workspace,
    ground: input.ground ?? `ws://workspaces/${workspace}`,
    cwd,
    sandbox: input.sandbox ?? "off",
    scope: null,
    network: null,
    parentSessionId: null,
    depth: 0,
    file: file === null ? null : isAbsolute(file) ? file : resolve(cwd, file),
    external: input.external ?? null,
  };
  await driver.check(spec);
  return spec;
}

/** Walls that do not stand yet are refused, never pretended. */
function refuseWalls(input: OpenInput): void {
  const asked = [
    input.sandbox === undefined || input.sandbox === "off" ? null : `sandbox ${input.sandbox}`,
    input.scope === undefined ? null : "scope",
    input.network === undefined ? null : "network",
    input.worktree === true ? "worktree" : null,
  ].filter((wall) => wall !== null);
  if (asked.length > 0) throw new NomosError("sandbox_unavailable", { asked });
}

async function resolveCwd(cwd: string, sources: SpecSources): Promise<string> {
  const found = await sources.files.directory(cwd);
  if (found === null) throw new NomosError("cwd_missing", { cwd });
  const { home } = sources;
  const inside = found === home || found.startsWith(home + sep);
  if (inside && !found.startsWith(join(home, "workspaces") + sep)) throw new NomosError("cwd_hidden", { cwd });
  return found;
}
