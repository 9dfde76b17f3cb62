import type { Followers, HeldPolicy } from "../commit/index.ts";
import type { Engine } from "../engine/index.ts";
import type { Fingerprints, SnapshotsChecked } from "../host/index.ts";
import type { Redactor } from "../redaction/index.ts";
import type {
  AuditService,
  BackupService,
  BlameService,
  BoundsService,
  CallRecords,
  Census,
  ConfigService,
  DocService,
  DriverCatalogue,
  EventLoopLag,
  FanOuts,
  HomeState,
  Instruments,
  Landings,
  LawService,
  McpServerService,
  ModelService,
  PlaintextMover,
  RadarService,
  ReadDaemonLog,
  ReplayService,
  SandboxTrials,
  SecretScan,
  Secrets,
  Tickets,
  ToolCalls,
  WaitingService,
  WhyService,
  Works,
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
import type { Links } from "./dashboard/links.ts";
import type { HeavyCalls } from "./heavy-calls.ts";
import type { Roles } from "./roles.ts";
import type { Passes } from "./ws/passes.ts";

/** The services that syscalls use. Built once, in `app/`. */
export interface Services {
  readonly store: Store;
  readonly blame: BlameService;
  readonly why: WhyService;
  readonly supervisor: Supervisor;
  readonly agents: Agents;
  readonly delegation: Delegation;
  readonly workspaces: WorkspaceRegistry;
  readonly trees: SessionTrees;
  readonly radar: Pick<RadarService, "conflicts">;
  readonly laws: LawService;
  readonly landings: Landings;
  readonly tickets: Tickets;
  readonly fanOuts: FanOuts;
  /** Sessions that work on tickets. */
  readonly works: Works;
  readonly tokens: Tokens;
  readonly frames: Frames;
  readonly secrets: Secrets;
  readonly secretScan: SecretScan;
  readonly plaintext: PlaintextMover;
  /** Names confidential members of a call without telling them. */
  readonly fingerprints: Pick<Fingerprints, "digest">;
  readonly policy: HeldPolicy;
  readonly roles: Roles;
  /** Explains how the gate would decide on a session's tool. */
  readonly explainTool: ExplainTool;
  readonly drivers: DriverCatalogue;
  readonly sandbox: SandboxTrials;
  /** Throws `not_installed` for an unknown driver. */
  readonly requireDriver: (slug: string) => void;
  readonly fence: number;
  /** The start time of a running process; null when there is none. */
  readonly identify: (pid: number) => { readonly pid: number; readonly startTime: string } | null;
  /** New secrets that were not shown yet, by event id. */
  readonly secretsShownOnce: Map<string, string>;
  readonly passes: Passes;
  readonly links: Links;
  readonly heavy: HeavyCalls;
  /** What was found in a text that came in; everything that is written passes it anyway. */
  readonly redactor: Redactor;
  readonly docs: DocService;
  readonly engine: Pick<Engine, "context" | "state" | "breakers">;
  readonly models: ModelService;
  readonly mcpServers: McpServerService;
  readonly toolCalls: ToolCalls;
  readonly replays: ReplayService;
  /** Pages of the daemon's own log. */
  readonly readLog: ReadDaemonLog;
  readonly config: ConfigService;
  readonly audit: AuditService;
  readonly followers: Followers;
  readonly waiting: WaitingService;
  readonly bounds: BoundsService;
  readonly instruments: Instruments;
  /** Counts for the metrics, at most a few seconds old. */
  readonly census: () => Promise<Census>;
  readonly eventLoop: () => EventLoopLag;
  /** Leftover files in the home. */
  readonly homeState: () => Promise<HomeState>;
  /** Checks that every snapshot that can be restored is complete. */
  readonly checkSnapshots: () => Promise<SnapshotsChecked>;
  readonly backups: BackupService;
  readonly retention: Retention;
  readonly daemon: DaemonService;
  /** Running calls that have an idempotency key. */
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
  /** Stops the daemon after the answer is sent: ends turns, hibernates all sessions, exits. */
  readonly shutDown: () => void;
}
