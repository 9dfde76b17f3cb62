import { dirname } from "node:path";
import { NomosError } from "../contract/index.ts";
import { createInstaller, DriverError, installHint, isInstalled, probeAgent, type Shelf } from "../drivers/index.ts";
import type { Clock } from "../host/index.ts";
import type { SessionProcesses } from "../supervisor/index.ts";
import type { DriverDesk, DriverShown } from "../syscalls/index.ts";
import type { Drivers } from "./drivers.ts";
import type { ProgramRunner } from "./run-program.ts";

/** What a person does with drivers: look, install, try out, add. */
export function createDriverDesk(parts: {
  readonly drivers: Drivers;
  readonly shelf: Shelf;
  readonly agentsFolder: string;
  readonly programs: ProgramRunner;
  readonly processes: SessionProcesses;
  readonly clock: Clock;
  readonly version: string;
}): DriverDesk {
  const { drivers, shelf, agentsFolder, programs } = parts;
  const installer = createInstaller(agentsFolder, programs.run);

  const described = (slug: string) => {
    drivers.get(slug);
    const manifest = drivers.manifest(slug);
    if (manifest === null) throw new NomosError("invalid_request", { slug, reason: "this driver is part of Nomos" });
    return manifest;
  };
  const show = async (slug: string): Promise<DriverShown> => {
    const { summary, continuity } = drivers.get(slug);
    const manifest = drivers.manifest(slug);
    if (manifest === null)
      return { slug, summary, continuity, protocol: "own", origin: "built-in", installed: true, manifest: null };
    const origin = shelf.get(slug)?.origin ?? "configured";
    const installed = await isInstalled(manifest, drivers.sources);
    return { slug, summary, continuity, protocol: manifest.protocol, origin, installed, manifest };
  };

  return {
    list: () => Promise.all(drivers.list().map(({ slug }) => show(slug))),
    slugs: () => drivers.list().map(({ slug }) => slug),
    show,
    install: (slug, report) => installer.install(described(slug), report),
    check: async (slug) => {
      const manifest = described(slug);
      try {
        const found = await drivers.resolve(manifest);
        const { argv, version, from } = found;
        const shown = { slug, ok: true, from, command: [...argv], version, problem: null };
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
    add: async (text) => (await shelf.add(text)).id,
    remove: (slug) => shelf.remove(slug),
  };
}

function stepsOf({ code, details }: DriverError, install: readonly string[]): string[] {
  const steps = details["steps"];
  if (Array.isArray(steps)) return steps.map(String);
  return code === "not_installed" || code === "agent_version" ? [...install] : [];
}
