import type { ContextPart, DriverFact, Json } from "../../kernel/index.ts";
import type { LoadedEvent, ServedTool, StepStart } from "../../turns/index.ts";
import type { BreakerReport, ModelTest } from "../engine.ts";
import type { AnswerPart, ModelRequest, Thinking, Usage } from "../model.ts";
import type { KeySource } from "../providers/key.ts";
import type { ProviderSettings } from "../providers/settings.ts";

/** Lines of JSON between the daemon and the engine's process. Both ends are ours; a broken line ends the process. */
export type ToEngine =
  | { readonly kind: "turn"; readonly run: number; readonly order: TurnOrder }
  | { readonly kind: "answer"; readonly id: number; readonly value: Json }
  | { readonly kind: "refusal"; readonly id: number; readonly code: string; readonly message: string }
  | { readonly kind: "abort"; readonly run: number }
  | { readonly kind: "forget"; readonly sessionId: string }
  /** `token` as for `ask`; `keyFrom` is for the sentence about a wrong key. */
  | {
      readonly kind: "test";
      readonly id: number;
      readonly model: ModelRef;
      readonly token: string | null;
      readonly keyFrom: KeySource | null;
    }
  /** A request that belongs to no turn. `token`: for a model whose key changes. It is aborted by its id. */
  | {
      readonly kind: "ask";
      readonly id: number;
      readonly model: ModelRef;
      readonly token: string | null;
      readonly request: ModelRequest;
    }
  | { readonly kind: "warm"; readonly model: ModelRef }
  | { readonly kind: "ping"; readonly n: number };

export type FromEngine =
  | { readonly kind: "ready" }
  | { readonly kind: "call"; readonly run: number; readonly id: number; readonly call: EngineCall }
  | { readonly kind: "stream"; readonly run: number; readonly text: string; readonly of: "message" | "thought" }
  | { readonly kind: "end"; readonly run: number; readonly end: TurnEnd }
  | { readonly kind: "tested"; readonly id: number; readonly test: ModelTest }
  | { readonly kind: "asked"; readonly id: number; readonly answer: ApartAnswer }
  | { readonly kind: "breakers"; readonly breakers: readonly BreakerReport[] }
  /** For the daemon's log. */
  | { readonly kind: "said"; readonly text: string }
  | { readonly kind: "pong"; readonly n: number };

export type ApartAnswer =
  | { readonly ok: true; readonly parts: readonly AnswerPart[]; readonly usage: Usage }
  | { readonly ok: false; readonly code: string; readonly message: string };

export type TurnEnd =
  | { readonly is: "done" }
  | { readonly is: "parked" }
  | { readonly is: "failed"; readonly code: string; readonly message: string };

/** A model with everything that is needed to ask it, its key included. */
export interface ModelRef {
  /** NAME/MODEL */
  readonly name: string;
  readonly settings: ProviderSettings;
  /** Its key changes while a turn runs: the engine asks for it before each request. */
  readonly hasToken?: true;
}

export interface TurnOrder {
  readonly sessionId: string;
  readonly turnId: string;
  readonly cwd: string;
  readonly prompt: string;
  /** The first one is asked; the others are tried in order when it fails for good. */
  readonly models: readonly ModelRef[];
  /** Which model writes summaries; null: the one that answers. */
  readonly summaryModel: ModelRef | null;
  readonly system: readonly ContextPart[];
  readonly limits: TurnLimits;
  /** An earlier run of this turn was cut: its calls may be known to the ledger. */
  readonly isResumed: boolean;
  /** Which history this is: another key means that the path was changed by a rewind. */
  readonly pathKey: string;
  /** `after`: events up to this one are in the engine's memory already, if it still has them. Null: `events` is all. */
  readonly after: number | null;
  readonly events: readonly LoadedEvent[];
  /** Tools that the daemon runs, in the order in which the model is told of them. */
  readonly served: readonly ServedSpec[];
}

/** A tool of the daemon, as the model and the loop have to know it. */
export type ServedSpec = Pick<ServedTool, "name" | "description" | "input" | "redo" | "mode">;

export interface TurnLimits {
  readonly stepsMax: number;
  readonly budgetMicroUsd: number | null;
  readonly thinking: Thinking;
  readonly compaction: {
    readonly isEnabled: boolean;
    readonly strategy: string;
    readonly reserveTokens: number | null;
    readonly keepRecentTokens: number | null;
  };
  /** A JSON schema that the last answer has to fit; null for text. */
  readonly schema: Json;
}

/** What the engine asks of the daemon in a turn. */
export type EngineCall = PlacedCall & { readonly callId?: string };

type PlacedCall =
  /** The whole history: the engine does not have what the order assumes. */
  | { readonly do: "history" }
  /** What was left of the path that ended at this event. */
  | { readonly do: "branch"; readonly from: string }
  | { readonly do: "token"; readonly model: string }
  | { readonly do: "record"; readonly facts: readonly DriverFact[] }
  | { readonly do: "step"; readonly step: StepStart; readonly before: readonly DriverFact[] }
  | { readonly do: "steered" }
  | { readonly do: "park"; readonly waitMs: number; readonly reason: string }
  /** These texts without secrets. The daemon alone knows the values of the vault. */
  | { readonly do: "redact"; readonly texts: readonly string[] }
  | { readonly do: "keep"; readonly text: string }
  | { readonly do: "keepBytes"; readonly base64: string }
  /** What an earlier run of the turn knows of this key. */
  | { readonly do: "known"; readonly key: string }
  | { readonly do: "read"; readonly key: string; readonly path: string; readonly from: number; readonly bytes: number }
  | {
      readonly do: "write";
      readonly key: string;
      readonly as: "write" | "edit";
      readonly path: string;
      readonly text: string;
      readonly ifHash?: string | null;
    }
  | { readonly do: "remove"; readonly key: string; readonly path: string; readonly ifHash?: string | null }
  | {
      readonly do: "look";
      readonly key: string;
      readonly argv: readonly string[];
      /** What the arguments name: each has to lie in the session's directory. */
      readonly paths: readonly string[];
      readonly bytesMax: number;
      readonly timeoutMs: number;
    }
  /** Names below the worktree's root: which of them the session may not change. */
  | { readonly do: "outOfScope"; readonly names: readonly string[] }
  | { readonly do: "run"; readonly key: string; readonly command: string; readonly timeoutMs: number }
  | { readonly do: "exec"; readonly key: string; readonly argv: readonly string[]; readonly timeoutMs: number }
  | { readonly do: "start"; readonly key: string; readonly command: string }
  | { readonly do: "processes" }
  | { readonly do: "printed"; readonly processId: string; readonly from: number }
  | { readonly do: "input"; readonly processId: string; readonly text: string }
  | { readonly do: "stop"; readonly processId: string }
  | { readonly do: "ports"; readonly processId: string }
  | { readonly do: "output"; readonly effectId: string; readonly from: number; readonly bytes: number }
  | { readonly do: "ask"; readonly key: string; readonly question: string; readonly options: readonly string[] }
  | {
      readonly do: "todo";
      readonly items: readonly { readonly text: string; readonly status: "open" | "active" | "done" }[];
    }
  /** `once` is the same where the call is made again after a cut. */
  | {
      readonly do: "served";
      readonly key: string;
      readonly once: string;
      readonly tool: string;
      readonly input: Json;
    }
  | { readonly do: "artifact"; readonly path: string; readonly base64: string; readonly mediaType: string };
