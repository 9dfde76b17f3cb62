import type { Followers, HeldPolicy } from "../commit/index.ts";
import type { SnapshotsChecked } from "../host/index.ts";
import type {
  AuditService,
  BackupService,
  BoundsService,
  CallRecords,
  Census,
  ConfigService,
  DocService,
  DriverCatalogue,
  EventLoopLag,
  HomeState,
  Instruments,
  SandboxTrials,
  WaitingService,
} from "../services/index.ts";
import type { Store } from "../store/index.ts";
import type {
  Agents,
  Delegation,
  Frames,
  Retention,
  SessionTrees,
  Supervisor,
  Tokens,
  WorkspaceRegistry,
} from "../supervisor/index.ts";
import type { ExplainTool } from "../turns/index.ts";
import type { HeavyCalls } from "./heavy-calls.ts";
import type { Roles } from "./roles.ts";
import type { Passes } from "./ws/passes.ts";

/** What syscalls work on. Built once by the composition root. */
export interface Services {
  readonly store: Store;
  readonly supervisor: Supervisor;
  readonly agents: Agents;
  readonly delegation: Delegation;
  readonly workspaces: WorkspaceRegistry;
  readonly trees: SessionTrees;
  readonly tokens: Tokens;
  readonly frames: Frames;
  readonly policy: HeldPolicy;
  readonly roles: Roles;
  /** Explains what the gate would say to a tool of a session. */
  readonly explainTool: ExplainTool;
  readonly drivers: DriverCatalogue;
  readonly sandbox: SandboxTrials;
  /** Throws `not_installed` for a driver that is not there. */
  readonly requireDriver: (slug: string) => void;
  readonly fence: number;
  /** A running process as the system knows it; null when there is none. */
  readonly identify: (pid: number) => { readonly pid: number; readonly startTime: string } | null;
  /** Secrets between their making and their one showing, by event id. */
  readonly secretsShownOnce: Map<string, string>;
  readonly passes: Passes;
  readonly heavy: HeavyCalls;
  readonly docs: DocService;
  readonly config: ConfigService;
  readonly audit: AuditService;
  readonly followers: Followers;
  readonly waiting: WaitingService;
  readonly bounds: BoundsService;
  readonly instruments: Instruments;
  /** How much there is of everything, counted a few seconds ago at most. */
  readonly census: () => Promise<Census>;
  readonly eventLoop: () => EventLoopLag;
  /** Leftovers in the home that should not be there. */
  readonly homeState: () => Promise<HomeState>;
  /** Whether every snapshot that a session can go back to is complete. */
  readonly checkSnapshots: () => Promise<SnapshotsChecked>;
  readonly backups: BackupService;
  readonly retention: Retention;
  readonly daemon: DaemonService;
  /** Calls with an idempotency key that are being carried out right now. */
  readonly callsUnderWay: Map<string, Promise<unknown>>;
  readonly noteCall: CallRecords["noteCall"];
  readonly noteDenial: CallRecords["noteDenial"];
}

export interface DaemonService {
  readonly version: string;
  readonly pid: number;
  readonly home: string;
  readonly port: () => number;
  readonly startedAtMs: number;
  readonly recovery: () => { readonly sessions: number; readonly interrupted: number; readonly ms: number };
  readonly sandbox: { readonly bubblewrap: string | null; readonly remedy: string | null };
  readonly limits: () => {
    readonly memoryMb: number | null;
    readonly openFilesMax: number | null;
    readonly held: boolean;
  };
  /** Answers first, then stops: drains, puts every session to sleep, ends. */
  readonly shutDown: () => void;
}
