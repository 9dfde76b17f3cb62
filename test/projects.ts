export interface Project {
  readonly name: string;
  readonly what: string;
  readonly include: readonly string[];
  readonly exclude?: readonly string[];
  /** The longest that one test may take. */
  readonly testTimeoutS: number;
  /** How long its files may take together, summed over the workers. All budgets together are ten minutes of three. */
  readonly budgetS: number;
  /** A failed test is tried again, and the report says so: a browser on a busy machine may miss a moment. */
  readonly retries?: number;
  /** Its tests start the product, which is bundled for the run. */
  readonly product?: boolean;
  /** Its tests find a real PostgreSQL in NOMOS_TEST_POSTGRES. */
  readonly postgres?: boolean;
  /** Where its daemons keep their log; SQLite unless it says so. */
  readonly store?: "postgres";
  /**
   * Its files share a process, one after another, and load the code once. A test there leaves nothing behind that a later
   * file would see.
   */
  readonly oneProcess?: boolean;
  /** Has to be asked for, because it installs something first: `npm run test:agents`. */
  readonly onDemand?: boolean;
}

/**
 * What a daemon does with its store and the store's contract does not show: proofs, backup and restore, keys for replay,
 * the life of a daemon and what is there after a kill. Everything else lies above the store and is the same on both;
 * NOMOS_TEST_WHOLE=1 proves it there too.
 */
const ON_POSTGRES: readonly string[] = ["audit", "backup", "engine/steering", "life", "replay", "sessions"].map(
  (name) => `test/e2e/${name}.test.ts`,
);

/** Rooms whose tests start no daemon and change nothing outside of their own folder. */
const IN_ONE_PROCESS: readonly string[] = [
  ...["app", "client", "cli", "commit", "contract", "domains", "drivers", "kernel"],
  ...["redaction", "services", "store", "supervisor", "surfaces", "syscalls", "turns"],
]
  .map((room) => `src/${room}/**/*.test.ts`)
  .concat("web/**/*.test.ts");

/** A test belongs to a project by where it lies. `unit` takes what no other claims, so no test falls between two. */
export const PROJECTS: readonly Project[] = [
  {
    name: "unit",
    what: "the machine, architecture, docs, simulation",
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    exclude: [
      ...IN_ONE_PROCESS,
      "test/contract/**",
      "test/crash/**",
      "test/e2e/**",
      "test/agents/proof/**",
      "test/pack*.test.ts",
      "test/walls/**",
      "test/web/**",
    ],
    testTimeoutS: 60,
    budgetS: 270,
  },
  {
    name: "unit-rooms",
    what: "kernel, domains and the rooms above them, without a daemon",
    include: IN_ONE_PROCESS,
    testTimeoutS: 60,
    budgetS: 120,
    oneProcess: true,
  },
  {
    name: "contract",
    what: "the stores' contract, and the same calls over every surface",
    include: ["test/contract/**/*.test.ts"],
    testTimeoutS: 120,
    budgetS: 210,
    product: true,
    postgres: true,
  },
  {
    name: "crash",
    what: "faults below the store and the daemon",
    include: ["test/crash/**/*.test.ts"],
    testTimeoutS: 240,
    budgetS: 300,
    product: true,
    postgres: true,
  },
  {
    name: "e2e",
    what: "the daemon over HTTP and the command line, on SQLite",
    include: ["test/e2e/**/*.test.ts"],
    testTimeoutS: 120,
    budgetS: 640,
    product: true,
  },
  {
    name: "e2e-postgres",
    what: "what can differ on PostgreSQL",
    include: process.env["NOMOS_TEST_WHOLE"] === "1" ? ["test/e2e/**/*.test.ts"] : ON_POSTGRES,
    exclude: ["test/e2e/mcp-inspector.test.ts"],
    testTimeoutS: 120,
    budgetS: 70,
    product: true,
    postgres: true,
    store: "postgres",
  },
  {
    name: "storm-postgres",
    what: "the storm of killed daemons, on PostgreSQL",
    include: ["test/crash/daemon/storm.test.ts", "test/crash/engine/storm.test.ts"],
    testTimeoutS: 240,
    budgetS: 15,
    product: true,
    postgres: true,
    store: "postgres",
  },
  {
    name: "walls",
    what: "attempts to get out of a strict session",
    include: ["test/walls/**/*.test.ts"],
    testTimeoutS: 240,
    budgetS: 120,
    product: true,
  },
  {
    name: "pack",
    what: "the package as a stranger installs it, and the guides as printed",
    include: ["test/pack*.test.ts"],
    testTimeoutS: 180,
    budgetS: 55,
    product: true,
  },
  {
    name: "web",
    what: "the dashboard in a real browser; here the first look, all of it with `npm run test:web`",
    include: [process.env["NOMOS_TEST_WEB"] === "1" ? "test/web/*.test.ts" : "test/web/first-look.test.ts"],
    testTimeoutS: 90,
    budgetS: process.env["NOMOS_TEST_WEB"] === "1" ? 480 : 30,
    retries: 1,
    product: true,
  },
  {
    name: "agents",
    what: "real agents",
    include: ["test/agents/proof/*.test.ts"],
    testTimeoutS: 180,
    budgetS: 480,
    product: true,
    onDemand: true,
  },
];
