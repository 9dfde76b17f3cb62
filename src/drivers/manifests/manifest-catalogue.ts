import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { readSmallFile, writeFileAtomic } from "../../host/index.ts";
import { DriverError } from "../../turns/index.ts";
import { builtInManifest, builtInSlugs } from "./built-in.ts";
import { Manifest } from "./manifest.ts";

/** All manifests: the built-in ones and those a person added, which take precedence. */
export interface ManifestCatalogue {
  readonly get: (slug: string) => ListedManifest | null;
  readonly slugs: () => readonly string[];
  readonly add: (text: string) => Promise<Manifest>;
  readonly remove: (slug: string) => Promise<boolean>;
}

export interface ListedManifest {
  readonly manifest: Manifest;
  readonly origin: "built-in" | "added";
}

const MANIFEST_BYTES_MAX = 65_536;

/**
 * `folder` is read once and changed only through this object. Files in it that are not manifests are reported and
 * skipped.
 */
export async function openShelf(
  folder: string,
  onBad: (file: string, problem: string) => void,
): Promise<ManifestCatalogue> {
  const added = new Map<string, Manifest>();
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => one.endsWith(".json")).toSorted()) {
    try {
      const manifest = parseManifest((await readSmallFile(join(folder, name), MANIFEST_BYTES_MAX)) ?? "");
      added.set(manifest.id, manifest);
    } catch (thrown) {
      onBad(name, thrown instanceof Error ? thrown.message : String(thrown));
    }
  }
  const get = (slug: string): ListedManifest | null => {
    const own = added.get(slug);
    if (own !== undefined) return { manifest: own, origin: "added" };
    const known = builtInManifest(slug);
    return known === null ? null : { manifest: known, origin: "built-in" };
  };
  return {
    get,
    slugs: () => [...new Set([...builtInSlugs(), ...added.keys()])],
    add: async (text) => {
      const manifest = parseManifest(text);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const bytes = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
      await writeFileAtomic(join(folder, `${manifest.id}.json`), bytes, { mode: 0o600 });
      added.set(manifest.id, manifest);
      return manifest;
    },
    remove: async (slug) => {
      await rm(join(folder, `${slug}.json`), { force: true });
      return added.delete(slug);
    },
  };
}

function parseManifest(text: string): Manifest {
  if (text.length > MANIFEST_BYTES_MAX)
    throw new DriverError("invalid_request", "a manifest is a small file", { bytesMax: MANIFEST_BYTES_MAX });
  const parsed = Manifest.safeParse(jsonOf(text));
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => ({ field: path.join("."), message }));
    throw new DriverError("invalid_request", `not a manifest: ${JSON.stringify(issues).slice(0, 1000)}`, { issues });
  }
  const { protocol, print, id } = parsed.data;
  if (protocol === "print" && print === undefined)
    throw new DriverError("invalid_request", `${id} speaks \`print\` and does not say how`, { field: "print" });
  return parsed.data;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new DriverError("invalid_request", `a manifest is JSON: ${String(cause)}`, { reason: String(cause) });
  }
}

/** For a configured command without a manifest: it speaks ACP, and the agent itself reports the rest. */
export function plainManifest(slug: string, command: string): Manifest {
  return Manifest.parse({
    id: slug,
    name: slug,
    description: `${command}, over ACP, as configured`,
    protocol: "acp",
    bin: slug,
  });
}
