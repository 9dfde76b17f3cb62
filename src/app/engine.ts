import { dirname } from "node:path";
import { builtInCatalogue, type Catalogue, createEngine, type Engine } from "../engine/index.ts";
import { systemFiles } from "../host/index.ts";
import {
  type CatalogueFile,
  createLogins,
  keyFile,
  type ModelLogins,
  type OpenedHome,
  openCatalogueFile,
  refuseHomeFiles,
  type SecretUses,
  type Toolbox,
} from "../services/index.ts";
import type { AgentHost } from "../turns/index.ts";

/** What the engine and the service of models share. */
export interface ModelParts {
  readonly file: CatalogueFile;
  /** Read once, and again after an update. */
  readonly catalogue: () => Promise<Catalogue>;
  readonly onCatalogue: () => Promise<void>;
  readonly logins: ModelLogins;
}

export function openModels({ home, config, log }: OpenedHome): ModelParts {
  const file = openCatalogueFile(home, log.write);
  let held: Promise<Catalogue> | null = null;
  const read = async (): Promise<Catalogue> => (await file.read()) ?? builtInCatalogue();
  return {
    file,
    logins: createLogins({ config, fileOf: (provider) => `${keyFile(home, provider)}.login`, log: log.write }),
    catalogue: () => {
      held ??= read();
      return held;
    },
    onCatalogue: async () => {
      held = null;
    },
  };
}

const DAY_CHARS = 10;

/** The own engine, on the home's configuration. */
export function buildEngine(
  { home, config, clock, log, identity }: OpenedHome,
  { catalogue, logins }: ModelParts,
  environment: Readonly<Record<string, string | undefined>>,
  host: AgentHost,
  tools: Toolbox,
  secrets: SecretUses,
): Engine {
  return createEngine({
    ...{ host, clock, environment, catalogue, secrets, log: log.write },
    configured: () => config.show().models ?? {},
    settings: () => config.show().engine ?? {},
    token: logins.token,
    isLoggedIn: logins.isLoggedIn,
    tools: tools.forSession,
    compose: {
      home,
      files: refuseHomeFiles(systemFiles(), identity),
      today: () => clock.iso(clock.nowMs()).slice(0, DAY_CHARS),
    },
    cwd: dirname(home),
  });
}
