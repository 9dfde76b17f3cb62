import { NomosError } from "../contract/index.ts";
import type { Actor } from "../domains/index.ts";
import type { SessionCall, SessionOrder } from "../services/index.ts";
import { sessionActor } from "./actors.ts";
import type { Syscall } from "./define.ts";
import { dispatch } from "./dispatch.ts";
import type { Services } from "./services.ts";

/** What a session may do to itself through its tool `control`, beside what its role holds. */
const CONTROLS: readonly string[] = ["session.configure", "session.prompt"];

/** Calls for sessions from inside the daemon: by the table, as any other caller, with the session's own role. */
export function createSessionCalls(services: Services, table: readonly Syscall[]): SessionCall {
  const byName = new Map(table.map((syscall) => [syscall.name, syscall]));
  return async (order) => {
    const syscall = byName.get(order.syscall);
    if (syscall === undefined) throw new NomosError("internal", { reason: `there is no ${order.syscall}` });
    const { input, key, signal } = order;
    const actor = actorOf(services, syscall, order);
    const output = await dispatch(services, syscall, { actor, input: { ...input }, key, signal, isInside: true });
    if ("stream" in output) throw new NomosError("internal", { reason: `${order.syscall} is a stream` });
    return output.value;
  };
}

/** A control reaches the session alone: not even those below it. */
function actorOf(
  { roles }: Services,
  { name, permission }: Syscall,
  { sessionId, input, isControl }: SessionOrder,
): Actor {
  const actor = sessionActor(roles, sessionId);
  if (isControl !== true) return actor;
  if (!CONTROLS.includes(name) || input["id"] !== "self")
    throw new NomosError("denied", { capability: permission, rules: ["own_session_only"] });
  return { ...actor, capabilities: [...actor.capabilities, permission], below: [] };
}
