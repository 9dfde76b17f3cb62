import type { Duplex } from "node:stream";

const FROM_SESSION = Symbol("from a session behind walls");

/** A connection that comes from behind a session's walls is good for that session's own key, and for no other. */
export function noteSession(socket: Duplex, sessionId: string): void {
  Reflect.set(socket, FROM_SESSION, sessionId);
}

export function sessionBehind(socket: Duplex): string | null {
  const sessionId: unknown = Reflect.get(socket, FROM_SESSION);
  return typeof sessionId === "string" ? sessionId : null;
}
