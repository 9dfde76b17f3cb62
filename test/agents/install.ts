import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createInstaller, type Manifest, type RunTool } from "../../src/drivers/index.ts";
import { builtInManifests } from "../../src/drivers/manifests/built-in.ts";

/** Large, and partly not free software: never in the repository. */
export function agentsCache(): string {
  return join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "nomos-agents");
}

function manifestOf(slug: string): Manifest {
  const found = builtInManifests().find(({ id }) => id === slug);
  if (found === undefined) throw new Error(`no manifest for ${slug}`);
  return found;
}

/** The exact packages of its manifest, such as `pi-acp@0.0.34`. */
export function packagesOf(slug: string): readonly string[] {
  return manifestOf(slug).install.flatMap((way) => (way.method === "npm" ? way.packages : []));
}

/**
 * Installs the agent with the product's own installer and returns its folder. Rejects when it is missing and cannot be
 * fetched.
 */
export async function installedAgent(slug: string): Promise<string> {
  const manifest = manifestOf(slug);
  const edition = createHash("sha256").update(packagesOf(slug).join(" ")).digest("hex").slice(0, EDITION_CHARS);
  const root = join(agentsCache(), "installed", edition);
  // Drivers with the same packages share one installation.
  const first = builtInManifests().find(({ id }) => packagesOf(id).join() === packagesOf(slug).join()) ?? manifest;
  const bin = join(root, first.id, "node_modules", ".bin", manifest.bin);
  if (!existsSync(bin)) {
    await mkdir(root, { recursive: true });
    await createInstaller(root, runTool).install(first, () => undefined);
  }
  if (!existsSync(bin)) throw new Error(`${packagesOf(slug).join(" ")} brought no ${manifest.bin}`);
  return join(root, first.id);
}

const EDITION_CHARS = 12;
const PRINTED_BYTES_MAX = 16_777_216;

const runTool: RunTool = async ([program = "", ...args], cwd, timeout) => {
  try {
    const { stderr } = await promisify(execFile)(program, args, { cwd, timeout, maxBuffer: PRINTED_BYTES_MAX });
    return { exitCode: 0, tail: stderr };
  } catch (thrown) {
    return { exitCode: 1, tail: String(thrown) };
  }
};
