import { StoreError, type StoreErrorCode } from "../../port.ts";

/**
 * Translates errors of PostgreSQL and the network into `StoreError`s. A lost connection is `store_unreachable`. A bug
 * stays as it is.
 */
export function translate(cause: unknown, details: StoreError["details"] = {}): unknown {
  if (cause instanceof StoreError || cause instanceof TypeError || cause instanceof RangeError) return cause;
  const state = stateOf(cause);
  const found = { ...details, sqlstate: state, reason: cause instanceof Error ? cause.message : String(cause) };
  return new StoreError(state === null ? "store_unreachable" : codeOf(state, cause), found, cause);
}

export function isUnreachable(thrown: unknown): boolean {
  return thrown instanceof StoreError && thrown.code === "store_unreachable";
}

/** Turns any other thrown value into a `StoreError` as well: it is a bug, and its effect on the log is unknown. */
export function asStoreError(thrown: unknown): StoreError {
  return thrown instanceof StoreError ? thrown : new StoreError("store_failed", { reason: String(thrown) }, thrown);
}

/** An event, call or stream with this key exists already. */
export function isDuplicate(error: StoreError): boolean {
  return error.details["sqlstate"] === "23505";
}

/** A temporary failure after which the writer can continue. All others are fatal to it. */
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
  // Out of memory or connections, lock timeout, statement timeout, or a conflicting transaction.
  [/^(53|55P03|57014|40)/, "overloaded"],
  // A standby, or a role or database that is read-only.
  [/^(25006|42501)$/, "store_read_only"],
  // Unknown user, wrong password, unknown database; the server is shutting down, starting up, or closed an idle
  // session.
  [/^(08|28|3D|57P|25P03)/, "store_unreachable"],
  [/^XX00[12]$/, "log_corrupt"],
  // The key is too long for an index.
  [/^54/, "payload_too_large"],
];

function codeOf(state: string, cause: unknown): StoreErrorCode {
  const known = CODES.find(([form]) => form.test(state))?.[1];
  if (known !== undefined) return known;
  const severity = cause instanceof Error && "severity" in cause ? cause.severity : null;
  return severity === "FATAL" || severity === "PANIC" ? "store_unreachable" : "store_failed";
}

/** PostgreSQL's five-character SQLSTATE; null for errors of the network or the driver. */
function stateOf(cause: unknown): string | null {
  if (!(cause instanceof Error) || !("severity" in cause) || !("code" in cause)) return null;
  return typeof cause.code === "string" ? cause.code : null;
}
