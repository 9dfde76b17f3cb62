import type { HostProcess } from "../host/index.ts";
import type { Continuity, DriverSettings, SessionSpec } from "../kernel/index.ts";
import type { TurnEffects } from "./effects.ts";
import type { TurnIdentity } from "./identity.ts";
import type { TurnQuestions } from "./questions.ts";
import type { TurnRecording } from "./recording.ts";

/** One turn, as its driver sees it. Calls after the turn's end are refused. */
export type TurnPort = TurnIdentity & TurnRecording & TurnEffects & TurnQuestions;

/** What runs a session's turns. Everything a driver does to the world goes through the port it is handed. */
export interface Driver {
  readonly slug: string;
  readonly summary: string;
  /** How an agent gets its memory back after its process is gone. */
  readonly continuity: Continuity;
  /** Null for an agent that somebody else drives: its turns are reported, not run. */
  readonly runTurn: ((port: TurnPort) => Promise<void>) | null;
  /** Refuses, by throwing a `DriverError`, what could never work; called before the session exists. */
  readonly check: (spec: SessionSpec) => Promise<void>;
  /** Refuses settings that could never work, as far as that is known without the agent. */
  readonly checkSettings?: (settings: Partial<DriverSettings>) => void;
  /** It starts no process but through the port: the effect ledger tells all that its turns do to files. */
  readonly actsByEffects?: true;
  /** Absent for a driver that keeps nothing between turns. */
  readonly keeps?: Kept;
}

/** What a driver holds for a session between its turns: usually the agent's process, which knows what was said. */
export interface Kept {
  /** Resolves when nothing works for the session any more. What it was is found again by the next turn, from the log. */
  readonly release: (sessionId: string) => Promise<void>;
}

/** The part of the machine that a driver with processes of its own is given when it is built. */
export interface AgentHost {
  /** A process that outlives turns. Whoever starts it stops it. */
  readonly spawn: (order: AgentOrder) => HostProcess;
  /** Our own tools, for one session: address and key. The key is good until `end`. */
  readonly tools: (sessionId: string) => { readonly url: string; readonly token: string; readonly end: () => void };
}

export interface AgentOrder {
  readonly slug: string;
  /** Whose it is, for whoever looks for orphans. */
  readonly label: string;
  readonly cwd: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Where the agent is installed, when that lies in the product's own home. */
  readonly shown: readonly string[];
  /** The one session it will ever work for, where it stands behind that session's walls; null: none. */
  readonly walledFor: { readonly id: string; readonly spec: SessionSpec } | null;
}
