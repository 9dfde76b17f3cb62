import { join } from "node:path";
import { processIdentity } from "../host/index.ts";
import {
  createBackups,
  createBlame,
  createCallRecords,
  createDocs,
  createLawService,
  createLogReader,
  createModels,
  createReplays,
  createSecretScan,
  createToolCalls,
  createWhy,
  type HeldGovernance,
  homeState,
  keptCensus,
  type OpenedHome,
  watchEventLoop,
} from "../services/index.ts";
import { createRetention, liveSnapshots, type Retention } from "../supervisor/index.ts";
import { createHeavyCalls, createLinks, createPasses, type Services } from "../syscalls/index.ts";
import type { Sessions } from "./build-sessions.ts";
import type { ModelParts } from "./engine.ts";
import type { Machine } from "./machine.ts";
import type { WritableLog } from "./open-log.ts";
import type { Tools } from "./tools.ts";

type GivenServices = Pick<
  Services,
  | "policy"
  | "roles"
  | "landings"
  | "tickets"
  | "fanOuts"
  | "works"
  | "radar"
  | "daemon"
  | "secrets"
  | "plaintext"
  | "fingerprints"
>;

export interface ServiceParts extends GivenServices {
  readonly opened: OpenedHome;
  readonly written: WritableLog;
  readonly machine: Machine;
  readonly models: ModelParts;
  readonly tools: Tools;
  readonly sessions: Sessions;
  readonly governance: Pick<HeldGovernance, "laws">;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Builds the services that syscalls use. */
export function buildServices(parts: ServiceParts): { readonly services: Services; readonly stop: () => void } {
  const { opened, written, machine, models, tools, sessions, policy, roles, daemon, secrets, plaintext } = parts;
  const { landings, tickets, fanOuts, works, environment, radar, fingerprints } = parts;
  const { home, config, clock, store, instruments, audit, redactor } = opened;
  const { committer, fence, followers } = written;
  const { engine } = machine;
  const { supervisor, agents, delegation, workspaces, trees, tokens, frames, explainTool } = sessions;
  const eventLoop = watchEventLoop();
  const backups = createBackups({ ...audit, home, store, clock, committer, version: daemon.version });
  const services: Services = {
    ...{ store, supervisor, agents, delegation, workspaces, trees, tokens, frames, explainTool },
    ...{
      fanOuts,
      landings,
      tickets,
      works,
      radar,
      policy,
      roles,
      config,
      fence,
      followers,
      instruments,
      daemon,
      engine,
    },
    ...{ secrets, fingerprints, plaintext, redactor },
    blame: createBlame({ store, home, environment }),
    laws: createLawService({
      ...{ store, committer, home, environment, nowMs: clock.nowMs },
      ...{ scratch: join(home, "tmp", "governance"), kept: parts.governance.laws },
    }),
    why: createWhy(store),
    passes: createPasses(clock),
    links: createLinks(clock),
    heavy: createHeavyCalls(clock.steadyMs),
    docs: createDocs(),
    models: createModels({ home, config, engine, ...models }),
    mcpServers: tools.mcpServers,
    toolCalls: createToolCalls({ ...tools, committer, portOf: supervisor.portOf }),
    replays: createReplays({ ...sessions.toolRules, store, engine, policy: policy.current }),
    readLog: createLogReader(home),
    audit: audit.service(committer),
    waiting: written.waiting.service,
    bounds: written.bounds.service,
    census: keptCensus(store, clock),
    eventLoop: eventLoop.lag,
    homeState: () => homeState(home, opened.trash, sessions.forks.kept()),
    checkSnapshots: async () => machine.snapshots.check(await liveSnapshots(store)),
    backups,
    secretScan: createSecretScan({ home, store, committer, clock, redactor, secrets, backups }),
    retention: buildRetention(parts),
    callsUnderWay: new Map(),
    secretsShownOnce: new Map(),
    identify: processIdentity,
    requireDriver: (slug) => void machine.drivers.get(slug),
    drivers: machine.driverCatalogue,
    sandbox: machine.sandboxTrials(committer),
    ...createCallRecords(committer, clock),
  };
  return { services, stop: eventLoop.stop };
}

function buildRetention({ opened, written, machine, sessions }: ServiceParts): Retention {
  const { home, store, clock, log } = opened;
  return createRetention({
    store,
    committer: written.committer,
    clock,
    folder: join(home, "archive"),
    sweepSnapshots: async (ids) => {
      await sessions.forks.sweep();
      const swept = await machine.snapshots.sweep([...ids, ...(await sessions.scopes.marked())], false);
      log.write("removed snapshots that no session can go back to", { ...swept });
    },
  });
}
