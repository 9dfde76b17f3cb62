import * as z from "zod";
import { denialsOf, PROTECTIONS } from "../../domains/index.ts";
import { read, type Syscall } from "../define.ts";
import {
  byCwd,
  Commands,
  ConfigProblemWire,
  Cwd,
  HERE,
  OPENING,
  Paths,
  ProblemWire,
  RuleWire,
  refuseHidden,
  ScanWire,
} from "./wire.ts";

const COMMON = { permission: "governance.read", roles: ["viewer"], needs: ["laws", "workspaces"] } as const;
const Budgets = z.object({ files: z.number().int(), lines: z.number().int() });
const LISTED_MAX = 500;

/** Questions about the laws of repositories; nothing is changed by them. */
export const governanceReads: readonly Syscall[] = [
  read({
    name: "governance.show",
    summary: "Show the law in force: its rules, what it protects, budgets, checks, and what is wrong with it",
    ...COMMON,
    heavy: true,
    about: "system",
    input: byCwd,
    output: z.object({
      branch: z.string().nullable().describe("whose last commit is the law; null: it is not committed yet"),
      tip: z.string().nullable(),
      sound: z.boolean().describe("false: nothing is allowed until the problems are mended"),
      problems: z.array(ProblemWire),
      hash: z.string().nullable().describe("of the lock"),
      previous: z.string().nullable().describe("hash of the lock before it"),
      signer: z.string().nullable().describe("the verifier key of who sealed the policy; null: nobody signed it"),
      composedAt: z.string().nullable(),
      rules: z.array(RuleWire),
      protected: z.object({ read: Paths, write: Paths, delete: Paths }).describe("by its rules"),
      always: z
        .array(
          z.object({
            patterns: Paths,
            actions: z.array(z.string()),
            message: z.string(),
            liftable: z.boolean().describe("a `filesystem_allow` rule can lift it"),
          }),
        )
        .describe("protected without a word in the constitution"),
      budgets: Budgets,
      checks: Commands.describe("commands that work has to pass before it lands"),
      lanes: z.array(z.object({ name: z.string(), types: Paths, count: z.number().int() })),
      ticketsAtOnceMax: z.number().int().nullable(),
    }),
    errors: [...OPENING, "overloaded", "not_governed"],
    http: { method: "GET", path: "/api/governance" },
    cli: {
      positional: [],
      ...HERE,
      says: [
        ["sound", true, "The law of {branch} is sound: {rules.length|rule}."],
        ["sound", false, "The law of {branch} does not hold: nothing is allowed. Next: nomos governance verify"],
        "Lock {hash}, sealed {composedAt}.",
        "A ticket may change {budgets.files|file} and {budgets.lines|line}.",
      ],
      rows: "rules",
    },
    answer: async (context, { cwd }) => {
      await refuseHidden(context, cwd);
      const { ok, problems, branch, tip, signer, law } = await context.services.laws.verify(cwd);
      const rules = law?.lock.rules ?? [];
      const { budgets, checks = [], lanes = [], ticketsAtOnceMax = null } = law?.config ?? {};
      const required = rules.filter(({ type }) => type === "require_checks").flatMap((rule) => rule.checks);
      const denials = denialsOf(rules);
      return {
        ...{ branch, tip, sound: ok, signer, problems: problems.map((one) => ({ ...one })) },
        ...{ hash: law?.lock.hash ?? null, previous: law?.lock.previous ?? null },
        composedAt: law?.policy?.composedAt ?? null,
        rules: rules.map(ruleWire),
        protected: { read: [...denials.read], write: [...denials.write], delete: [...denials.delete] },
        always: PROTECTIONS.map(({ patterns, actions, message, isDefault }) => ({
          ...{ patterns: [...patterns], actions: [...actions], message, liftable: isDefault },
        })),
        budgets: { ...(budgets ?? { files: 0, lines: 0 }) },
        checks: unique([...checks, ...required]),
        lanes: lanes.map(({ name, types, count }) => ({ name, types: [...types], count })),
        ticketsAtOnceMax,
      };
    },
  }),
  read({
    name: "governance.verify",
    summary: "Verify that the files of a law belong together, and that nobody edited what was compiled",
    ...COMMON,
    heavy: true,
    about: "system",
    input: byCwd,
    output: z.object({
      ok: z.boolean(),
      problems: z.array(ProblemWire),
      branch: z.string().nullable(),
      tip: z.string().nullable(),
      signer: z.string().nullable(),
      rules: z.number().int().nullable().describe("null: the law is not sound"),
      isHistoryCut: z.boolean().describe("the chain of locks could not be followed to its beginning"),
    }),
    errors: [...OPENING, "overloaded", "not_governed"],
    http: { method: "GET", path: "/api/governance/verify" },
    cli: { positional: [], ...HERE, succeeds: { member: "ok", value: "true" } },
    answer: async (context, { cwd }) => {
      await refuseHidden(context, cwd);
      const { ok, problems, branch, tip, signer, law, isHistoryCut } = await context.services.laws.verify(cwd);
      const rules = law?.lock.rules.length ?? null;
      return { ok, problems: problems.map((one) => ({ ...one })), branch, tip, signer, rules, isHistoryCut };
    },
  }),
  read({
    name: "governance.check",
    summary: "Ask the law whether something may be done to a path, with or without a ticket",
    ...COMMON,
    about: "system",
    input: z.object({
      cwd: Cwd,
      verb: z.string().min(1).max(100).describe("`read`, `write`, `delete`, or a word that means one of them"),
      path: z.string().min(1).max(4096).describe("from `cwd`, absolute, or `~/...`"),
      ticket: z.string().min(1).max(100).optional(),
      evidence: z
        .array(z.string().max(200))
        .max(64)
        .optional()
        .describe("what was shown, such as `attestation:delete`"),
    }),
    output: z.object({
      verdict: z.enum(["allow", "deny", "ask"]),
      rules: z.array(z.string()),
      reason: z.string(),
      requires: z.array(z.string()).describe("what turns an `ask` into a yes"),
    }),
    errors: [...OPENING, "not_governed"],
    http: { method: "POST", path: "/api/governance/check" },
    cli: { positional: ["verb", "path"], ...HERE, succeeds: { member: "verdict", value: "allow" } },
    answer: async (context, { cwd, verb, path, ticket = null, evidence = [] }) => {
      await refuseHidden(context, cwd);
      const judged = await context.services.laws.check({ cwd, verb, path, ticket, evidence });
      return { ...judged, rules: [...judged.rules], requires: [...judged.requires] };
    },
  }),
  read({
    name: "governance.scan",
    summary: "Show what a repository is made of, as `nomos init` would see it",
    ...COMMON,
    heavy: true,
    about: "system",
    input: byCwd,
    output: ScanWire,
    errors: [...OPENING, "overloaded", "repository_bare", "governance_blocked"],
    http: { method: "GET", path: "/api/governance/scan" },
    cli: { positional: [], ...HERE },
    answer: async (context, { cwd }) => {
      await refuseHidden(context, cwd);
      const { root, scan } = await context.services.laws.scan(cwd);
      return ScanWire.parse({ root, ...scan });
    },
  }),
  read({
    name: "governance.config",
    summary: "Check `.nomos/config.yaml` as it is checked out, and show the settings with their defaults",
    ...COMMON,
    about: "system",
    input: byCwd,
    output: z.object({
      ok: z.boolean(),
      problems: z.array(ConfigProblemWire),
      branch: z.string().nullable(),
      budgets: Budgets.nullable(),
      checks: Commands,
      leases: z.object({ remote: z.string().nullable(), minutes: z.number() }).nullable(),
    }),
    errors: [...OPENING, "repository_bare", "governance_blocked", "governance_missing"],
    http: { method: "GET", path: "/api/governance/config" },
    cli: { positional: [], ...HERE, succeeds: { member: "ok", value: "true" } },
    answer: async (context, { cwd }) => {
      await refuseHidden(context, cwd);
      const { config, problems } = await context.services.laws.config(cwd);
      return {
        ok: config !== null,
        problems: problems.map(({ level, key, message }) => ({ level, key, message })),
        branch: config?.branch ?? null,
        budgets: config === null ? null : { ...config.budgets },
        checks: (config?.checks ?? []).map((argv) => [...argv]),
        leases: config === null ? null : { ...config.leases },
      };
    },
  }),
  read({
    name: "governance.list",
    summary: "List the repositories that have or had a law, as the log knows them",
    ...COMMON,
    about: "system",
    input: z.object({}),
    output: z.object({
      repositories: z.array(
        z.object({
          id: z.string().describe("names the repository in the log"),
          root: z.string().nullable(),
          state: z.enum(["governed", "removed"]),
          branch: z.string().nullable(),
          mode: z.enum(["tracked", "sidecar"]),
          hash: z.string().nullable(),
          problems: z.array(z.object({ code: z.string(), message: z.string() })),
          changedAt: z.string(),
        }),
      ),
    }),
    errors: [],
    http: { method: "GET", path: "/api/governance/repositories" },
    cli: { positional: [] },
    answer: async (context) => {
      const rows = await context.services.laws.list(LISTED_MAX);
      const repositories = rows.flatMap(({ id, at, root, branch, mode, lockHash, problems, changedAt }) => {
        if (at !== "governed" && at !== "removed") return [];
        const told = problems.map((one) => ({ ...one }));
        return [{ id, root, state: at, branch, mode, hash: lockHash, problems: told, changedAt }];
      });
      return { repositories };
    },
  }),
];

interface Rule {
  readonly id: string;
  readonly type: string;
  readonly patterns: readonly string[];
  readonly actions: readonly string[];
  readonly message: string;
  readonly checks: readonly (readonly string[])[];
}

function ruleWire({ id, type, patterns, actions, message, checks }: Rule): z.input<typeof RuleWire> {
  const commands = checks.map((argv) => [...argv]);
  return { id, type, patterns: [...patterns], actions: [...actions], message, checks: commands };
}

function unique(commands: readonly (readonly string[])[]): string[][] {
  const known = new Map(commands.map((argv) => [JSON.stringify(argv), [...argv]]));
  return [...known.values()];
}
