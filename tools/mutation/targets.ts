/** What is mutated, and which tests have to notice. */
export interface Target {
  readonly name: string;
  readonly files: readonly string[];
  /** Fast tests: each runs once for every mutant it reaches. */
  readonly near: readonly string[];
  /** Tests with daemons and processes: whole files, for what the near ones leave alive. */
  readonly far: readonly string[];
}

const STORE_TESTS = ["src/store/**/*.test.ts", "test/contract/store/sqlite.test.ts", "test/log-format.test.ts"];

export const TARGETS: readonly Target[] = [
  {
    name: "tokens",
    files: ["src/supervisor/registry/token*.ts", "src/domains/tokens/*.ts", "src/domains/delegation/*.ts"],
    near: ["src/supervisor/registry/*.test.ts", "src/domains/{tokens,delegation}/*.test.ts", "src/domains/*.test.ts"],
    far: ["test/e2e/token-{ends,reach,screens}.test.ts", "test/e2e/delegation.test.ts"],
  },
  {
    name: "gate",
    files: ["src/domains/gate/*.ts"],
    near: ["src/domains/gate/*.test.ts", "src/commit/held-policy.test.ts"],
    far: ["test/e2e/{permission,approvals}.test.ts", "test/e2e/agents/gate.test.ts"],
  },
  {
    name: "kernel",
    files: ["src/kernel/*.ts", "src/kernel/{definitions,session}/**/*.ts"],
    near: ["src/kernel/**/*.test.ts", "src/domains/*.test.ts"],
    far: ["test/e2e/{sessions,approvals,history,life}.test.ts", "test/sim/sim.test.ts"],
  },
  {
    name: "domains",
    files: ["src/domains/{audit,system,agents,ids}/**/*.ts", "src/domains/*.ts"],
    near: ["src/domains/**/*.test.ts", "src/store/tree/*.test.ts"],
    far: ["test/verifier.test.ts", "test/e2e/audit.test.ts"],
  },
  {
    name: "scope",
    files: [
      "src/domains/scope/*.ts",
      "src/supervisor/files/{scope-judge,out-of-scope,undo-names,unreadable-changes,fit-in-event,in-order}.ts",
    ],
    near: ["src/domains/scope/*.test.ts", "src/supervisor/files/*.test.ts"],
    far: ["test/e2e/scope-attacks.test.ts", "test/e2e/shared-folder.test.ts"],
  },
  {
    name: "commit",
    files: ["src/commit/**/*.ts"],
    near: ["src/commit/**/*.test.ts"],
    far: ["test/e2e/{sessions,followers}.test.ts", "test/sim/{sim,year}.test.ts"],
  },
  {
    name: "writer",
    files: ["src/store/sqlite/writer/**/*.ts", "src/store/log/*.ts", "src/store/models/quota.ts"],
    near: STORE_TESTS,
    far: ["test/crash/store/{faults,torn,processes,kill}.test.ts", "test/e2e/quota.test.ts"],
  },
  {
    name: "walls",
    files: ["src/host/sandbox/**/*.ts"],
    near: ["src/host/sandbox/**/*.test.ts"],
    far: ["test/e2e/{strict,escape}.test.ts", "test/walls/commands.test.ts"],
  },
];
