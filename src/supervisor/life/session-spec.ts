import { isAbsolute, resolve } from "node:path";
import { NomosError, refusalError } from "../../contract/index.ts";
import { parseScope, sessionName } from "../../domains/index.ts";
import type { Files, Missing } from "../../host/index.ts";
import { isRefusal, type SandboxMode, type SessionSpec } from "../../kernel/index.ts";
import type { Driver } from "../../turns/index.ts";
import { chooseSandbox } from "./sandbox-choice.ts";
import { type PlaceInput, type PlaceSources, placeBelow, placeOf } from "./session-directory.ts";

export interface OpenInput extends PlaceInput {
  readonly adapter: string;
  readonly agent?: string | undefined;
  /** Agents it may start; set when an agent was named for it. */
  readonly delegates?: readonly string[] | undefined;
  /** Secrets that its processes hold as variables. */
  readonly secrets?: readonly string[] | undefined;
  readonly label?: string | undefined;
  readonly title?: string | undefined;
  readonly sandbox?: SandboxMode | undefined;
  readonly scope?:
    | { readonly allow?: readonly string[] | undefined; readonly deny?: readonly string[] | undefined }
    | undefined;
  readonly network?: { readonly allow: readonly string[] } | undefined;
  readonly worktree?: boolean | undefined;
  /** The commit that the worktree starts from; default: HEAD. */
  readonly base?: string | undefined;
  /** The worktree of an earlier session to continue in. */
  readonly attach?: string | undefined;
  /** Folders that the worktree gets no file of, nor any earlier version of one. */
  readonly withhold?: readonly string[] | undefined;
  readonly file?: string | undefined;
  readonly external?: { readonly pid: number; readonly startTime: string } | undefined;
  /** The weakest sandbox mode that the caller may use. */
  readonly floor?: SandboxMode | undefined;
}

/** The session that starts this one; for a person's call there is none. */
export interface Parent {
  readonly id: string;
  readonly spec: SessionSpec;
}

export interface SpecSources extends PlaceSources {
  readonly files: Pick<Files, "directory" | "place">;
  readonly driver: (slug: string) => Driver;
  /** The file that the configuration names for a user-defined driver. */
  readonly driverFile: (slug: string) => string | null;
  readonly random: () => Uint8Array;
  /** Refuses secrets that this principal does not have, or that cannot be variables. */
  readonly requireSecrets: (spec: SessionSpec, principal: string) => Promise<void>;
  /** Why `strict` cannot be enforced on this machine; null: it can. */
  readonly strictMissing: Missing | null;
  /** Refuses a directory that cannot be confined, used directly or for a worktree. */
  readonly tryWalls: (spec: SessionSpec, place: "here" | "worktree") => void;
}

/** The checked spec of a new session. Nothing exists yet, so a refused spawn leaves nothing behind. */
export async function makeSpec(
  input: OpenInput,
  sources: SpecSources,
  parent: Parent | null = null,
): Promise<SessionSpec> {
  const held = chooseSandbox(input, parent?.spec ?? null, sources.strictMissing);
  const driver = sources.driver(input.adapter);
  const place = parent === null ? await placeOf(input, sources) : await placeBelow(parent.spec, input.ground, sources);
  const file = givenFile(input, place.cwd, sources) ?? sources.driverFile(input.adapter);
  const spec: SessionSpec = {
    name: sessionName(sources.random()),
    adapter: input.adapter,
    agent: input.agent ?? input.adapter,
    ...place,
    ...held,
    scope: scopeOf(input, parent),
    parentSessionId: parent?.id ?? null,
    depth: parent === null ? 0 : parent.spec.depth + 1,
    file: file === null ? null : isAbsolute(file) ? file : resolve(place.cwd, file),
    external: input.external ?? null,
    ...(input.delegates === undefined ? {} : { delegates: input.delegates }),
    ...secretsOf(input, parent),
  };
  const isTree = input.worktree === true || spec.scope !== null;
  if (spec.sandbox === "strict") sources.tryWalls(spec, isTree ? "worktree" : "here");
  await driver.check(spec);
  return spec;
}

/** A child gets what its parent has. What the parent lacks is refused alike, whether it exists or not. */
function secretsOf({ secrets = [] }: OpenInput, parent: Parent | null): Pick<SessionSpec, "secrets"> {
  const held = parent?.spec.secrets ?? [];
  const unheld = parent === null ? undefined : secrets.find((name) => !held.includes(name));
  if (unheld !== undefined) {
    const message = `The session holds no secret ${unheld}, so no session below it can have it.`;
    throw new NomosError("secret_not_found", { name: unheld }, { message });
  }
  return secrets.length === 0 ? {} : { secrets: [...new Set(secrets)] };
}

/** A child works within its parent's scope. */
function scopeOf({ scope }: OpenInput, parent: Parent | null): SessionSpec["scope"] {
  if (parent !== null) return parent.spec.scope;
  if (scope === undefined) return null;
  const parsed = parseScope(scope);
  if (isRefusal(parsed)) throw refusalError(parsed);
  return parsed;
}

/** A session can read its driver's file and its folder, so a caller limited to workspaces must name a file in there. */
function givenFile({ file, onlyRegistered }: OpenInput, cwd: string, { files }: SpecSources): string | undefined {
  if (file === undefined || onlyRegistered !== true) return file;
  return resolve(cwd, files.place(cwd, file));
}
