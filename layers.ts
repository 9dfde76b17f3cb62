/**
 * The one table that decides who imports whom. test/architecture.test.ts checks src/ and packages/ against it.
 *
 * A row without a folder is a planned layer; a folder without a row is a defect. Files of one layer import each other
 * freely, without cycles; another layer is imported only through its `index.ts`.
 */
export interface Layer {
  readonly name: string;
  readonly dir: string;
  /** A layer imports only from lower levels. */
  readonly level: number;
  readonly mayImport: readonly string[];
  /** Layers it may start, only by `await import()` of their `index.ts`: loaded when needed, never at start. */
  readonly mayLaunch?: readonly string[];
  /**
   * What it may use. `language`: the language alone: no imports from outside, no clock, no randomness. `browser`: npm
   * packages but no `node:` modules. `bare`: `node:` modules but no npm packages, because it is published by itself. `node`:
   * both.
   */
  readonly runtime: "language" | "browser" | "bare" | "node";
  /** Packages that become part of the bundle, and so are no dependencies of what is published. */
  readonly bundles?: readonly string[];
  /** Packages that must not be loaded when this layer is loaded, not even through another layer. */
  readonly neverLoads?: readonly string[];
  /** The whole layer without its tests. */
  readonly maxLines?: number;
  /** Limit for each folder directly in it, without tests. */
  readonly maxLinesOfFolder?: number;
  readonly note: string;
}

