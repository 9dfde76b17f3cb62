import type { Duplex } from "node:stream";

const FROM_SESSION = Symbol("from a session behind walls");

/** A connection from behind a session's walls may use that session's own token and no other. */
export function noteSession(socket: Duplex, sessionId: string): void {
  Reflect.set(socket, FROM_SESSION, sessionId);
}

export function sessionBehind(socket: Duplex): string | null {
  const sessionId: unknown = Reflect.get(socket, FROM_SESSION);
  return typeof sessionId === "string" ? sessionId : null;
}
