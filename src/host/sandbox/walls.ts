import type { SandboxLimits } from "./cgroups.ts";

/** What a process may do with a path. `hidden`: it finds something empty there. */
export type Access = "read" | "write" | "hidden";

export interface Mount {
  /** The path inside: absolute, without links. */
  readonly path: string;
  readonly access: Access;
  /** The path outside; default: the same path. */
  readonly from?: string;
  /** A short reason, shown by `sandbox explain`. */
  readonly why?: string;
}

/** The door: a socket of the daemon, and the ports inside that lead to it. */
export interface Door {
  /** The Unix socket outside. */
  readonly socket: string;
  /** Loopback ports inside whose connections go to the socket. */
  readonly ports: readonly number[];
  /** Variables that tell the program where the proxy is. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Sandbox mode `strict`: the system is readable, the working directory writable, and everything else is absent unless
 * named here.
 */
export interface Walls {
  /**
   * In addition to the working directory, which is writable unless one of these says otherwise. The innermost counts.
   */
  readonly mounts: readonly Mount[];
  /** Programs that must run inside, from a trusted argv: they and their installations are readable. */
  readonly programs: readonly string[];
  /** A private directory for HOME; null: an empty one that ends with the process. */
  readonly home: string | null;
  /** A directory for /tmp; null: in memory. */
  readonly temp: string | null;
  /** Null means no network at all. */
  readonly door: Door | null;
  /** Limits for all processes inside together, as far as the machine supports them. Default: none. */
  readonly limits?: SandboxLimits;
}

/** Names of things inside. */
export const INSIDE = {
  home: "/run/nomos/home",
  door: "/run/nomos/door.sock",
  login: "/run/nomos/login",
  temp: "/tmp",
} as const;
