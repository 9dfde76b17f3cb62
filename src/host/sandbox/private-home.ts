import { randomBytes } from "node:crypto";
import {
  copyFileSync,
  type Dirent,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  type Stats,
  statSync,
  symlinkSync,
} from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { UNREACHABLE, unless } from "../errno.ts";
import { isInside } from "../files/path-inside.ts";
import { INSIDE, type Mount } from "./walls.ts";

/** Which parts of a person's HOME a program needs, as paths below it. */
export interface HomeState {
  /** Files that hold only a login: shared with the person. */
  readonly login: readonly string[];
  /** Files and directories that are copied once. */
  readonly config: readonly string[];
  /** Variables that move one of these paths elsewhere. */
  readonly variables: Readonly<Record<string, string>>;
}

export interface PrivateHome {
  readonly path: string;
  readonly mounts: readonly Mount[];
  readonly environment: Readonly<Record<string, string>>;
  /** The person's own `config` entries that are files. */
  readonly configFiles: readonly string[];
}

export interface PrivateHomeOrder {
  /** For this one home; private to the daemon. */
  readonly folder: string;
  readonly personHome: string;
  readonly state: HomeState;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Makes the HOME of a session inside walls. It is filled before anything runs in it and never again, so the daemon
 * never writes where an agent could have put a link. A login is a link to the person's file, which is mounted
 * elsewhere. Settings are copied, because many of them name programs that would later run outside.
 */
export function privateHome({ folder, personHome, state, env }: PrivateHomeOrder): PrivateHome {
  const path = join(folder, "home");
  const sourceOf = (name: string) => realOf(sourceIn(name, personHome, state, env));
  const variables = Object.entries(state.variables).filter(([name]) => isAbsolute(env[name] ?? ""));
  const config = [...new Set([...state.config, ...variables.map(([, at]) => at).filter((at) => isFile(sourceOf(at)))])];
  if (!existsSync(path)) fill(folder, path, { config, login: state.login, sourceOf });
  const logins = state.login.flatMap((name, at): Mount[] => {
    const from = sourceOf(name);
    if (from === null || !isFile(from)) return [];
    return [{ path: join(INSIDE.login, String(at)), from, access: "write", why: "the login of the agent" }];
  });
  return {
    path,
    mounts: logins,
    environment: Object.fromEntries(variables.map(([name, at]) => [name, join(INSIDE.home, at)])),
    configFiles: config.flatMap((name) => sourceOf(name) ?? []).filter(isFile),
  };
}

interface Filling {
  readonly config: readonly string[];
  readonly login: readonly string[];
  readonly sourceOf: (name: string) => string | null;
}

/** Filled under a temporary name, so that an incomplete home is never used. */
function fill(folder: string, path: string, { config, login, sourceOf }: Filling): void {
  const making = join(folder, `making-${randomBytes(4).toString("hex")}`);
  mkdirSync(making, { recursive: true, mode: 0o700 });
  const budget = { entries: COPIED_ENTRIES_MAX, bytes: COPIED_BYTES_MAX };
  for (const name of config) {
    const source = sourceOf(name);
    if (source === null) continue;
    mkdirSync(dirname(join(making, name)), { recursive: true, mode: 0o700 });
    copy(source, join(making, name), budget);
  }
  for (const [at, name] of login.entries()) {
    const source = sourceOf(name);
    if (source === null || !isFile(source) || existsSync(join(making, name))) continue;
    mkdirSync(dirname(join(making, name)), { recursive: true, mode: 0o700 });
    symlinkSync(join(INSIDE.login, String(at)), join(making, name));
  }
  renameSync(making, path);
}

const COPIED_ENTRIES_MAX = 2_000;
const COPIED_BYTES_MAX = 33_554_432;

/** Copies files and directories within the budget. Links to directories and special files are skipped. */
function copy(source: string, target: string, budget: { entries: number; bytes: number }): void {
  const found = unless<Stats>(UNREACHABLE, () => statSync(source));
  budget.entries -= 1;
  if (found === null || budget.entries < 0) return;
  if (found.isFile()) {
    budget.bytes -= found.size;
    if (budget.bytes >= 0) unless(UNREACHABLE, () => copyFileSync(source, target));
  } else if (found.isDirectory()) {
    mkdirSync(target, { recursive: true, mode: 0o700 });
    const entries = unless<Dirent[]>(UNREACHABLE, () => readdirSync(source, { withFileTypes: true })) ?? [];
    for (const entry of entries) {
      const inner = join(source, entry.name);
      if (!entry.isSymbolicLink() || isFile(inner)) copy(inner, join(target, entry.name), budget);
    }
  }
}

function sourceIn(name: string, personHome: string, state: HomeState, env: PrivateHomeOrder["env"]): string {
  for (const [variable, at] of Object.entries(state.variables)) {
    const place = env[variable] ?? "";
    if (isAbsolute(place) && isInside(`/${at}`, `/${name}`)) return place + name.slice(at.length);
  }
  return join(personHome, name);
}

function realOf(path: string): string | null {
  return unless(UNREACHABLE, () => realpathSync(path));
}

function isFile(path: string | null): boolean {
  return path !== null && (unless<Stats>(UNREACHABLE, () => statSync(path))?.isFile() ?? false);
}
