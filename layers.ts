/**
 * The one table that decides who imports whom. test/architecture.test.ts holds src/ to it.
 *
 * A layer appears with its first user: a row without a folder is a layer of the future, a folder without a row is a defect.
 * Inside a layer files import each other freely (without cycles); another layer is entered only through its `index.ts`.
 */
export interface Layer {
  readonly name: string;
  readonly dir: string;
  /** The floor it stands on. A layer imports only from floors below its own. */
  readonly level: number;
  readonly mayImport: readonly string[];
  /** Layers above that it may start, only by `await import()` of their door: loaded when needed, never at start. */
  readonly mayLaunch?: readonly string[];
  /**
   * What it may count on being there. `language`: nothing but the language itself, so no import from outside, no clock,
   * no randomness. `browser`: npm packages but no `node:` module. `node`: both.
   */
  readonly world: "language" | "browser" | "node";
  /** Packages that must not be loaded when this layer is loaded, not even through another layer. */
  readonly neverLoads?: readonly string[];
  /** The whole layer without its tests. */
  readonly maxLines?: number;
  readonly note: string;
}

export const LAYERS: readonly Layer[] = [
  {
    name: "kernel",
    dir: "src/kernel",
    level: 0,
    mayImport: [],
    world: "language",
    maxLines: 3200,
    note: "pure core: events, decide and evolve, state machines, gate, scope algebra, drift, Merkle, ids",
  },
  {
    name: "store",
    dir: "src/store",
    level: 1,
    mayImport: ["kernel"],
    world: "node",
    note: "the durable log and its read models: sqlite, postgres, blobs, leases, recovery",
  },
  {
    name: "contract",
    dir: "src/contract",
    level: 1,
    mayImport: ["kernel"],
    world: "browser",
    note: "what crosses a boundary: schemas, error catalogue, config",
  },
  {
    name: "governance",
    dir: "src/governance",
    level: 2,
    mayImport: ["kernel", "store", "contract"],
    world: "node",
    note: "constitution, compiled lock, seal, tickets, advisories, drift, tracing, adapters, hooks",
  },
  {
    name: "host",
    dir: "src/host",
    level: 2,
    mayImport: ["kernel", "store", "contract"],
    world: "node",
    note: "the machine: process trees, git and worktrees, snapshots, sandbox, vault, egress, clock",
  },
  {
    name: "commit",
    dir: "src/commit",
    level: 3,
    mayImport: ["kernel", "store", "contract", "host"],
    world: "node",
    note: "the one way anything changes: fold, decide, append over several streams with guards",
  },
  {
    name: "memory",
    dir: "src/memory",
    level: 3,
    mayImport: ["kernel", "store", "contract", "governance", "host"],
    world: "node",
    note: "tiers, decay, dream, retrieval",
  },
  {
    name: "engine",
    dir: "src/engine",
    level: 3,
    mayImport: ["kernel", "store", "contract", "governance", "host"],
    world: "node",
    note: "our own agent: turn loop, prompt view, compaction, providers, tools, extensions, skills",
  },
  {
    name: "drivers",
    dir: "src/drivers",
    level: 3,
    mayImport: ["kernel", "store", "contract", "governance", "host"],
    world: "node",
    note: "other people's agents: acp, print, script, external, demo; one manifest an agent",
  },
  {
    name: "supervisor",
    dir: "src/supervisor",
    level: 4,
    mayImport: ["kernel", "store", "contract", "governance", "host", "memory", "engine", "drivers"],
    world: "node",
    note: "sessions as processes: start, lease, prompt, cancel, hibernate, fork, rewind, recover",
  },
  {
    name: "syscalls",
    dir: "src/syscalls",
    level: 5,
    mayImport: [
      "kernel",
      "store",
      "contract",
      "governance",
      "host",
      "commit",
      "memory",
      "engine",
      "drivers",
      "supervisor",
    ],
    world: "node",
    note: "the table: one file a family",
  },
  {
    name: "channels",
    dir: "src/channels",
    level: 6,
    mayImport: ["kernel", "contract", "host", "syscalls"],
    world: "node",
    note: "message <-> syscall; what they need of the store or the supervisor they ask of a syscall",
  },
  {
    name: "surfaces",
    dir: "src/surfaces",
    level: 6,
    mayImport: ["kernel", "contract", "host", "syscalls"],
    world: "node",
    note: "protocol <-> syscall, no decisions; what they need of the store or the supervisor they ask of a syscall",
  },
  {
    name: "client",
    dir: "src/client",
    level: 6,
    mayImport: ["kernel", "contract"],
    world: "browser",
    note: "typed client, browser-safe",
  },
  {
    name: "cli",
    dir: "src/cli",
    level: 7,
    mayImport: ["kernel", "contract", "host", "client"],
    mayLaunch: ["app"],
    world: "node",
    neverLoads: ["zod", "hono", "@hono/node-server"],
    note: "arguments and printing; talks to the daemon, starts it when there is none",
  },
  {
    name: "app",
    dir: "src/app",
    level: 8,
    mayImport: [
      "kernel",
      "store",
      "contract",
      "governance",
      "host",
      "commit",
      "memory",
      "engine",
      "drivers",
      "supervisor",
      "syscalls",
      "channels",
      "surfaces",
      "client",
    ],
    world: "node",
    note: "composition root: reads configuration once, builds the graph",
  },
];
