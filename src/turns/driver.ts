import type { HostProcess } from "../host/index.ts";
import type { Continuity, DriverSettings, SessionSpec } from "../kernel/index.ts";
import type { Redactor } from "../redaction/index.ts";
import type { TurnEffects } from "./effects.ts";
import type { TurnIdentity } from "./identity.ts";
import type { TurnQuestions } from "./questions.ts";
import type { TurnRecording } from "./recording.ts";
import type { TurnSteps } from "./steps.ts";

/** One turn, as its driver sees it. Calls after the turn's end are refused. */
export type TurnPort = TurnIdentity & TurnRecording & TurnEffects & TurnQuestions & TurnSteps;

/** Runs a session's turns. Everything a driver does to the world goes through its turn port. */
export interface Driver {
  readonly slug: string;
  readonly summary: string;
  /** How an agent gets its memory back after its process has ended. */
  readonly continuity: Continuity;
  /** Null for an agent driven from outside: its turns are reported, not run. */
  readonly runTurn: ((port: TurnPort) => Promise<void>) | null;
  /** Throws a `DriverError` for a spec that can never work; called before the session exists. */
  readonly check: (spec: SessionSpec) => Promise<void>;
  /** Refuses settings that can never work, as far as is known without the agent. */
  readonly checkSettings?: (settings: Partial<DriverSettings>) => void;
  /** True: it starts processes only through the port, so the effect ledger shows everything its turns do to files. */
  readonly actsByEffects?: true;
  /**
   * True: a turn that was cut goes on from the log. `runTurn` is called again with a port that is resumed; calls with the
   * same key find what became of them. Such a driver takes steering messages and may park its turn.
   */
  readonly continues?: true;
  /** Absent for a driver that keeps nothing between turns. */
  readonly keeps?: Kept;
}

/** What a driver keeps for a session between turns: usually the agent's process with its memory. */
export interface Kept {
  /** Resolves when nothing runs for the session any more. The next turn finds its state in the log. */
  readonly release: (sessionId: string) => Promise<void>;
  /** This turn of the session is about to start: a good time to read what the turn needs and the log does not hold. */
  readonly expect?: (sessionId: string, turnId: string) => void;
}

/** The parts of the machine that a driver with its own processes is given. */
export interface AgentHost {
  /** A process that outlives turns. The driver that starts it must stop it. */
  readonly spawn: (order: AgentOrder) => HostProcess;
  /** Access to our tools for one session. */
  readonly tools: (sessionId: string, isOnTicket: boolean) => ToolAccess;
  /** What an agent prints passes it before anything of it is cut, kept or shown. */
  readonly redactor: Redactor;
}

export interface ToolAccess {
  readonly url: string;
  readonly token: string;
  /** Ends the token. */
  readonly end: () => void;
}

export interface AgentOrder {
  readonly slug: string;
  /** The owner, for finding orphans. */
  readonly label: string;
  readonly cwd: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Where the agent is installed, if that is inside the Nomos home. */
  readonly shown: readonly string[];
  /** The one session it will ever serve, if it runs behind that session's walls; null: none. */
  readonly walledFor: { readonly id: string; readonly spec: SessionSpec } | null;
}
