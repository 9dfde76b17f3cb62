import { NomosError } from "../../contract/index.ts";
import { didYouMean } from "../../domains/index.ts";
import {
  type AgentPool,
  acpDriver,
  type Manifest,
  type ManifestCatalogue,
  plainManifest,
  printDriver,
  type Resolved,
  type ResolveSources,
  resolveAgent,
  scriptDriver,
} from "../../drivers/index.ts";
import type { Clock } from "../../host/index.ts";
import type { AgentHost, Driver } from "../../turns/index.ts";
import type { ConfigService } from "../config/settings.ts";

export interface Drivers {
  readonly get: (slug: string) => Driver;
  readonly slugs: () => readonly string[];
  readonly file: (slug: string) => string | null;
  readonly environment: (slug: string) => Readonly<Record<string, string>>;
  /** Variables of its environment that the configuration takes from the vault, with the names of their secrets. */
  readonly secretVariables: (slug: string) => Readonly<Record<string, string>>;
  /** Null for a built-in driver or a file: only foreign agents have a manifest. */
  readonly manifest: (slug: string) => Manifest | null;
  readonly resolve: (manifest: Manifest) => Promise<Resolved>;
  readonly sources: ResolveSources;
}

export interface DriverParts {
  readonly config: ConfigService;
  readonly builtIn: readonly Driver[];
  readonly catalogue: ManifestCatalogue;
  readonly pool: AgentPool;
  readonly host: AgentHost;
  readonly clock: Clock;
  readonly version: string;
  readonly sources: Omit<ResolveSources, "override">;
}

/**
 * The built-in drivers, one for each manifest, and one for each file or command in the configuration. Looked up each time,
 * so that a changed configuration applies at once.
 */
export function createDrivers(parts: DriverParts): Drivers {
  const { config, catalogue } = parts;
  const builtIn = new Map(parts.builtIn.map((driver) => [driver.slug, driver]));
  const configured = (slug: string) => {
    const all = config.show().drivers ?? {};
    return Object.hasOwn(all, slug) ? all[slug] : undefined;
  };
  /** Without what comes from the vault: that is added when a process of a session starts. */
  const override = (slug: string) => {
    const found = configured(slug);
    if (found?.env === undefined) return found === undefined ? undefined : { ...found, env: undefined };
    const env = Object.entries(found.env).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value] as const] : [],
    );
    return { ...found, env: Object.fromEntries(env) };
  };
  const sources: ResolveSources = { ...parts.sources, override };
  const resolve = (described: Manifest) => resolveAgent(described, sources);
  const plain = keepPlain();
  const manifest = (slug: string): Manifest | null => {
    if (builtIn.has(slug)) return null;
    const { file, command } = override(slug) ?? {};
    if (file !== undefined) return null;
    return catalogue.get(slug)?.manifest ?? (command === undefined ? null : plain(slug, command));
  };
  const get = (slug: string): Driver => {
    const known = builtIn.get(slug);
    if (known !== undefined) return known;
    const file = override(slug)?.file;
    if (file !== undefined) return scriptDriver(slug, file);
    const described = manifest(slug);
    if (described !== null) {
      const own = { ...parts, manifest: described, resolve: () => resolve(described) };
      return described.protocol === "print" ? printDriver(own) : acpDriver(own);
    }
    const message = `There is no driver \`${slug}\`.${didYouMean(slug, slugs())}`;
    throw new NomosError("not_installed", { driver: slug, installed: slugs() }, { message });
  };
  const slugs = (): readonly string[] => {
    const configured = Object.entries(config.show().drivers ?? {}).flatMap(([slug, { file, command }]) =>
      file === undefined && command === undefined ? [] : slug,
    );
    return [...new Set([...builtIn.keys(), ...catalogue.slugs(), ...configured])];
  };
  return {
    get,
    slugs,
    manifest,
    resolve,
    sources,
    file: (slug) => override(slug)?.file ?? null,
    environment: (slug) => {
      // The environment of a foreign agent is computed when its program is found.
      if (manifest(slug) !== null) return {};
      const { env = {}, home } = override(slug) ?? {};
      return home === undefined ? env : { ...env, HOME: home };
    },
    secretVariables: (slug) => {
      const env = Object.entries(configured(slug)?.env ?? {});
      return Object.fromEntries(
        env.flatMap(([name, value]) => (typeof value === "string" ? [] : [[name, value.secret] as const])),
      );
    },
  };
}

/** Every turn asks for its driver, and a manifest takes longer to parse than all of a turn's other reads. */
function keepPlain(): (slug: string, command: string) => Manifest {
  const kept = new Map<string, { readonly command: string; readonly manifest: Manifest }>();
  return (slug, command) => {
    const known = kept.get(slug);
    if (known?.command === command) return known.manifest;
    const manifest = plainManifest(slug, command);
    kept.set(slug, { command, manifest });
    return manifest;
  };
}
