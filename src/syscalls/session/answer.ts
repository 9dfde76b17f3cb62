import { NomosError, type SessionWire, sessionWire } from "../../contract/index.ts";
import { SESSIONS, Session, type SessionRow, sessionStream, type View } from "../../kernel/index.ts";
import type { RecordedEvent } from "../../store/index.ts";
import type { Context } from "../define.ts";

/** The session's current row: one point read. */
export async function showSession(context: Context<"bounds" | "store">, id: string): Promise<SessionWire> {
  const row = await sessionRowOf(context, id);
  const { events, bytes, blobBytes, familyBytes } = await context.services.store.usage(sessionStream(id));
  const limit = context.services.bounds.limits().sessionBytes;
  const usage = { events, bytes: bytes + blobBytes, withForks: familyBytes, limit };
  return { ...sessionWire(row), usage };
}

export async function sessionRowOf(context: Context<"store">, id: string): Promise<SessionRow> {
  const row = await context.services.store.row(SESSIONS, id);
  if (row === null || row.forgotten) throw new NomosError("session_not_found", { id });
  return row;
}

/** The caller's principal and call, for the log. */
export function byOf(context: Context<never>): { readonly actor: string; readonly call: Context["call"] } {
  return { actor: context.actor.principal, call: context.call };
}

export function sessionIdIn(events: readonly RecordedEvent[]): string {
  const stream = events.find((event) => event.stream.startsWith("session/"))?.stream;
  if (stream === undefined) throw new NomosError("internal", { reason: "no session in what was written" });
  return stream.slice("session/".length);
}

/** The view of a session's current path: artifacts and todo. */
export async function viewOf(context: Context<"store">, id: string): Promise<View> {
  await sessionRowOf(context, id);
  return (await context.services.store.fold(Session, id)).view;
}
