import type { Json } from "../../kernel/index.ts";
import type { Preparation } from "../compaction/prepare.ts";
import type { CallResult, Message, ModelRequest, Stop, Thinking, Usage } from "../model.ts";
import type { ToolResult } from "../tool.ts";

/**
 * The points of a session's life at which extensions may listen or step in. By name: what a handler is given, what it may
 * answer (`patch`), and what the one who fires gets (`answer`). point-rules.ts says which answers count, which points
 * nobody fires yet, and lists Operator's names.
 *
 * Ours differ by the glossary: what Operator calls an agent run is a turn, what it calls a turn is a step.
 */
export interface PointMap extends SessionPoints, TurnPoints, ToolPoints, ModelPoints, ChannelMessagePoints {}

export type PointName = keyof PointMap;
export type Given<Name extends PointName> = PointMap[Name]["given"];
export type Patch<Name extends PointName> = PointMap[Name]["patch"];
export type Answer<Name extends PointName> = PointMap[Name]["answer"];

/** Handlers only listen. */
interface Notice<Data> {
  readonly given: Data;
  readonly patch: undefined;
  readonly answer: undefined;
}

/** Handlers may change what happens: their answers are put together. Undefined: nobody answered. */
interface Change<Data, Patched> {
  readonly given: Data;
  readonly patch: Patched;
  readonly answer: Patched | undefined;
}

/** `block: true` ends the asking: the thing is not done, for this reason. */
interface Blocks {
  readonly block?: true;
  readonly reason?: string;
}

/** `cancel: true` ends the asking: everything stays as it was. */
interface Cancels {
  readonly cancel?: true;
  readonly reason?: string;
}

interface OfTurn {
  readonly turnId: string;
}

interface SessionPoints {
  session_start: Notice<{ readonly reason: "new" | "wake" | "fork" | "reload"; readonly parentId: string | null }>;
  session_end: Notice<{ readonly reason: "exit" | "kill" | "hibernate" | "reload" }>;
  before_switch: Change<{ readonly reason: "new" | "wake"; readonly sessionId: string | null }, Cancels>;
  before_fork: Change<{ readonly eventId: string }, Cancels>;
  before_rewind: Change<
    {
      readonly eventId: string;
      readonly headId: string;
      readonly wantsSummary: boolean;
      readonly focus: string | null;
    },
    Cancels & { readonly summary?: string; readonly focus?: string; readonly label?: string }
  >;
  rewound: Notice<{ readonly eventId: string; readonly headId: string; readonly summary: string | null }>;
  before_compact: Change<
    OfTurn & { readonly reason: "threshold" | "overflow" | "asked"; readonly preparation: Preparation },
    /** With a summary no model is asked. */
    Cancels & { readonly summary?: string }
  >;
  compacted: Notice<OfTurn & { readonly isFromExtension: boolean }>;
  /** More skills and workflows to offer. The lists of all handlers are put together. */
  resources: Change<
    { readonly cwd: string; readonly reason: "start" | "reload" },
    { readonly skillPaths?: readonly string[]; readonly workflowPaths?: readonly string[] }
  >;
}

interface TurnPoints {
  /** Before a prompt becomes a turn. `handled`: there is nothing left to do. */
  input: Change<
    { readonly text: string; readonly source: "person" | "rpc" | "extension" | "schedule" | "delegation" | "goal" },
    { readonly text?: string; readonly handled?: true }
  >;
  before_turn: Change<OfTurn & { readonly prompt: string; readonly system: string }, { readonly system?: string }>;
  turn_start: Notice<OfTurn & { readonly prompt: string }>;
  turn_end: Notice<OfTurn & { readonly outcome: "completed" | "interrupted" | "failed" }>;
  turn_error: Notice<OfTurn & { readonly message: string }>;
  /** All of the turn so far is in the log. */
  save_point: Notice<OfTurn>;
  /** The turn, its retries and compactions are over, and the queue is empty. */
  settled: Notice<OfTurn>;
  retry_start: Notice<OfTurn & { readonly attempt: number; readonly delayMs: number }>;
  retry_end: Notice<
    OfTurn & { readonly attempt: number; readonly isSuccess: boolean; readonly message: string | null }
  >;
  step_start: Notice<OfTurn>;
  step_end: Notice<OfTurn & { readonly stop: Stop }>;
  /** The messages of the next request. They are never stored so. */
  context: Change<OfTurn & { readonly messages: readonly Message[] }, { readonly messages?: readonly Message[] }>;
  message_start: Notice<OfTurn & { readonly role: "user" | "assistant" | "tool" }>;
  message_frame: Notice<OfTurn & { readonly of: "text" | "thought"; readonly text: string }>;
  message_end: Notice<OfTurn & { readonly message: Message }>;
  /** A person's own command, outside of the agent's. */
  user_command: Change<{ readonly command: string; readonly cwd: string; readonly isHidden: boolean }, Blocks>;
  delegate_start: Notice<{ readonly sessionId: string; readonly label: string; readonly prompt: string }>;
  delegate_end: Notice<{
    readonly sessionId: string;
    readonly label: string;
    readonly outcome: string;
    readonly text: string;
  }>;
}

interface OfCall extends OfTurn {
  readonly callId: string;
  readonly name: string;
}

interface ToolPoints {
  /** Before a tool runs. A new input is checked against the tool's schema again. */
  tool_call: Change<OfCall & { readonly input: Json }, Blocks & { readonly input?: Json }>;
  /** Before an effect of a tool: what it would do to the world, in the words of the effect ledger. */
  before_effect: Change<OfCall & { readonly kind: string; readonly resource: string; readonly detail: Json }, Blocks>;
  /** After a tool ran. The answer is the whole result with every handler's change in it. */
  tool_result: {
    readonly given: OfCall & { readonly result: ToolResult };
    readonly patch: Partial<Pick<ToolResult, "content" | "isError" | "ends">>;
    readonly answer: ToolResult | undefined;
  };
  tool_start: Notice<OfCall & { readonly input: Json }>;
  tool_output: Notice<OfCall & { readonly text: string }>;
  tool_end: Notice<OfTurn & { readonly result: CallResult }>;
  tool_error: Notice<OfCall & { readonly input: Json; readonly message: string }>;
}

interface ModelPoints {
  before_request: Notice<OfTurn & { readonly model: string; readonly request: ModelRequest }>;
  after_response: Notice<OfTurn & { readonly model: string; readonly stop: Stop; readonly usage: Usage }>;
  queue_change: Notice<{ readonly queue: "steering" | "turns"; readonly waiting: number }>;
  model_change: Notice<{
    readonly model: string;
    readonly before: string | null;
    readonly source: "set" | "fallback" | "wake";
  }>;
  thinking_change: Notice<{ readonly thinking: Thinking; readonly before: Thinking }>;
}

interface OfChat {
  readonly channel: string;
  readonly chat: string;
}

/** Of channels, which do not exist yet: only the names are taken. */
interface ChannelMessagePoints {
  channels_start: Notice<{ readonly channels: readonly string[] }>;
  channels_stop: Notice<Record<never, never>>;
  channel_connect: Notice<{ readonly channel: string }>;
  channel_disconnect: Notice<{ readonly channel: string }>;
  channel_error: Notice<{ readonly channel: string | null; readonly message: string }>;
  message_receive: Change<
    OfChat & { readonly from: string; readonly text: string },
    Blocks & { readonly text?: string }
  >;
  message_send: Change<OfChat & { readonly text: string }, Blocks & { readonly text?: string }>;
  message_cancel: Notice<OfChat>;
}
