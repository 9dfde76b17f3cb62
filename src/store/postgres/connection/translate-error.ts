import { StoreError, type StoreErrorCode } from "../../port.ts";

/** What PostgreSQL and the network say, in our words. A connection that is gone is `store_unreachable`; a bug stays one. */
export function translate(cause: unknown, details: StoreError["details"] = {}): unknown {
  if (cause instanceof StoreError || cause instanceof TypeError || cause instanceof RangeError) return cause;
  const state = stateOf(cause);
  const found = { ...details, sqlstate: state, reason: cause instanceof Error ? cause.message : String(cause) };
  return new StoreError(state === null ? "store_unreachable" : codeOf(state, cause), found, cause);
}

export function isUnreachable(thrown: unknown): boolean {
  return thrown instanceof StoreError && thrown.code === "store_unreachable";
}

/** For those who must go on with it: whatever else was thrown is a defect, and nobody knows what it left behind. */
export function asStoreError(thrown: unknown): StoreError {
  return thrown instanceof StoreError ? thrown : new StoreError("store_failed", { reason: String(thrown) }, thrown);
}

/** An event, a call or a stream that is there already. */
export function isDuplicate(error: StoreError): boolean {
  return error.details["sqlstate"] === "23505";
}

/** What may be over soon, and leaves the writer able to go on. Anything else is beyond it. */
export function isPassing(error: StoreError): boolean {
  return PASSING.includes(error.code);
}

const PASSING: readonly StoreErrorCode[] = [
  "disk_full",
  "overloaded",
  "payload_too_large",
  "store_read_only",
  "store_unreachable",
];

const CODES: readonly (readonly [RegExp, StoreErrorCode])[] = [
  [/^53100$/, "disk_full"],
  // Out of memory or of connections, waited too long for a lock, took too long, met somebody else.
  [/^(53|55P03|57014|40)/, "overloaded"],
  // A standby, a role or a database that may only read.
  [/^(25006|42501)$/, "store_read_only"],
  // No such user, wrong password, no such database; shutting down, starting up, or told that we were idle for too long.
  [/^(08|28|3D|57P|25P03)/, "store_unreachable"],
  [/^XX00[12]$/, "log_corrupt"],
  // An index holds no keys of that size.
  [/^54/, "payload_too_large"],
];

function codeOf(state: string, cause: unknown): StoreErrorCode {
  const known = CODES.find(([form]) => form.test(state))?.[1];
  if (known !== undefined) return known;
  const severity = cause instanceof Error && "severity" in cause ? cause.severity : null;
  return severity === "FATAL" || severity === "PANIC" ? "store_unreachable" : "store_failed";
}

/** Five characters that PostgreSQL sent; an error of the network or the driver has none. */
function stateOf(cause: unknown): string | null {
  if (!(cause instanceof Error) || !("severity" in cause) || !("code" in cause)) return null;
  return typeof cause.code === "string" ? cause.code : null;
}
