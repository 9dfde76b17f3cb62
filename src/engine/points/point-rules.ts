import type { Patch, PointName } from "./point-map.ts";

/** How a point is fired. */
export interface PointRule<Name extends PointName = PointName> {
  /** What Operator calls it; null: it has none. */
  readonly operator: string | null;
  /** The fields of an answer that count. Others are ignored. */
  readonly fields: readonly (Patch<Name> extends undefined ? never : keyof Patch<Name> & string)[];
  /** Guards may be registered: when one fails or takes too long, the answer is no. */
  readonly isGuarded?: true;
  /** Nobody fires it yet: it is not in the loop but in the daemon, to which extensions come later, or in channels. */
  readonly isLater?: true;
  /** The field of what is given that an answer changes; else what is given itself. */
  readonly within?: "result";
}

/** One row for each point: Operator's name, and what a handler may answer. */
export const POINTS: { readonly [Name in PointName]: PointRule<Name> } = {
  session_start: { operator: "session_start", fields: [], isLater: true },
  session_end: { operator: "session_shutdown", fields: [], isLater: true },
  before_switch: { operator: "session_before_switch", fields: ["cancel", "reason"], isLater: true },
  before_fork: { operator: "session_before_fork", fields: ["cancel", "reason"], isLater: true },
  before_rewind: {
    operator: "session_before_tree",
    fields: ["cancel", "reason", "summary", "focus", "label"],
    isLater: true,
  },
  rewound: { operator: "session_tree", fields: [], isLater: true },
  before_compact: { operator: "session_before_compact", fields: ["cancel", "reason", "summary"] },
  compacted: { operator: "session_compact", fields: [] },
  resources: { operator: "resources_discover", fields: ["skillPaths", "workflowPaths"], isLater: true },

  input: { operator: "input", fields: ["text", "handled"], isLater: true },
  before_turn: { operator: "before_agent_start", fields: ["system"] },
  turn_start: { operator: "agent_start", fields: [] },
  turn_end: { operator: "agent_end", fields: [] },
  turn_error: { operator: "agent_error", fields: [] },
  save_point: { operator: "save_point", fields: [] },
  settled: { operator: "settled", fields: [], isLater: true },
  retry_start: { operator: "retry_start", fields: [] },
  retry_end: { operator: "retry_end", fields: [] },
  step_start: { operator: "turn_start", fields: [] },
  step_end: { operator: "turn_end", fields: [] },
  context: { operator: "context", fields: ["messages"] },
  message_start: { operator: "message_start", fields: [] },
  message_frame: { operator: "message_update", fields: [] },
  message_end: { operator: "message_end", fields: [] },
  user_command: { operator: "user_bash", fields: ["block", "reason"], isGuarded: true, isLater: true },
  delegate_start: { operator: "subagent_start", fields: [], isLater: true },
  delegate_end: { operator: "subagent_end", fields: [], isLater: true },

  tool_call: { operator: "tool_call", fields: ["block", "reason", "input"], isGuarded: true },
  before_effect: { operator: null, fields: ["block", "reason"], isGuarded: true },
  tool_result: { operator: "tool_result", fields: ["content", "isError", "ends"], within: "result" },
  tool_start: { operator: "tool_execution_start", fields: [] },
  tool_output: { operator: "tool_execution_update", fields: [], isLater: true },
  tool_end: { operator: "tool_execution_end", fields: [] },
  tool_error: { operator: "tool_execution_failure", fields: [] },

  before_request: { operator: "before_provider_request", fields: [] },
  after_response: { operator: "after_provider_response", fields: [] },
  queue_change: { operator: "queue_update", fields: [], isLater: true },
  model_change: { operator: "model_select", fields: [] },
  thinking_change: { operator: "thinking_level_select", fields: [], isLater: true },

  channels_start: { operator: "gateway:startup", fields: [], isLater: true },
  channels_stop: { operator: "gateway:stop", fields: [], isLater: true },
  channel_connect: { operator: "channel:connect", fields: [], isLater: true },
  channel_disconnect: { operator: "channel:disconnect", fields: [], isLater: true },
  channel_error: { operator: "gateway:error", fields: [], isLater: true },
  message_receive: { operator: "message:receive", fields: ["block", "reason", "text"], isGuarded: true, isLater: true },
  message_send: { operator: "message:send", fields: ["block", "reason", "text"], isGuarded: true, isLater: true },
  message_cancel: { operator: "message:cancel", fields: [], isLater: true },
};

/** An answer with one of these set ends the asking. */
export const ENDING: readonly string[] = ["block", "cancel", "handled"];

/** Lists of several handlers are put together; everything else is replaced. */
export const JOINED: readonly string[] = ["skillPaths", "workflowPaths"];
