import type { SessionSpec } from "../kernel/index.ts";
import type { Driver, LoadedEvent } from "../turns/index.ts";
import type { EngineReplay, ReplayHow, ReplaySource } from "./replay/replay.ts";

/** The own engine as the daemon sees it: a driver whose turns run in a process apart, many sessions to a process. */
export interface Engine {
  readonly driver: Driver;
  /** The parts of a session's prompt. Pure: it reads only what it is given. */
  readonly context: (history: readonly LoadedEvent[], session: ContextSession) => Promise<EngineContext>;
  /** Asks a model for one word, and says in a sentence what is wrong when it does not answer. */
  readonly testModel: (name: string) => Promise<ModelTest>;
  /** Runs a recorded session again, on its record alone. Only a model that is named is asked anything. */
  readonly replay: (source: ReplaySource, how: ReplayHow) => Promise<EngineReplay>;
  /** All models that can be named: configured ones, those of the catalogue for configured providers, `demo/script`. */
  readonly models: () => Promise<readonly ListedModel[]>;
  /** Starts the process ahead of the first turn, where a default model is configured. */
  readonly warm: () => Promise<void>;
  /** Circuit breakers of providers that were asked since the engine's process started. */
  readonly breakers: () => readonly BreakerReport[];
  readonly state: () => EngineState;
  readonly stop: () => Promise<void>;
}

export interface ContextSession {
  readonly sessionId: string;
  readonly spec: SessionSpec;
  /** The model that the session names. */
  readonly chosen: string | null;
}

export interface EngineContext {
  readonly parts: readonly { readonly name: string; readonly source: string; readonly tokens: number }[];
  readonly tokens: number;
  readonly window: number;
  readonly model: string;
}

export interface ModelTest {
  readonly ok: boolean;
  readonly model: string;
  readonly ms: number;
  readonly firstTokenMs: number | null;
  readonly says: string;
}

export interface ListedModel {
  /** NAME/MODEL */
  readonly name: string;
  readonly api: string;
  readonly window: number;
  readonly output: number;
  /** Dollars per million tokens; null: unknown. */
  readonly price: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
  } | null;
  /** Where the key comes from, and whether it is there; null when none is needed. */
  readonly key: { readonly source: string; readonly isThere: boolean; readonly problem?: string } | null;
  readonly isDefault: boolean;
}

export interface BreakerReport {
  readonly provider: string;
  readonly state: "closed" | "open" | "half_open";
  readonly failures: number;
  /** ISO 8601; when an open one is tried again. */
  readonly retryAt: string | null;
}

export interface EngineState {
  /** Null while no engine process runs. */
  readonly pid: number | null;
  readonly sessions: number;
  readonly turns: number;
  /** Processes that crashed or were killed because they hung, since the daemon's start. */
  readonly crashes: number;
}
