import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Progress } from "../../../contract/index.ts";
import {
  createInstaller,
  inRange,
  type Manifest,
  probeSession,
  type Resolved,
  resolveAgent,
  versionIn,
} from "../../../drivers/index.ts";
import { type Clock, removeTree } from "../../../host/index.ts";
import type { SessionProcesses } from "../../../supervisor/index.ts";
import { DriverError } from "../../../turns/index.ts";
import type { Drivers } from "../drivers.ts";
import type { ProgramRunner } from "../run-program.ts";
import { newestRelease } from "./newest-release.ts";

/** What became of the newest release of an installed agent. */
export interface NewestChecked {
  readonly slug: string;
  readonly package: string;
  readonly installed: string | null;
  /** Null when the registry did not tell. */
  readonly latest: string | null;
  /** `unknown`: it could not be tried. */
  readonly state: "works" | "fails" | "unknown";
  /** Whether the manifest's range has it, so that Nomos would run it. */
  readonly isSupported: boolean;
  readonly says: string;
}

export interface NewestParts {
  readonly drivers: Drivers;
  readonly agentsFolder: string;
  readonly programs: ProgramRunner;
  readonly processes: SessionProcesses;
  readonly clock: Clock;
  readonly version: string;
}

export type CheckNewest = (
  slugs: readonly string[],
  report: (progress: Progress) => void,
  signal: AbortSignal,
) => Promise<readonly NewestChecked[]>;

const VERSION_MAX_MS = 30_000;

/** Tries the newest releases, one after another, in copies that are removed. What is installed is not touched. */
export function createNewestChecks(parts: NewestParts): CheckNewest {
  let last: Promise<unknown> = Promise.resolve();
  const checkAll: CheckNewest = async (slugs, report, signal) => {
    const manifests = slugs.flatMap((slug) => parts.drivers.manifest(slug) ?? []);
    const checked: NewestChecked[] = [];
    for (const manifest of manifests) {
      signal.throwIfAborted();
      const tell = (what: string) =>
        report({ message: `${manifest.id}: ${what}`, done: checked.length, total: manifests.length });
      checked.push(await checkOne(parts, manifest, tell));
    }
    return checked;
  };
  // Two at once would fetch gigabytes twice.
  return (slugs, report, signal) => {
    const mine = last.then(() => checkAll(slugs, report, signal));
    last = mine.catch(() => undefined);
    return mine;
  };
}

async function checkOne(parts: NewestParts, manifest: Manifest, tell: (what: string) => void): Promise<NewestChecked> {
  const packages = packagesOf(manifest);
  const name = manifest.version_check?.package ?? packages[0] ?? "";
  const about = { slug: manifest.id, package: name, installed: await installedVersion(parts.drivers, manifest) };
  if (name === "")
    return { ...about, latest: null, state: "unknown", isSupported: false, says: "It is not installed by npm." };
  const home = dirname(parts.agentsFolder);
  const id = randomBytes(6).toString("hex");
  // The folder of workspaces is what an agent's process may write to.
  const [copies, work] = [join(home, "tmp", `latest-${id}`), join(home, "workspaces", `.latest-${id}`)];
  let latest: string | null = null;
  try {
    for (const folder of [copies, work]) await mkdir(folder, { recursive: true, mode: 0o700 });
    tell(`asks for the newest release of ${name}`);
    latest = await newestRelease(parts.programs, name, copies);
    const isSupported = inRange(latest, manifest.version_check?.range ?? ">=0");
    const newest = withNewest(manifest, packages);
    tell(`installs a copy of ${name}@${latest}`);
    await createInstaller(copies, parts.programs.run).install(newest, tell);
    tell(`starts ${latest} and opens a session`);
    const says = await tried(parts, newest, { copies, work });
    return { ...about, latest, state: "works", isSupported, says };
  } catch (thrown) {
    if (!(thrown instanceof DriverError)) throw thrown;
    const isSupported = latest !== null && inRange(latest, manifest.version_check?.range ?? ">=0");
    return {
      ...about,
      latest,
      state: latest === null ? "unknown" : "fails",
      isSupported,
      says: oneLine(thrown.message),
    };
  } finally {
    await Promise.all([removeTree(copies), removeTree(work)]);
  }
}

/** With a HOME of its own and without the person's keys: nobody has tried this release before. */
async function tried(
  { drivers, programs, processes, clock, version }: NewestParts,
  manifest: Manifest,
  { copies, work }: { readonly copies: string; readonly work: string },
): Promise<string> {
  const { PATH } = drivers.sources.environment;
  const sources = { agents: copies, environment: { PATH }, override: () => undefined, ask: programs.ask };
  const found = await resolveAgent(manifest, sources);
  const resolved: Resolved = { ...found, env: { ...found.env, HOME: work } };
  if (manifest.protocol === "print") return printed(programs, manifest, resolved, copies);
  const host = processes.agents;
  const session = await probeSession(manifest, resolved, { host, clock, cwd: work, version });
  return session === "opened"
    ? "Introduces itself and opens a session."
    : "Introduces itself; a session needs a login, which was not tried.";
}

async function printed(
  programs: ProgramRunner,
  { name }: Manifest,
  { argv: [program = ""] }: Resolved,
  cwd: string,
): Promise<string> {
  const { exitCode, tail } = await programs.run([program, "--version"], cwd, VERSION_MAX_MS, () => undefined);
  if (exitCode === 0 && versionIn(tail) !== null) return "Starts and tells its version.";
  throw new DriverError("driver_failed", `${name} does not start: ${tail.slice(-SAID_CHARS)}`);
}

const SAID_CHARS = 400;

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().slice(0, SAID_CHARS);
}

/** Names of packages, without their versions. */
function packagesOf({ install }: Manifest): readonly string[] {
  const way = install.find(({ method }) => method === "npm");
  return way?.method === "npm" ? way.packages.map((one) => one.replace(/(?<=.)@[^@/]*$/, "")) : [];
}

/** Any version is in range, and no login is asked for: the release itself is what is tried. */
function withNewest(manifest: Manifest, packages: readonly string[]): Manifest {
  const { auth: _auth, version_check: _check, ...rest } = manifest;
  const newest = packages.map((name) => `${name}@latest`);
  return { ...rest, install: [{ method: "npm", packages: newest }] };
}

async function installedVersion(drivers: Drivers, manifest: Manifest): Promise<string | null> {
  try {
    return (await drivers.resolve(manifest)).version;
  } catch (thrown) {
    if (!(thrown instanceof DriverError)) throw thrown;
    const { found } = thrown.details;
    return typeof found === "string" ? found : null;
  }
}
