import type { AlarmsState, By, Followers, Queues } from "../commit/index.ts";
import type { Config } from "../contract/index.ts";
import type { AgentInfo } from "../drivers/index.ts";
import type { DiskState, SnapshotsChecked } from "../host/index.ts";
import type { Actor, Policy, Sha256 } from "../kernel/index.ts";
import type { AnchorStatus } from "../services/index.ts";
import type { CallRef, CheckpointKeeper, LogTree, RecordedEvent, Store, TreeReport } from "../store/index.ts";
import type {
  Agents,
  BoundLimits,
  Delegation,
  Frames,
  Retention,
  SessionTrees,
  Supervisor,
  Tokens,
  WorkspaceRegistry,
} from "../supervisor/index.ts";
import type { HeavyCalls } from "./heavy-calls.ts";
import type { Instruments } from "./metrics/instruments.ts";
import type { Progress } from "./progress.ts";
import type { RanInSandbox, SandboxExplained } from "./sandbox-shapes.ts";
import type { Tickets } from "./tickets.ts";

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
  readonly policy: Policy;
  readonly drivers: DriverDesk;
  readonly sandbox: SandboxService;
  /** Throws `not_installed` for a driver that is not there. */
  readonly requireDriver: (slug: string) => void;
  readonly fence: number;
  /** A running process as the system knows it; null when there is none. */
  readonly identify: (pid: number) => { readonly pid: number; readonly startTime: string } | null;
  /** Secrets between their making and their one showing, by event id. */
  readonly secretsShownOnce: Map<string, string>;
  readonly tickets: Tickets;
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
  /** Whether all that sessions can go back to is there. */
  /** What lies in the home and should not. */
  readonly homeState: () => Promise<HomeState>;
  readonly checkSnapshots: () => Promise<SnapshotsChecked>;
  readonly backups: BackupService;
  readonly retention: Retention;
  readonly daemon: DaemonService;
  /** Calls with an idempotency key that are being carried out right now. */
  readonly callsUnderWay: Map<string, Promise<unknown>>;
  /** Records a keyed call that changed nothing, so that its repetition changes nothing either. */
  readonly noteCall: (syscall: string, caller: Caller) => Promise<void>;
  readonly noteDenial: (
    denial: { readonly verb: string; readonly resource: string; readonly rules: readonly string[] },
    caller: Caller,
  ) => Promise<void>;
}

/** What states say shall happen later: alarms, and items in lanes. */
export interface WaitingService {
  readonly alarms: () => Promise<AlarmsState>;
  readonly stuckItems: Queues["stuck"];
  readonly waits: Queues["waits"];
}

export interface HomeState {
  readonly left: readonly { readonly path: string; readonly reason: string; readonly remedy: string }[];
  readonly aside: readonly string[];
}

export interface SandboxOrder {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly network?: { readonly allow: readonly string[] } | undefined;
  readonly timeoutMs?: number | undefined;
}

export interface SandboxService {
  readonly explain: (id: string) => Promise<SandboxExplained>;
  /** Recorded, then run to its end; the record stands for what it printed. */
  readonly run: (order: SandboxOrder, caller: Caller) => Promise<readonly RecordedEvent[]>;
  /** `forgotten`: it ran, and what it printed is no longer kept. `unknown`: a crash came before its end. */
  readonly ran: (begun: RecordedEvent) => Promise<RanInSandbox | "forgotten" | "unknown">;
}

export interface DriverDesk {
  readonly slugs: () => readonly string[];
  readonly list: () => Promise<readonly DriverShown[]>;
  /** Throws `not_installed` for one that nobody knows. */
  readonly show: (slug: string) => Promise<DriverShown>;
  readonly install: (slug: string, report: (line: string) => void) => Promise<void>;
  readonly check: (slug: string) => Promise<DriverChecked>;
  /** The slug that the manifest names. */
  readonly add: (manifest: string) => Promise<string>;
  readonly remove: (slug: string) => Promise<boolean>;
}

export interface DriverShown {
  readonly slug: string;
  readonly summary: string;
  readonly continuity: string;
  readonly protocol: "acp" | "print" | "own";
  readonly origin: "built-in" | "added" | "configured";
  readonly installed: boolean;
  readonly manifest: object | null;
}

/** What came of trying an agent out. A problem is an answer here, not a failure. */
export interface DriverChecked {
  readonly slug: string;
  readonly ok: boolean;
  readonly from: "command" | "home" | "path" | null;
  readonly command: string[];
  readonly version: string | null;
  readonly problem: { readonly code: string; readonly message: string; readonly steps: string[] } | null;
  readonly agent:
    | (Omit<AgentInfo, "authMethods"> & { readonly authMethods: { id: string; name: string; description: string }[] })
    | null;
}

/** What makes the log evidence: the tree over it, what was signed, and who else remembers that. */
export interface AuditService {
  readonly tree: LogTree;
  readonly checkpoints: CheckpointKeeper;
  /** The verifier key, as others keep it. */
  readonly key: string;
  readonly sha256: Sha256;
  /** Takes the tree as far as the log and compares all of it; with `repair` wrong tiles are made anew. */
  readonly check: (repair: boolean) => Promise<TreeReport>;
  readonly anchors: () => readonly AnchorStatus[];
  /** The newest checkpoint with a witness's signature; null when there is none. */
  readonly cosigned: () => Promise<string | null>;
  readonly noteExport: (
    made: { readonly path: string; readonly size: number },
    by: By,
  ) => Promise<readonly RecordedEvent[]>;
}

export interface BoundsService {
  readonly limits: () => BoundLimits & { readonly walBytes: number };
  readonly disk: () => DiskState;
  readonly wal: () => { readonly bytes: number; readonly problem: string | null };
}

/** How late the main thread was in the last seconds. */
export interface EventLoopLag {
  readonly meanSeconds: number;
  readonly p99Seconds: number;
  readonly maxSeconds: number;
}

/** Copies of the whole home, made while it runs. */
export interface BackupService {
  /** One at a time: `overloaded`. Nothing is left of one that fails. */
  readonly make: (path: string, progress: (progress: Progress) => void, by: By) => Promise<readonly RecordedEvent[]>;
}

export interface Caller {
  readonly actor: Actor;
  readonly call: CallRef | null;
}

export interface ConfigService {
  /** For the daemon itself: holds keys that nobody is told. */
  readonly show: () => Config;
  /** What answers show: no value that could be a secret. */
  readonly shown: () => { readonly [key: string]: unknown };
  /** Validated, written durably, then in force (some keys need a restart). */
  readonly change: (patch: Record<string, unknown>) => Promise<void>;
  readonly needRestart: (keys: readonly string[]) => string[];
}

export interface DocService {
  readonly list: () => Promise<readonly { readonly path: string; readonly title: string; readonly bytes: number }[]>;
  /** Throws `doc_not_found` for a page that is not listed. */
  readonly read: (path: string) => Promise<string>;
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

/** How much there is of everything, at one moment not long ago. */
export interface Census {
  readonly sessions: { readonly [state: string]: number };
  readonly queuedTurns: number;
  readonly pendingApprovals: number;
}
