import type { ContextPart } from "../../kernel/index.ts";
import type { EngineCall } from "../link/protocol.ts";
import type { Message, ModelRequest } from "../model.ts";
import { CallError, type Link } from "./link.ts";
import { Parked } from "./turn-failure.ts";
import type { TurnState } from "./turn-state.ts";

/** How a turn ended, for extensions. A parked one has not ended. */
export async function tellEnd({ points, order, link }: TurnState, thrown: unknown = null): Promise<void> {
  const { turnId } = order;
  if (thrown === null) return points.fire("turn_end", { turnId, outcome: "completed" });
  if (thrown instanceof Parked) return;
  const isStopped = link.signal.aborted;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  if (!isStopped) await points.fire("turn_error", { turnId, message });
  await points.fire("turn_end", { turnId, outcome: isStopped ? "interrupted" : "failed" });
}

/** A message that is complete from the start: a prompt, a steering message, or results. */
export async function tellMessage({ points, order }: TurnState, message: Message): Promise<void> {
  const { turnId } = order;
  await points.fire("message_start", { turnId, role: message.role });
  await points.fire("message_end", { turnId, message });
}

/** The system prompt, which an extension may replace. */
export async function systemOf({ points, order }: TurnState): Promise<readonly ContextPart[]> {
  const { turnId, prompt } = order;
  if (!points.has("before_turn")) return order.system;
  const system = order.system.map(({ text }) => text).join("\n\n");
  const own = (await points.fire("before_turn", { turnId, prompt, system }))?.system;
  if (own === undefined || own === system) return order.system;
  return [{ name: "extension", source: "extension", text: own, blob: null, bytes: Buffer.byteLength(own) }];
}

/** A request with the messages as extensions want them. They are not stored so. */
export async function withContext({ points, order }: TurnState, request: ModelRequest): Promise<ModelRequest> {
  if (!points.has("context")) return request;
  const { messages } = request;
  const changed = await points.fire("context", { turnId: order.turnId, messages });
  return { ...request, messages: changed?.messages ?? messages };
}

/** The link of one call: guards see each effect before the daemon is asked for it. */
export function guardedLink(
  { points, order, link }: TurnState,
  { callId, name }: { readonly callId: string; readonly name: string },
): Link {
  if (!points.has("before_effect")) return link;
  return {
    ...link,
    call: async (asking) => {
      const effect = effectIn(asking);
      const { turnId } = order;
      const verdict =
        effect === null ? undefined : await points.fire("before_effect", { turnId, callId, name, ...effect });
      if (verdict?.block === true) throw new CallError("denied", `Blocked: ${verdict.reason ?? NO_REASON}`);
      return link.call(asking);
    },
  };
}

export const NO_REASON = "an extension does not allow it";

/** Null: it only looks, or touches nothing outside the log. */
function effectIn(asking: EngineCall) {
  switch (asking.do) {
    case "write":
      return { kind: asking.as, resource: asking.path, detail: { path: asking.path, text: asking.text } };
    case "remove":
      return { kind: "edit", resource: asking.path, detail: { path: asking.path } };
    case "run":
      return { kind: "run", resource: asking.command, detail: { command: asking.command } };
    case "start":
      return { kind: "process", resource: asking.command, detail: { command: asking.command } };
    case "exec":
      return { kind: "git", resource: asking.argv.join(" "), detail: { argv: [...asking.argv] } };
    case "served":
      return { kind: "tool", resource: asking.tool, detail: { tool: asking.tool, input: asking.input } };
    default:
      return null;
  }
}
