/**
 * `viewer`: may only read. `session`: a driver's process, on its own session; starting another also needs delegation.
 * `below`: the same process, on the sessions below its own.
 */
export type Role = "viewer" | "session" | "below";

/** The capabilities of each role. */
export type Roles = { readonly [role in Role | "operator"]: readonly string[] };
