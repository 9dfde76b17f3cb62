import { readFile, stat } from "node:fs/promises";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { DriverError } from "../../turns/index.ts";
import type { Manifest } from "./manifest.ts";
import { inRange, versionIn } from "./version-range.ts";

/** How an agent is run on this machine now. */
export interface Resolved {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Directories of the Nomos home that its process must see. */
  readonly shown: readonly string[];
  /** Null when it was not checked: for a person's own command. */
  readonly version: string | null;
  readonly from: "command" | "home" | "path";
}

/** The configuration of one driver. */
export interface DriverOverride {
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly home?: string | undefined;
}

export interface ResolveSources {
  /** Where agents are installed, a directory each. */
  readonly agents: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly override: (slug: string) => DriverOverride | undefined;
  /** Runs a short program and returns its output. */
  readonly ask: (argv: readonly string[], env: Readonly<Record<string, string>>, timeMaxMs: number) => Promise<string>;
}

/** Order: the person's own command, what was installed on request, the PATH. Refuses with the remedy. */
export async function resolveAgent(manifest: Manifest, sources: ResolveSources): Promise<Resolved> {
  const override = sources.override(manifest.id) ?? {};
  const env = environmentOf(manifest, sources, override);
  const args = override.args ?? manifest.bin_args;
  if (override.command !== undefined) {
    await refuseMissing(override.command, manifest, sources);
    const argv = [override.command, ...args];
    return { argv, env, shown: [], version: null, from: "command" };
  }
  const home = join(sources.agents, manifest.id);
  const bins = join(home, "node_modules", ".bin");
  const own = join(bins, manifest.bin);
  const found: Resolved = (await isFile(own))
    ? {
        argv: [own, ...args],
        env: { ...env, PATH: withFirst(bins, env, sources) },
        shown: [home],
        version: null,
        from: "home",
      }
    : { argv: [await onPath(manifest, sources), ...args], env, shown: [], version: null, from: "path" };
  const version = await versionOf(manifest, found, home, sources);
  refuseWithoutLogin(manifest, env, override, sources);
  return { ...found, version };
}

/** Whether the program exists; not whether it works. */
export async function isInstalled(manifest: Manifest, sources: ResolveSources): Promise<boolean> {
  const command = sources.override(manifest.id)?.command;
  if (command !== undefined) return isThere(command, manifest, sources);
  if (await isFile(join(sources.agents, manifest.id, "node_modules", ".bin", manifest.bin))) return true;
  return onPath(manifest, sources).then(
    () => true,
    () => false,
  );
}

export function installHint({ id, install }: Manifest): readonly string[] {
  return install.flatMap((way) => (way.method === "npm" ? [`nomos driver install ${id}`] : way.steps));
}

function environmentOf(manifest: Manifest, { environment }: ResolveSources, override: DriverOverride) {
  const handed = (manifest.auth?.env ?? []).flatMap((name) => {
    const value = environment[name];
    return value === undefined || value === "" ? [] : [[name, value] as const];
  });
  const home = override.home === undefined ? {} : { HOME: override.home };
  return { ...Object.fromEntries(handed), ...manifest.env, ...override.env, ...home };
}

function withFirst(first: string, env: Readonly<Record<string, string>>, { environment }: ResolveSources): string {
  return [first, env["PATH"] ?? environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"].join(delimiter);
}

/** A person's own command: nothing is installed or checked, but it must exist before a session starts. */
async function refuseMissing(command: string, manifest: Manifest, sources: ResolveSources): Promise<void> {
  if (await isThere(command, manifest, sources)) return;
  const { id } = manifest;
  throw new DriverError(
    "not_installed",
    `There is no program ${command}. Install it, or mend \`drivers.${id}.command\` in the configuration.`,
    { driver: id, program: command },
  );
}

/** A relative path depends on the session's directory: it is checked at the start. */
async function isThere(command: string, { id }: Manifest, sources: ResolveSources): Promise<boolean> {
  if (isAbsolute(command)) return isFile(command);
  return (
    command.includes("/") || (await foundIn([dirname(process.execPath), ...searched(id, sources)], command)) !== null
  );
}

function searched(id: string, { environment, override }: ResolveSources): readonly string[] {
  return (override(id)?.env?.["PATH"] ?? environment["PATH"] ?? "").split(delimiter);
}

async function foundIn(folders: readonly string[], name: string): Promise<string | null> {
  for (const folder of folders) {
    const candidate = join(folder, name);
    if (folder !== "" && (await isFile(candidate))) return candidate;
  }
  return null;
}

async function onPath(manifest: Manifest, sources: ResolveSources): Promise<string> {
  const found = isAbsolute(manifest.bin)
    ? (await isFile(manifest.bin)) && manifest.bin
    : await foundIn(searched(manifest.id, sources), manifest.bin);
  if (found) return found;
  const install = installHint(manifest);
  throw new DriverError("not_installed", `${manifest.name} is not installed. Install it with: ${install.join("; ")}`, {
    driver: manifest.id,
    install: [...install],
  });
}

async function versionOf(
  manifest: Manifest,
  found: Resolved,
  home: string,
  sources: ResolveSources,
): Promise<string | null> {
  const { version_check: check } = manifest;
  if (check === undefined) return null;
  const version =
    found.from === "home" && check.package !== undefined
      ? await packageVersion(join(home, "node_modules", check.package, "package.json"))
      : versionIn(await sources.ask([found.argv[0] ?? "", ...check.args], found.env, check.timeout_ms));
  if (version !== null && inRange(version, check.range)) return version;
  throw new DriverError(
    "agent_version",
    `${manifest.name} is installed in version ${version ?? "unknown"}; it takes ${check.range}. ${installHint(manifest).join("; ")}`,
    { driver: manifest.id, found: version, range: check.range, install: [...installHint(manifest)] },
  );
}

async function packageVersion(file: string): Promise<string | null> {
  const text = await readFile(file, "utf8").catch(() => null);
  return text === null ? null : versionIn(/"version"\s*:\s*"([^"]+)"/.exec(text)?.[1] ?? "");
}

/** Only where the manifest lists every way to log in; otherwise the agent itself reports it. */
function refuseWithoutLogin(
  { auth, id, name }: Manifest,
  env: Readonly<Record<string, string>>,
  override: DriverOverride,
  { environment }: ResolveSources,
): void {
  if (auth === undefined || auth.env.length === 0 || auth.paths.length > 0) return;
  // The person's environment may hold a login that the manifest does not list.
  if (override.env !== undefined || override.home !== undefined || auth.env.some((key) => env[key] !== undefined))
    return;
  if (auth.env.some((key) => environment[key] !== undefined)) return;
  throw new DriverError("setup_required", `${name} has no key. ${auth.login.join("; ")}`, {
    driver: id,
    steps: auth.login,
    variables: auth.env,
  });
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
