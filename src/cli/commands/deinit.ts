import { resolve } from "node:path";
import { expectWords, parseArguments } from "../arguments.ts";
import { connect } from "../daemon/connect.ts";
import { EVERYDAY } from "../everyday.ts";
import { bold } from "../screen/styled.ts";
import { EXIT, type RunCommand } from "../terminal.ts";

const SHORT = 8;
const LISTED_MAX = 20;

export const run: RunCommand = async (terminal, { args, json }) => {
  const { values, positionals } = parseArguments(args, {
    "dry-run": { type: "boolean" },
    force: { type: "boolean", short: "f" },
    message: { type: "string", short: "m" },
    cwd: { type: "string", short: "C" },
  });
  expectWords(positionals, [], EVERYDAY.deinit.usage);
  const client = await connect(terminal);
  const done = await client.call("governance.deinit", {
    cwd: resolve(terminal.cwd, values.cwd ?? "."),
    ...(values["dry-run"] === true ? { dryRun: true } : {}),
    ...(values.force === true ? { force: true } : {}),
    ...(values.message === undefined ? {} : { message: values.message }),
  });
  if (json) {
    terminal.printJson(done);
    return EXIT.ok;
  }
  const { root, dryRun, files, refs, commit, kept, notices } = done;
  const counted = `${files.length} ${files.length === 1 ? "file" : "files"}, ${refs.length} ${refs.length === 1 ? "ref" : "refs"}`;
  const as = commit === null ? "" : `, committed as ${commit.slice(0, SHORT)}`;
  terminal.print(
    bold(dryRun ? `${root} would lose its law: ${counted}.` : `${root} has no law any more: ${counted}${as}.`),
  );
  const listed = dryRun ? [...files, ...refs] : [];
  for (const one of listed.slice(0, LISTED_MAX))
    terminal.print(`  ${one}${kept.includes(one) ? "  (people's work)" : ""}`);
  if (listed.length > LISTED_MAX) terminal.print(`  and ${listed.length - LISTED_MAX} more`);
  for (const notice of notices) terminal.print(`--  ${notice}`);
  if (dryRun)
    terminal.print(
      `Nothing was removed. Next: nomos deinit${kept.length > 0 ? " --force, which removes people's work too" : ""}`,
    );
  return EXIT.ok;
};
