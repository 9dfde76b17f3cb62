import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import versions from "./versions.json" with { type: "json" };

export type PeerPackage = keyof typeof versions;

const INSTALL_MAX_MS = 600_000;
const NPM = [
  ...["install", "--no-audit", "--no-fund", "--no-save", "--no-package-lock", "--loglevel=error"],
  ...["--prefer-offline", "--fetch-retries=1"],
];

/** Such as `acpx@0.19.1`. */
export function pinnedPeer(name: PeerPackage): string {
  return `${name}@${versions[name]}`;
}

/** Installs the peer on first use, outside the repository; returns its node_modules. */
export async function installedPeer(name: PeerPackage): Promise<string> {
  const cache = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "nomos-peers");
  const folder = join(cache, pinnedPeer(name).replaceAll("/", "+"));
  if (!existsSync(folder)) await install(pinnedPeer(name), folder);
  return join(folder, "node_modules");
}

/** Renamed into place when complete, so that an interrupted installation is not taken for one. */
async function install(pinned: string, folder: string): Promise<void> {
  const fresh = `${folder}.${process.pid}`;
  await mkdir(fresh, { recursive: true });
  try {
    const options = { cwd: fresh, timeout: INSTALL_MAX_MS };
    await promisify(execFile)("npm", [...NPM, "--prefix", fresh, pinned], options);
    await rename(fresh, folder);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}
