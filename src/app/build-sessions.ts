import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { HeldPolicy } from "../commit/index.ts";
import { ENGINE_DEFAULTS } from "../contract/index.ts";
import { systemFiles, watchDeath } from "../host/index.ts";
import { ownEntry } from "../kernel/index.ts";
import {
  type McpServerService,
  type OpenedHome,
  refuseHomeFiles,
  type SecretUses,
  setting,
  type ToolRules,
  workspaceFile,
} from "../services/index.ts";
import {
  type Advisories,
  type Agents,
  createAdvisories,
  createAgents,
  createDelegation,
  createFrames,
  createSupervisor,
  createTokens,
  createTurnRunner,
  createWorkspaces,
  type Delegation,
  type ForkFolders,
  type Frames,
  type ScopeJudge,
  type SessionTrees,
  type Supervisor,
  type Tokens,
  type WorkspaceRegistry,
} from "../supervisor/index.ts";
import { createApprovalWaiters, createToolExplainer, type ExplainTool, type SessionLaw } from "../turns/index.ts";
import type { Machine } from "./machine.ts";
import type { WritableLog } from "./open-log.ts";
import { openSessionFiles, openTrees } from "./trees.ts";

/** The supervisor, and the registries that sessions refer to: agents, tokens, workspaces, worktrees. */
export interface Sessions {
  readonly supervisor: Supervisor;
  readonly delegation: Delegation;
  readonly agents: Agents;
  readonly tokens: Tokens;
  readonly workspaces: WorkspaceRegistry;
  readonly trees: SessionTrees;
  readonly scopes: ScopeJudge;
  readonly forks: ForkFolders;
  readonly frames: Frames;
  readonly advisories: Advisories;
  readonly explainTool: ExplainTool;
  /** How tools are decided beside the policy. */
  readonly toolRules: ToolRules;
  /** Stops the watch that records when this daemon died. */
  readonly stopDeathWatch: () => void;
}

export interface SessionParts {
  readonly opened: OpenedHome;
  readonly written: WritableLog;
  readonly machine: Machine;
  readonly policy: HeldPolicy;
  readonly mcpServers: Pick<McpServerService, "beside">;
  readonly secrets: SecretUses;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The directory of sessions that name none. */
  readonly cwd: string;
  readonly startedAtMs: number;
  readonly law: SessionLaw;
}

export function buildSessions(parts: SessionParts): Sessions {
  const { opened, written, machine, environment, startedAtMs, policy } = parts;
  const { home, config, log, clock, identity, store } = opened;
  const { committer, newId } = written;
  const { bounds } = written.bounds;
  const { processes, drivers, snapshots } = machine;
  const files = refuseHomeFiles(systemFiles(), identity);
  const frames = createFrames();
  const agents = createAgents(store, committer, {
    drivers: machine.driverCatalogue.slugs,
    isInstalled: machine.driverCatalogue.isInstalled,
    hasModel: () => config.show().models?.default !== undefined,
    since: clock.iso(startedAtMs),
  });
  const tokens = createTokens({ store, committer, clock, newId, whenKeyless: processes.whenKeyless });
  const sessionFiles = openSessionFiles({ opened, snapshots, environment, ...bounds, livesAt: processes.livesAt });
  const { trees, scopes, forks } = openTrees({ opened, committer, environment, sessionFiles, law: parts.law });
  const toolRules = {
    named: agents.namedPolicy,
    unattended: (adapter: string) => ownEntry(config.show().drivers ?? {}, adapter)?.permissions ?? "ask",
    home,
  };
  const { toolPolicy } = agents;
  const explainTool = createToolExplainer({ ...toolRules, files, toolPolicy, policy: policy.current });
  const advisories = createAdvisories({ store, committer, newId, driver: drivers.get, log: log.write });
  const runner = buildTurnRunner(parts, { files, frames, toolPolicy, toolRules, sessionFiles, scopes, advisories });
  const workspaces = createWorkspaces({ store, committer, files, home, onChange: workspaceFile(home) });
  const specs = {
    home,
    files,
    defaultCwd: parts.cwd,
    workspaces: workspaces.all,
    driver: drivers.get,
    driverFile: drivers.file,
    random: () => randomBytes(5),
    requireSecrets: parts.secrets.requireForSession,
    strictMissing: machine.strictMissing,
    tryWalls: machine.tryWalls,
  };
  const death = watchDeath(join(home, "ended"));
  const supervisor = createSupervisor({
    ...{ store, committer, runner, processes, sessionFiles, clock, newId, specs, bounds, trees, scopes },
    keeper: (adapter) => parts.mcpServers.beside(machine.keeper(adapter)),
    idleHibernateMs: () => setting(config, "idleHibernateMs"),
    diedAtMs: death.lastDeathMs,
    log: log.write,
  });
  const limits = () => ({
    depthMax: setting(config, "delegationDepthMax"),
    childrenMax: setting(config, "delegationChildrenMax"),
  });
  const delegation = createDelegation({ store, committer, agents, runner, specs, bounds, newId, limits });
  return {
    ...{ supervisor, delegation, agents, tokens, workspaces, trees, scopes, forks, frames, explainTool, advisories },
    toolRules: { ...toolRules, toolPolicy, namedPolicy: agents.namedPolicy },
    stopDeathWatch: death.stop,
  };
}

type RunnerDeps = Parameters<typeof createTurnRunner>[0];

function buildTurnRunner(
  { opened, written, machine, policy, secrets, law }: SessionParts,
  given: Pick<RunnerDeps, "files" | "frames" | "sessionFiles" | "scopes" | "toolPolicy" | "advisories"> & {
    readonly toolRules: Omit<RunnerDeps["permissions"], "answerWithinMs">;
  },
): ReturnType<typeof createTurnRunner> {
  const { config, log, clock, store } = opened;
  const { toolRules, ...rest } = given;
  return createTurnRunner({
    ...rest,
    ...{ store, clock, law },
    policy: policy.current,
    committer: written.committer,
    newId: written.newId,
    waiters: createApprovalWaiters(store),
    processes: machine.processes,
    driver: machine.drivers.get,
    permissions: { ...toolRules, answerWithinMs: () => config.show().approvalWaitMs ?? null },
    onQuota: (adapter) => {
      const { drivers = {}, onQuota = ENGINE_DEFAULTS.onQuota } = config.show();
      return ownEntry(drivers, adapter)?.onQuota ?? onQuota;
    },
    turnTimeoutMs: () => setting(config, "turnTimeoutMs"),
    secrets: { ofSession: secrets.variables, ofDriver: secrets.ofDriver(machine.drivers.secretVariables) },
    log: log.write,
  });
}
