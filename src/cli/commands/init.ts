import { resolve } from "node:path";
import type { OutputOf } from "../../client/index.ts";
import { expectWords, parseArguments } from "../arguments.ts";
import { connect } from "../daemon/connect.ts";
import { EVERYDAY } from "../everyday.ts";
import { pairLines } from "../print/table.ts";
import { bold } from "../screen/styled.ts";
import { EXIT, type RunCommand, type Terminal } from "../terminal.ts";

type Answer = OutputOf<"governance.init">;

export const run: RunCommand = async (terminal, { args, json }) => {
  const { values, positionals } = parseArguments(args, {
    "dry-run": { type: "boolean" },
    commit: { type: "boolean" },
    sidecar: { type: "boolean" },
    message: { type: "string", short: "m" },
    cwd: { type: "string", short: "C" },
  });
  expectWords(positionals, [], EVERYDAY.init.usage);
  const client = await connect(terminal);
  const done = await client.call("governance.init", {
    cwd: resolve(terminal.cwd, values.cwd ?? "."),
    ...(values["dry-run"] === true ? { dryRun: true } : {}),
    ...(values.commit === false ? { commit: false } : {}),
    ...(values.sidecar === true ? { sidecar: true } : {}),
    ...(values.message === undefined ? {} : { message: values.message }),
  });
  if (json) terminal.printJson(done);
  else say(terminal, done);
  return EXIT.ok;
};

function say(terminal: Terminal, done: Answer): void {
  const { root, isNew, dryRun, files, notices } = done;
  terminal.print(bold(headline(done)));
  if (isNew) {
    if (dryRun) for (const file of files) terminal.print(`  ${file}`);
    for (const line of pairLines(terminal, found(done))) terminal.print(`  ${line}`);
  }
  for (const notice of notices) terminal.print(`--  ${notice}`);
  if (!isNew) terminal.print(`Next: nomos governance show`);
  else if (dryRun) terminal.print("Nothing was written. Next: nomos init");
  else {
    terminal.print(`Read ${root}/.nomos/CONSTITUTION.md, and change what does not fit.`);
    terminal.print("Next: nomos ticket create. `nomos deinit` takes all of it back.");
  }
}

function headline({ root, isNew, dryRun, files, branch, commit, mode }: Answer): string {
  if (!isNew) return `${root} has a law already; nothing was changed.`;
  const count = `${files.length} ${files.length === 1 ? "file" : "files"} in .nomos`;
  const where = mode === "sidecar" ? `on its own branch ${branch}, mounted at .nomos` : `on ${branch}`;
  if (dryRun) return `${root} would get a law: ${count}, committed ${where}.`;
  if (commit === null) return `${root} has a law: ${count}, staged. It counts when you commit it.`;
  return `${root} has a law: ${count}, committed ${where} as ${commit.slice(0, SHORT)}.`;
}

const SHORT = 8;

function found({ scan }: Answer): readonly (readonly [string, string])[] {
  const { languages, checks, sourceDirs, ci, hooks, sensitive, budget } = scan;
  const rows: readonly (readonly [string, string])[] = [
    ["languages", languages.map(({ name, confidence }) => `${name} (${Math.round(confidence * 100)} %)`).join(", ")],
    ["sources", sourceDirs.join(", ")],
    ["checks", checks.map(({ argv }) => argv.join(" ")).join(", ")],
    ["protected", ["keys and passwords", "git", "the law", ...ci, ...hooks, ...sensitive].join(", ")],
    ["budget", `${budget.files} files and ${budget.lines} lines for a ticket`],
  ];
  return rows.filter(([, words]) => words !== "");
}
