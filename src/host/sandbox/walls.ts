import type { SandboxLimits } from "./cgroups.ts";

/** What a process may do with a path. `hidden`: it finds something empty there. */
export type Access = "read" | "write" | "hidden";

export interface Mount {
  /** Where it is seen: absolute, without links. */
  readonly path: string;
  readonly access: Access;
  /** What is seen there; default: what lies there outside. */
  readonly from?: string;
  /** For whoever asks why it is reachable, in a few words. */
  readonly why?: string;
}

/** The one way out of a sandbox without a network: a socket of the daemon's, and the ports that lead to it. */
export interface Door {
  /** The Unix socket outside. */
  readonly socket: string;
  /** Ports on loopback inside whose connections go to that socket. */
  readonly ports: readonly number[];
  /** For the program inside: where the proxy is. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Sandbox `strict`: nothing is there but the system to read, the working directory to write, and what is named here. */
export interface Walls {
  /** Beside the working directory, which is writable unless one of these says otherwise. The innermost counts. */
  readonly mounts: readonly Mount[];
  /** Programs that must run inside (real argv, by trusted hands): they and what they are installed with can be read. */
  readonly programs: readonly string[];
  /** A directory for its HOME, nobody else's; null: an empty one that goes with the process. */
  readonly home: string | null;
  /** A directory for its /tmp; null: memory. */
  readonly temp: string | null;
  /** Null: no network at all. */
  readonly door: Door | null;
  /** Of all that runs inside together, as far as the machine can hold it. Default: none. */
  readonly limits?: SandboxLimits;
}

/** What things are called inside. */
export const INSIDE = {
  home: "/run/nomos/home",
  door: "/run/nomos/door.sock",
  login: "/run/nomos/login",
  temp: "/tmp",
} as const;
