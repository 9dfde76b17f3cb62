import * as z from "zod";
import { GOVERNED_EVENTS } from "../../domains/index.ts";
import { dataIn } from "../../kernel/index.ts";
import { type Syscall, write } from "../define.ts";
import { Flag } from "../query-text.ts";
import { byOf } from "../session/answer.ts";
import { byCwd, Cwd, HERE, OPENING, Paths, ScanWire, WRITING } from "./wire.ts";

const COMMON = {
  permission: "governance.write",
  roles: [],
  needs: ["laws", "store", "noteCall"],
  rights: "person",
  about: "system",
} as const;
const Message = z.string().min(1).max(4096).optional().describe("the message of the commit");
const DryRun = Flag.describe("say what would be done, and do nothing");
const Commit = z.string().nullable().describe("null: nothing was committed");
const DAYS = 30;
const DAYS_MAX = 3650;

/** Laws are given, renewed and taken away by people alone. */
export const governanceSetup: readonly Syscall[] = [
  write({
    name: "governance.init",
    summary: "Give a repository a law: scans it, writes `.nomos`, compiles and commits it; safe to repeat",
    ...COMMON,
    input: z.object({
      cwd: Cwd,
      dryRun: DryRun,
      commit: z.boolean().optional().describe("false: only stage the files"),
      sidecar: Flag.describe("put the law on a branch of its own, mounted at `.nomos`"),
      message: Message,
    }),
    output: z.object({
      root: z.string(),
      mode: z.enum(["tracked", "sidecar"]),
      branch: z.string(),
      dryRun: z.boolean(),
      isNew: z.boolean().describe("false: the law was there, and nothing was changed"),
      files: Paths.describe("written, or in a dry run to be written"),
      commit: Commit,
      scan: ScanWire,
      notices: z.array(z.string()),
    }),
    errors: [...OPENING, ...WRITING],
    http: { method: "POST", path: "/api/governance/init" },
    cli: {
      positional: [],
      ...HERE,
      says: [
        [
          ["dryRun", true, "{root} would get a law: {files.length|file}."],
          ["isNew", false, "{root} has a law already; nothing was changed."],
          ["isNew", true, "{root} has a law: {files.length|file} in .nomos, on {branch}."],
        ],
        "{notices|lines}",
        "Next: nomos governance show",
      ],
    },
    idempotent: true,
    commit: async (context, { dryRun = false, ...given }) =>
      dryRun ? [] : context.services.laws.init(initWish(given, false), byOf(context)),
    answer: async ({ services }, { dryRun = false, ...given }, events) => {
      const done = dataIn(GOVERNED_EVENTS, events, "governance.initialised@1");
      const seen = await services.laws.plan.init({ ...initWish(given, true), wasDone: done !== null });
      const { root, mode, branch, created, scan, notices } = seen;
      return {
        ...{ root, mode: done?.mode ?? mode, branch: done?.branch ?? branch, dryRun },
        isNew: done !== null || (dryRun && created.length > 0),
        files: [...(done?.files ?? (dryRun ? created : []))],
        commit: done?.commit ?? null,
        scan: ScanWire.parse({ root, ...scan }),
        notices: [...notices],
      };
    },
  }),
  write({
    name: "governance.deinit",
    summary: "Remove a repository's law without a trace; refused while tickets or uncommitted changes would go with it",
    ...COMMON,
    input: z.object({
      cwd: Cwd,
      dryRun: DryRun,
      force: Flag.describe("also when work of people goes with it"),
      message: Message,
    }),
    output: z.object({
      root: z.string(),
      dryRun: z.boolean(),
      files: Paths,
      refs: Paths,
      commit: Commit,
      kept: Paths.describe("what people would lose; it takes `force`"),
      notices: z.array(z.string()),
    }),
    errors: [...OPENING, ...WRITING, "not_governed", "governance_kept"],
    http: { method: "POST", path: "/api/governance/deinit" },
    cli: {
      positional: [],
      ...HERE,
      says: [
        ["dryRun", true, "{root} would lose its law: {files.length|file} and {refs.length|ref}."],
        ["dryRun", false, "{root} has no law any more."],
        "{notices|lines}",
      ],
    },
    destructive: true,
    commit: async (context, { dryRun = false, ...given }) =>
      dryRun ? [] : context.services.laws.deinit(deinitWish(given, false), byOf(context)),
    answer: async ({ services }, { dryRun = false, ...given }, events) => {
      const done = dataIn(GOVERNED_EVENTS, events, "governance.removed@1");
      if (done === null) {
        const { root, files, refs, kept, notices } = await services.laws.plan.deinit(deinitWish(given, true));
        const lists = { files: [...files], refs: [...refs], kept: [...kept], notices: [...notices] };
        return { root, dryRun, commit: null, ...lists };
      }
      const { commit, files, refs } = done;
      const { root } = await services.laws.scan(given.cwd);
      return { root, dryRun, commit, files: [...files], refs: [...refs], kept: [], notices: [] };
    },
  }),
  write({
    name: "governance.upgrade",
    summary: "Add settings that this version knows to `.nomos/config.yaml`, and compile the law anew",
    ...COMMON,
    input: z.object({
      cwd: Cwd,
      dryRun: DryRun,
      commit: z.boolean().optional().describe("false: only stage the files"),
      message: Message,
    }),
    output: z.object({ root: z.string(), dryRun: z.boolean(), files: Paths, commit: Commit }),
    errors: [...OPENING, ...WRITING, "not_governed", "governance_kept"],
    http: { method: "POST", path: "/api/governance/upgrade" },
    cli: {
      positional: [],
      ...HERE,
      says: [
        ["files.length", 0, "The law is up to date."],
        "Changed {files.length|file}: {files}",
        "Committed as {commit|short}.",
      ],
    },
    idempotent: true,
    commit: async (context, { dryRun = false, ...given }) =>
      dryRun ? [] : context.services.laws.upgrade(upgradeWish(given, false), byOf(context)),
    answer: async ({ services }, { dryRun = false, ...given }, events) => {
      const done = dataIn(GOVERNED_EVENTS, events, "governance.upgraded@1");
      if (done !== null) return { root: given.cwd, dryRun, files: [...done.files], commit: done.commit };
      if (!dryRun) return { root: given.cwd, dryRun, files: [], commit: null };
      const { root, files } = await services.laws.plan.upgrade(upgradeWish(given, true));
      return { root, dryRun, files: [...files], commit: null };
    },
  }),
  write({
    name: "governance.gc",
    summary: "Remove old caches of a law, and leases and statuses of tickets that are archived or gone",
    ...COMMON,
    input: byCwd.extend({
      dryRun: DryRun,
      days: z.coerce.number().int().min(0).max(DAYS_MAX).optional().describe(`age of caches; default ${DAYS}`),
    }),
    output: z.object({ dryRun: z.boolean(), files: Paths, refs: Paths }),
    errors: [...OPENING, "repository_bare", "governance_blocked", "not_governed"],
    http: { method: "POST", path: "/api/governance/gc" },
    cli: {
      positional: [],
      ...HERE,
      says: [
        ["dryRun", true, "Would remove {files.length|file} and {refs.length|ref}."],
        ["dryRun", false, "Removed {files.length|file} and {refs.length|ref}."],
      ],
    },
    idempotent: true,
    commit: async (context, { dryRun = false, cwd, days = DAYS }) =>
      dryRun ? [] : context.services.laws.collect({ cwd, days, dryRun: false }, byOf(context)),
    answer: async ({ services }, { dryRun = false, cwd, days = DAYS }, events) => {
      const done = dataIn(GOVERNED_EVENTS, events, "governance.collected@1");
      if (done !== null) return { dryRun, files: [...done.files], refs: [...done.refs] };
      if (!dryRun) return { dryRun, files: [], refs: [] };
      const { files, refs } = await services.laws.plan.collect({ cwd, days, dryRun: true });
      return { dryRun, files: [...files], refs: [...refs] };
    },
  }),
];

interface Given {
  readonly cwd: string;
  readonly commit?: boolean | undefined;
  readonly sidecar?: boolean | undefined;
  readonly force?: boolean | undefined;
  readonly message?: string | undefined;
}

function initWish({ cwd, commit = true, sidecar = false, message = "" }: Given, dryRun: boolean) {
  return { cwd, dryRun, commit, sidecar, message: message || null };
}

function deinitWish({ cwd, force = false, message = "" }: Given, dryRun: boolean) {
  return { cwd, dryRun, force, message: message || null };
}

function upgradeWish({ cwd, commit = true, message = "" }: Given, dryRun: boolean) {
  return { cwd, dryRun, commit, message: message || null };
}
