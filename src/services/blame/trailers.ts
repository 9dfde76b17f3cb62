/** What a commit says of itself. Anybody can write it. */
export interface Claim {
  readonly sessionId: string;
  readonly turnId: string | null;
  readonly eventId: string | null;
}

const CLAIMS_MAX = 50;
const ID = /^[0-9a-f-]{1,64}$/i;

/** A squashed commit holds the messages of several, so trailers count wherever they stand. Each claim begins with a session. */
export function claimsIn(message: string): readonly Claim[] {
  const claims: { sessionId: string; turnId: string | null; eventId: string | null }[] = [];
  for (const line of message.split("\n")) {
    const [, name = "", value = ""] = /^\s*Nomos-(Session|Turn|Event)\s*:\s*(\S+)\s*$/i.exec(line) ?? [];
    if (!ID.test(value)) continue;
    const last = claims.at(-1);
    if (name.toLowerCase() === "session") claims.push({ sessionId: value, turnId: null, eventId: null });
    else if (name.toLowerCase() === "turn" && last !== undefined) last.turnId ??= value;
    else if (last !== undefined) last.eventId ??= value;
    if (claims.length > CLAIMS_MAX) break;
  }
  return claims.slice(0, CLAIMS_MAX);
}
