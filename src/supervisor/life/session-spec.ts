import { isAbsolute, resolve } from "node:path";
import { refusalError } from "../../contract/index.ts";
import type { Files, Missing } from "../../host/index.ts";
import { isRefusal, parseScope, type SandboxMode, type SessionSpec, sessionName } from "../../kernel/index.ts";
import type { Driver } from "../../turns/index.ts";
import { chooseSandbox } from "./sandbox-choice.ts";
import { type PlaceInput, type PlaceSources, placeBelow, placeOf } from "./session-directory.ts";

export interface OpenInput extends PlaceInput {
  readonly adapter: string;
  readonly agent?: string | undefined;
  /** Whom it may start; given when somebody said which agent it works as. */
  readonly delegates?: readonly string[] | undefined;
  readonly label?: string | undefined;
  readonly sandbox?: SandboxMode | undefined;
  readonly scope?:
    | { readonly allow?: readonly string[] | undefined; readonly deny?: readonly string[] | undefined }
    | undefined;
  readonly network?: { readonly allow: readonly string[] } | undefined;
  readonly worktree?: boolean | undefined;
  /** What the worktree starts from; default: HEAD. */
  readonly base?: string | undefined;
  /** The worktree of a session before, to go on in. */
  readonly attach?: string | undefined;
  readonly file?: string | undefined;
  readonly external?: { readonly pid: number; readonly startTime: string } | undefined;
  /** The weakest sandbox that whoever asks may start a session in. */
  readonly floor?: SandboxMode | undefined;
}

/** The session that starts this one, when it is not a person who does. */
export interface Parent {
  readonly id: string;
  readonly spec: SessionSpec;
}

export interface SpecSources extends PlaceSources {
  readonly files: Pick<Files, "directory" | "place">;
  readonly driver: (slug: string) => Driver;
  /** The file that the configuration gives a driver of the user's own. */
  readonly driverFile: (slug: string) => string | null;
  readonly random: () => Uint8Array;
  /** Why `strict` cannot be held on this machine; null: it can. */
  readonly strictMissing: Missing | null;
  /** Refuses a directory that cannot be walled off, to be worked in as it is or in a worktree. */
  readonly tryWalls: (spec: SessionSpec, place: "here" | "worktree") => void;
}

/** What a new session will be, checked before it exists: a refused spawn leaves nothing behind. */
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
  };
  const isTree = input.worktree === true || spec.scope !== null;
  if (spec.sandbox === "strict") sources.tryWalls(spec, isTree ? "worktree" : "here");
  await driver.check(spec);
  return spec;
}

/** Whoever is started by a session with a scope works within that scope. */
function scopeOf({ scope }: OpenInput, parent: Parent | null): SessionSpec["scope"] {
  if (parent !== null) return parent.spec.scope;
  if (scope === undefined) return null;
  const parsed = parseScope(scope);
  if (isRefusal(parsed)) throw refusalError(parsed);
  return parsed;
}

/** What drives a session is shown to it, with what lies beside it: whoever stays in the workspaces names a file in there. */
function givenFile({ file, onlyRegistered }: OpenInput, cwd: string, { files }: SpecSources): string | undefined {
  if (file === undefined || onlyRegistered !== true) return file;
  return resolve(cwd, files.place(cwd, file));
}
