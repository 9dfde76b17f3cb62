import { randomBytes } from "node:crypto";
import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "../../host/index.ts";
import { DriverError } from "../../turns/index.ts";
import type { Manifest } from "./manifest.ts";
import { installHint } from "./resolve.ts";

export interface Installer {
  /** Installs the agent into its folder; the old version is replaced only when the new one is complete. */
  readonly install: (manifest: Manifest, report: (line: string) => void) => Promise<void>;
}

/** Runs a program in a directory to its end; returns the last part of its output. */
export type RunTool = (
  argv: readonly string[],
  cwd: string,
  timeMaxMs: number,
  report: (line: string) => void,
) => Promise<{ readonly exitCode: number | null; readonly tail: string }>;

const INSTALL_MAX_MS = 900_000;
/** No telemetry, no funding notes, and no lockfile. */
const NPM = ["npm", "install", "--no-audit", "--no-fund", "--no-save", "--no-package-lock", "--loglevel=warn"];

export function createInstaller(agents: string, run: RunTool): Installer {
  const underWay = new Map<string, Promise<void>>();

  const installOnce = async (manifest: Manifest, report: (line: string) => void): Promise<void> => {
    const way = manifest.install.find(({ method }) => method === "npm");
    if (way?.method !== "npm")
      throw new DriverError("setup_required", `${manifest.name} is not installed by Nomos: ${installHint(manifest)}`, {
        steps: [...installHint(manifest)],
      });
    await mkdir(agents, { recursive: true, mode: 0o700 });
    const fresh = join(agents, `.${manifest.id}-${randomBytes(6).toString("hex")}`);
    const home = join(agents, manifest.id);
    await mkdir(fresh, { mode: 0o700 });
    try {
      report(`npm fetches ${way.packages.join(" ")}`);
      // npm's warnings are about its own settings.
      const worth = (line: string): void => (/^npm (warn|notice)/i.test(line) ? undefined : report(line));
      const { exitCode, tail } = await run([...NPM, "--prefix", fresh, ...way.packages], fresh, INSTALL_MAX_MS, worth);
      if (exitCode !== 0)
        throw new DriverError("driver_failed", `npm could not install ${way.packages.join(" ")}: ${tail}`, {
          exitCode,
        });
      const old = `${fresh}-old`;
      await rename(home, old).catch(() => undefined);
      await rename(fresh, home);
      await removeTree(old);
    } finally {
      await removeTree(fresh);
    }
  };

  return {
    install: (manifest, report) => {
      const running = underWay.get(manifest.id);
      if (running !== undefined) return running;
      const mine = installOnce(manifest, report).finally(() => underWay.delete(manifest.id));
      underWay.set(manifest.id, mine);
      return mine;
    },
  };
}