export const LAYERS: readonly Layer[] = [
  {
    name: "aip46-conformance",
    dir: "packages/aip46-conformance/src",
    level: 0,
    mayImport: [],
    runtime: "bare",
    note: "the AIP-46 conformance cases as a separate package, for any server; of Nomos it knows only the routes",
  },
  {
    name: "kernel",
    dir: "src/kernel",
    level: 0,
    mayImport: [],
    runtime: "language",
    maxLines: 3000,
    note: "pure code for all domains, and the session: definitions, decide and evolve",
  },
  {
    name: "domains",
    dir: "src/domains",
    level: 1,
    mayImport: ["kernel"],
    runtime: "language",
    maxLinesOfFolder: 600,
    note: "pure code, one folder per domain: agents, tokens, the system, the gate, scope, ids and names, the hash chain and the Merkle tree; the list of aggregates",
  },
  {
    name: "contract",
    dir: "src/contract",
    level: 2,
    mayImport: ["kernel", "domains"],
    runtime: "browser",
    note: "what crosses a boundary: schemas, error catalogue, config",
  },
  {
    name: "store",
    dir: "src/store",
    level: 2,
    mayImport: ["kernel", "domains"],
    runtime: "node",
    note: "the durable log and its read models: sqlite, postgres, blobs, leases, recovery",
  },
  {
    name: "host",
    dir: "src/host",
    level: 3,
    mayImport: ["kernel", "domains", "store", "contract"],
    runtime: "node",
    note: "the machine: process trees, git and worktrees, snapshots, sandbox, vault, egress, clock",
  },
  {
    name: "redaction",
    dir: "src/redaction",
    level: 3,
    mayImport: ["kernel", "domains", "contract"],
    runtime: "node",
    note: "the one place that replaces secrets in text: known values in every usual encoding, and the shapes of well-known keys",
  },
  {
    name: "commit",
    dir: "src/commit",
    level: 4,
    mayImport: ["kernel", "domains", "store", "contract", "host", "redaction"],
    runtime: "node",
    note: "every change goes through here: fold, decide, append over several streams with guards; followers, alarms, queues",
  },
  {
    name: "turns",
    dir: "src/turns",
    level: 5,
    mayImport: ["kernel", "domains", "store", "contract", "host", "redaction", "commit"],
    runtime: "node",
    note: "the contract of a turn: identity, recording, effects, questions; the line protocol of a turn in another process",
  },
  {
    name: "governance",
    dir: "src/governance",
    level: 5,
    mayImport: ["kernel", "domains", "store", "contract", "host", "commit"],
    runtime: "node",
    note: "constitution, compiled lock, seal, advisories, drift, adapters, hooks",
  },
  {
    name: "memory",
    dir: "src/memory",
    level: 6,
    mayImport: ["kernel", "domains", "store", "contract", "host", "commit", "turns", "governance"],
    runtime: "node",
    note: "tiers, decay, dream, retrieval",
  },
  {
    name: "engine",
    dir: "src/engine",
    level: 6,
    mayImport: ["kernel", "domains", "store", "contract", "host", "redaction", "commit", "turns", "governance"],
    runtime: "node",
    note: "our own agent: turn loop, prompt view, compaction, providers, tools, extensions, skills",
  },
  {
    name: "drivers",
    dir: "src/drivers",
    level: 6,
    mayImport: ["kernel", "domains", "store", "contract", "host", "redaction", "commit", "turns", "governance"],
    runtime: "node",
    note: "foreign agents: acp, print, script, external, demo; one manifest per agent",
  },
  {
    name: "supervisor",
    dir: "src/supervisor",
    level: 7,
    mayImport: [
      "kernel",
      "domains",
      "store",
      "contract",
      "host",
      "redaction",
      "commit",
      "turns",
      "governance",
      "memory",
      "engine",
      "drivers",
    ],
    runtime: "node",
    note: "sessions as processes: start, lease, prompt, cancel, hibernate, fork, rewind, recover",
  },
  {
    name: "services",
    dir: "src/services",
    level: 8,
    mayImport: [
      "kernel",
      "domains",
      "store",
      "contract",
      "host",
      "redaction",
      "commit",
      "turns",
      "governance",
      "memory",
      "engine",
      "drivers",
      "supervisor",
    ],
    runtime: "node",
    note: "what works on many sessions, one folder per subject: home, config, restore, audit, backup, drivers, models, sandbox, limits, metrics, waiting",
  },
  {
    name: "syscalls",
    dir: "src/syscalls",
    level: 9,
    mayImport: [
      "kernel",
      "domains",
      "store",
      "contract",
      "host",
      "redaction",
      "commit",
      "turns",
      "governance",
      "memory",
      "engine",
      "drivers",
      "supervisor",
      "services",
    ],
    runtime: "node",
    note: "the syscall table: one folder per family; each definition names its roles and needs",
  },
  {
    name: "channels",
    dir: "src/channels",
    level: 10,
    mayImport: ["kernel", "domains", "contract", "host", "syscalls"],
    runtime: "node",
    note: "message <-> syscall; uses the store and the supervisor only through syscalls",
  },
  {
    name: "surfaces",
    dir: "src/surfaces",
    level: 10,
    mayImport: ["kernel", "domains", "contract", "host", "redaction", "syscalls"],
    runtime: "node",
    note: "protocol <-> syscall, no decisions; uses the store and the supervisor only through syscalls",
  },
  {
    name: "client",
    dir: "src/client",
    level: 10,
    mayImport: ["kernel", "domains", "contract"],
    runtime: "browser",
    note: "typed client, browser-safe",
  },
  {
    name: "cli",
    dir: "src/cli",
    level: 11,
    mayImport: ["kernel", "domains", "contract", "host", "redaction", "client", "aip46-conformance"],
    runtime: "node",
    mayLaunch: ["app", "governance"],
    bundles: ["uqr"],
    neverLoads: ["zod", "hono", "@hono/node-server"],
    note: "arguments and printing; talks to the daemon, and starts it if none runs",
  },
  {
    name: "web",
    dir: "web",
    level: 11,
    mayImport: ["kernel", "domains", "client"],
    runtime: "browser",
    bundles: ["preact", "@preact/signals", "marked", "lowlight", "uqr"],
    note: "the dashboard: a view of syscalls and streams; a page is a folder and one line in pages.ts",
  },
  {
    name: "app",
    dir: "src/app",
    level: 13,
    mayImport: [
      "kernel",
      "domains",
      "store",
      "contract",
      "host",
      "redaction",
      "commit",
      "turns",
      "governance",
      "memory",
      "engine",
      "drivers",
      "supervisor",
      "services",
      "syscalls",
      "channels",
      "surfaces",
      "client",
    ],
    runtime: "node",
    maxLines: 1400,
    note: "composition root: reads configuration once, builds the graph; no logic",
  },
  {
    name: "embed",
    dir: "src/embed",
    level: 12,
    mayImport: ["kernel", "contract", "turns", "client", "cli"],
    runtime: "node",
    mayLaunch: ["app"],
    note: "Nomos inside of another program, published as `nomos`: calls go through the table, as those of every surface",
  },
];
