/**
 * `viewer`: whoever may only look. `session`: a driver's process, over its own session; to start another one is a matter
 * of delegation as well. `below`: the same process, over the sessions that it started and theirs.
 */
export type Role = "viewer" | "session" | "below";

/** The capabilities of each kind of token. */
export type Roles = { readonly [role in Role | "operator"]: readonly string[] };
