import * as z from "zod";
import { GOVERNED_EVENTS } from "../../domains/index.ts";
import { dataIn } from "../../kernel/index.ts";
import { type Syscall, write } from "../define.ts";
import { Flag } from "../query-text.ts";
import { byOf } from "../session/answer.ts";
import { byCwd, HERE, OPENING, Paths, WRITING } from "./wire.ts";

const COMMON = {
  permission: "governance.write",
  roles: [],
  needs: ["laws", "store", "noteCall"],
  rights: "person",
  about: "system",
  idempotent: true,
} as const;

/** The law as it is checked out; people commit what comes of it. */
export const governanceCompile: readonly Syscall[] = [
  write({
    name: "governance.build",
    summary: "Compile the constitution that is checked out into its lock",
    ...COMMON,
    input: byCwd,
    output: z.object({
      file: z.string(),
      isNew: z.boolean().describe("the log did not know this lock"),
      rules: z.number().int(),
      notes: z.array(z.object({ line: z.number().int(), id: z.string().nullable(), reason: z.string() })),
    }),
    errors: [...OPENING, ...WRITING, "not_governed", "governance_missing"],
    http: { method: "POST", path: "/api/governance/build" },
    cli: { positional: [], ...HERE, says: ["{file} has {rules|rule}.", "Next: nomos governance compose"] },
    commit: (context, { cwd }) => context.services.laws.build(cwd, byOf(context)),
    answer: async ({ services }, { cwd }, events) => {
      const { file, rules, notes } = await services.laws.built(cwd);
      return { file, isNew: events.length > 0, rules, notes: notes.map((one) => ({ ...one })) };
    },
  }),
  write({
    name: "governance.import",
    summary: "Write `.nomos` from a law of ExoProtocol that is checked out, and say what has no equal here",
    ...COMMON,
    input: byCwd.extend({
      from: z.enum(["exo"]).describe("whose law"),
      dryRun: Flag.describe("say what would be written, and write nothing"),
    }),
    output: z.object({
      dryRun: z.boolean(),
      written: Paths,
      kept: Paths.describe("they were there already"),
      leftOut: z.array(z.object({ what: z.string(), reason: z.string() })),
    }),
    errors: [...OPENING, ...WRITING, "file_missing"],
    http: { method: "POST", path: "/api/governance/import" },
    cli: {
      positional: ["from"],
      ...HERE,
      says: ["Wrote {written.length|file}.", "Next: read .nomos/CONSTITUTION.md, then nomos init"],
      rows: "leftOut",
    },
    commit: async (context, { cwd, dryRun = false }) =>
      dryRun ? [] : context.services.laws.importFrom(cwd, byOf(context)),
    answer: async ({ services }, { cwd, dryRun = false }, events) => {
      const seen = await services.laws.planImport(cwd);
      const done = dataIn(GOVERNED_EVENTS, events, "governance.imported@1");
      const written = done?.files ?? (dryRun ? seen.written : []);
      const kept = seen.kept.filter((path) => !written.includes(path));
      return { dryRun, written: [...written], kept, leftOut: seen.leftOut.map((one) => ({ ...one })) };
    },
  }),
  write({
    name: "governance.compose",
    summary: "Seal and sign the policy of the law that is checked out",
    ...COMMON,
    input: byCwd,
    output: z.object({
      file: z.string(),
      isNew: z.boolean().describe("the log did not know this seal"),
      signer: z.string().nullable().describe("a verifier key; null: not signed"),
    }),
    errors: [...OPENING, ...WRITING, "not_governed", "governance_missing", "governance_drift"],
    http: { method: "POST", path: "/api/governance/compose" },
    cli: { positional: [], ...HERE, says: ["{file} is sealed.", "Next: commit .nomos"] },
    commit: (context, { cwd }) => context.services.laws.compose(cwd, byOf(context)),
    answer: async ({ services }, { cwd }, events) => {
      const { file, signer } = await services.laws.composed(cwd);
      return { file, isNew: events.length > 0, signer };
    },
  }),
];
