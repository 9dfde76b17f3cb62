import type { Patch, PointName } from "./point-map.ts";

/** How a point is fired. */
export interface PointRule<Name extends PointName = PointName> {
  /** What Operator calls it; null: it has none. */
  readonly operator: string | null;
  /** The fields of an answer that count. Others are ignored. */
  readonly fields: readonly (Patch<Name> extends undefined ? never : keyof Patch<Name> & string)[];
  /** Guards may be registered: when one fails or takes too long, the answer is no. */
  readonly isGuarded?: true;
  /** The field of what is given that an answer changes; else what is given itself. */
  readonly within?: "result";
}

/** One row for each point: Operator's name, and what a handler may answer. */
export const POINTS: { readonly [Name in PointName]: PointRule<Name> } = {
  session_start: { operator: "session_start", fields: [] },
  session_end: { operator: "session_shutdown", fields: [] },
  before_switch: { operator: "session_before_switch", fields: ["cancel", "reason"] },
  before_fork: { operator: "session_before_fork", fields: ["cancel", "reason"] },
  before_rewind: { operator: "session_before_tree", fields: ["cancel", "reason", "summary", "focus", "label"] },
  rewound: { operator: "session_tree", fields: [] },
  before_compact: { operator: "session_before_compact", fields: ["cancel", "reason", "summary"] },
  compacted: { operator: "session_compact", fields: [] },
  resources: { operator: "resources_discover", fields: ["skillPaths", "workflowPaths"] },

  input: { operator: "input", fields: ["text", "handled"] },
  before_turn: { operator: "before_agent_start", fields: ["system"] },
  turn_start: { operator: "agent_start", fields: [] },
  turn_end: { operator: "agent_end", fields: [] },
  turn_error: { operator: "agent_error", fields: [] },
  save_point: { operator: "save_point", fields: [] },
  settled: { operator: "settled", fields: [] },
  retry_start: { operator: "retry_start", fields: [] },
  retry_end: { operator: "retry_end", fields: [] },
  step_start: { operator: "turn_start", fields: [] },
  step_end: { operator: "turn_end", fields: [] },
  context: { operator: "context", fields: ["messages"] },
  message_start: { operator: "message_start", fields: [] },
  message_frame: { operator: "message_update", fields: [] },
  message_end: { operator: "message_end", fields: [] },
  user_command: { operator: "user_bash", fields: ["block", "reason"], isGuarded: true },
  delegate_start: { operator: "subagent_start", fields: [] },
  delegate_end: { operator: "subagent_end", fields: [] },

  tool_call: { operator: "tool_call", fields: ["block", "reason", "input"], isGuarded: true },
  before_effect: { operator: null, fields: ["block", "reason"], isGuarded: true },
  tool_result: { operator: "tool_result", fields: ["content", "isError", "ends"], within: "result" },
  tool_start: { operator: "tool_execution_start", fields: [] },
  tool_output: { operator: "tool_execution_update", fields: [] },
  tool_end: { operator: "tool_execution_end", fields: [] },
  tool_error: { operator: "tool_execution_failure", fields: [] },

  before_request: { operator: "before_provider_request", fields: [] },
  after_response: { operator: "after_provider_response", fields: [] },
  queue_change: { operator: "queue_update", fields: [] },
  model_change: { operator: "model_select", fields: [] },
  thinking_change: { operator: "thinking_level_select", fields: [] },

  channels_start: { operator: "gateway:startup", fields: [] },
  channels_stop: { operator: "gateway:stop", fields: [] },
  channel_connect: { operator: "channel:connect", fields: [] },
  channel_disconnect: { operator: "channel:disconnect", fields: [] },
  channel_error: { operator: "gateway:error", fields: [] },
  message_receive: { operator: "message:receive", fields: ["block", "reason", "text"], isGuarded: true },
  message_send: { operator: "message:send", fields: ["block", "reason", "text"], isGuarded: true },
  message_cancel: { operator: "message:cancel", fields: [] },
};

/** An answer with one of these set ends the asking. */
export const ENDING: readonly string[] = ["block", "cancel", "handled"];

/** Lists of several handlers are put together; everything else is replaced. */
export const JOINED: readonly string[] = ["skillPaths", "workflowPaths"];
