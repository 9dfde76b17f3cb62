import { dirname } from "node:path";
import { NomosError } from "../../contract/index.ts";
import {
  type AgentInfo,
  createInstaller,
  installHint,
  isInstalled,
  type ManifestCatalogue,
  probeAgent,
} from "../../drivers/index.ts";
import type { Clock } from "../../host/index.ts";
import type { SessionProcesses } from "../../supervisor/index.ts";
import { DriverError } from "../../turns/index.ts";
import { hiddenValues, shownArguments } from "../config/shown-config.ts";
import type { Drivers } from "./drivers.ts";
import { type CheckNewest, createNewestChecks, type NewestChecked } from "./newest/newest-checks.ts";
import { newestPage, refuseOtherFile, writeNewestPage } from "./newest/newest-page.ts";
import type { ProgramRunner } from "./run-program.ts";

export interface DriverCatalogue {
  readonly slugs: () => readonly string[];
  readonly isInstalled: (slug: string) => Promise<boolean>;
  readonly list: () => Promise<readonly DriverShown[]>;
  /** Throws `not_installed` for an unknown driver. */
  readonly show: (slug: string) => Promise<DriverShown>;
  readonly install: (slug: string, report: (line: string) => void) => Promise<void>;
  readonly check: (slug: string) => Promise<DriverChecked>;
  /** Tries the newest release of an agent, or of all that are installed, in a copy. */
  readonly checkNewest: CheckNewest;
  /** Throws for a place where no page may be written, before the work begins. */
  readonly refuseOtherFile: (file: string) => Promise<void>;
  /** The result as Markdown; also written to the file, where one is given. */
  readonly newestPage: (checked: readonly NewestChecked[], file: string | null) => Promise<string>;
  /** The slug that the manifest names. */
  readonly add: (manifest: string) => Promise<string>;
  readonly remove: (slug: string) => Promise<boolean>;
}

export interface DriverShown {
  readonly slug: string;
  readonly summary: string;
  readonly continuity: string;
  readonly protocol: "acp" | "print" | "own";
  readonly origin: "built-in" | "added" | "configured";
  readonly installed: boolean;
  readonly manifest: object | null;
}

/** The result of trying an agent. A problem is part of the answer, not an error. */
export interface DriverChecked {
  readonly slug: string;
  readonly ok: boolean;
  readonly from: "command" | "home" | "path" | null;
  readonly command: string[];
  readonly version: string | null;
  readonly problem: { readonly code: string; readonly message: string; readonly steps: string[] } | null;
  readonly agent:
    | (Omit<AgentInfo, "authMethods"> & { readonly authMethods: { id: string; name: string; description: string }[] })
    | null;
}

/** Lists, installs, tries, adds and removes drivers. */
export function createDriverCatalogue(parts: {
  readonly drivers: Drivers;
  readonly catalogue: ManifestCatalogue;
  readonly agentsFolder: string;
  readonly programs: ProgramRunner;
  readonly processes: SessionProcesses;
  readonly clock: Clock;
  readonly version: string;
}): DriverCatalogue {
  const { drivers, catalogue, agentsFolder, programs } = parts;
  const installer = createInstaller(agentsFolder, programs.run);

  const described = (slug: string) => {
    drivers.get(slug);
    const manifest = drivers.manifest(slug);
    if (manifest === null) {
      const message = `\`${slug}\` is part of Nomos: there is nothing to install or to check.`;
      throw new NomosError(
        "invalid_request",
        { slug, reason: "this driver is part of Nomos" },
        { message, remedy: `Run \`nomos run -a ${slug} "prompt"\`.` },
      );
    }
    return manifest;
  };
  const show = async (slug: string): Promise<DriverShown> => {
    const { summary, continuity } = drivers.get(slug);
    const manifest = drivers.manifest(slug);
    if (manifest === null)
      return { slug, summary, continuity, protocol: "own", origin: "built-in", installed: true, manifest: null };
    const origin = catalogue.get(slug)?.origin ?? "configured";
    const installed = await isInstalled(manifest, drivers.sources);
    const shown = origin === "built-in" ? manifest : shownManifest(manifest);
    return { slug, summary, continuity, protocol: manifest.protocol, origin, installed, manifest: shown };
  };

  const isConfigured = (slug: string): boolean =>
    drivers.sources.override(slug)?.args !== undefined || catalogue.get(slug)?.origin !== "built-in";

  return {
    list: () => Promise.all(drivers.slugs().map(show)),
    slugs: drivers.slugs,
    isInstalled: async (slug) => drivers.slugs().includes(slug) && (await show(slug)).installed,
    show,
    install: (slug, report) => installer.install(described(slug), report),
    check: async (slug) => {
      const manifest = described(slug);
      try {
        const found = await drivers.resolve(manifest);
        const { argv, version, from } = found;
        const [program = "", ...args] = argv;
        const command = [program, ...(isConfigured(slug) ? shownArguments(args) : args)];
        const shown = { slug, ok: true, from, command, version, problem: null };
        if (manifest.protocol === "print") return { ...shown, agent: null };
        const { processes, clock, version: own } = parts;
        const cwd = dirname(dirname(agentsFolder));
        const info = await probeAgent(manifest, found, { host: processes.agents, clock, cwd, version: own });
        return { ...shown, agent: { ...info, authMethods: info.authMethods.map((method) => ({ ...method })) } };
      } catch (thrown) {
        if (!(thrown instanceof DriverError)) throw thrown;
        const problem = { code: thrown.code, message: thrown.message, steps: stepsOf(thrown, installHint(manifest)) };
        return { slug, ok: false, from: null, command: [], version: null, problem, agent: null };
      }
    },
    checkNewest: createNewestChecks(parts),
    refuseOtherFile: (file) => refuseOtherFile(dirname(agentsFolder), file),
    newestPage: async (checked, file) => {
      const page = newestPage(checked, parts.clock.iso(parts.clock.nowMs()).slice(0, DAY_CHARS));
      if (file !== null) await writeNewestPage(dirname(agentsFolder), file, page);
      return page;
    },
    add: async (text) => (await catalogue.add(text)).id,
    remove: (slug) => catalogue.remove(slug),
  };
}

const DAY_CHARS = 10;

function stepsOf({ code, details }: DriverError, install: readonly string[]): string[] {
  const steps = details["steps"];
  if (Array.isArray(steps)) return steps.map(String);
  return code === "not_installed" || code === "agent_version" ? [...install] : [];
}

const ARGUMENT_LISTS = ["bin_args", "bin_args_append", "walled_args", "args", "resume_args", "bin_args_template"];

/** Hides values of a manifest that the person added: its environment and arguments may hold keys. */
function shownManifest(manifest: object): object {
  return Object.fromEntries(
    Object.entries(manifest).map(([key, value]: [string, unknown]) => {
      if (Array.isArray(value) && ARGUMENT_LISTS.includes(key)) return [key, shownArguments(value)];
      if (Array.isArray(value)) return [key, value.map((one) => (isObject(one) ? shownManifest(one) : one))];
      if (!isObject(value)) return [key, value];
      return [key, key === "env" ? hiddenValues({ ...value }) : shownManifest(value)];
    }),
  );
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
