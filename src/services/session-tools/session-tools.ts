import type { ToolSource } from "../../turns/index.ts";
import { controlTool } from "./control.ts";
import { sendTool } from "./send.ts";
import { sessionTool } from "./session.ts";
import type { SessionCall } from "./session-call.ts";
import type { ReadBlob } from "./session-output.ts";

/** The driver whose sessions may set their own options: those of foreign agents decide how often a person is asked. */
const OWN_DRIVER = "nomos";

/** No other tool may have these names. */
export const SESSION_TOOL_NAMES: readonly string[] = ["send", "session", "control"];

/** Tools that act on Nomos itself, with the rights of the session that calls and never more. */
export function createSessionTools(call: SessionCall, blob: ReadBlob): ToolSource {
  const [send, session, control] = [sendTool(call), sessionTool(call, blob), controlTool(call)];
  return {
    name: "session",
    tools: async ({ spec: { adapter, delegates = [] } }) => ({
      tools: [send, ...(delegates.length > 0 ? [session] : []), ...(adapter === OWN_DRIVER ? [control] : [])],
      problems: [],
    }),
  };
}
