import { resolve } from "node:path";
import { ClientError } from "../../client/index.ts";
import { expectWords, parseArguments, usageError } from "../arguments.ts";
import { connect } from "../daemon/connect.ts";
import { COLUMNS, cellsOf, writeReport } from "../eval/eval-report.ts";
import { type EvalResult, judgeCase, type Replay } from "../eval/judge-case.ts";
import { type EvalCase, readCases, readPolicy, USAGE } from "../eval/read-cases.ts";
import { tableLines } from "../print/table.ts";
import { bold, green, red } from "../screen/styled.ts";
import { EXIT, type RunCommand } from "../terminal.ts";

/** Replays every case of a directory. A case that cannot be replayed fails; the others are run all the same. */
export const run: RunCommand = async (terminal, { args, json }) => {
  const { values, positionals } = parseArguments(args, {
    model: { type: "string" },
    policy: { type: "string" },
    budget: { type: "string" },
    out: { type: "string" },
  });
  expectWords(positionals, ["DIR"], USAGE);
  const folder = resolve(terminal.cwd, positionals[0] ?? ".");
  const cases = await readCases(folder);
  const policy = values.policy === undefined ? undefined : await readPolicy(resolve(terminal.cwd, values.policy));
  const given = {
    ...(values.model === undefined ? {} : { model: values.model }),
    ...(policy === undefined ? {} : { policy }),
  };
  let left = values.budget === undefined ? null : Number(values.budget);
  if (left !== null && !(left >= 0)) throw usageError(`--budget is not a number: ${values.budget}.`, USAGE);
  const client = await connect(terminal);
  const results: EvalResult[] = [];
  for (const one of cases) {
    const budget = left === null ? {} : { budget: left };
    const input = { ...one.input, ...given, ...budget };
    const result = await client.callByName("session.replay", input).then(
      (replay) => judgeCase(one, replay as Replay),
      (thrown: unknown) => unreplayed(one, thrown),
    );
    if (left !== null) left = Math.max(0, left - (result.replay?.compared?.spent.costUsd ?? 0));
    results.push(result);
  }
  const out = values.out === undefined ? folder : resolve(terminal.cwd, values.out);
  await writeReport(out, results, new Date().toISOString());
  const failed = results.filter(({ ok }) => !ok).length;
  if (json) terminal.printJson({ ok: failed === 0, cases: results.length, failed, results });
  else {
    const fits = [...COLUMNS.slice(1).map(() => undefined), { shorten: "end" } as const];
    for (const line of tableLines(terminal, COLUMNS, results.map(cellsOf), fits)) terminal.print(line);
    const verdict = `${results.length - failed} of ${results.length} cases are as expected.`;
    terminal.print(failed === 0 ? green(verdict) : red(verdict));
    terminal.print(bold(`Report: ${out}/report.md and report.json`));
  }
  return failed === 0 ? EXIT.ok : EXIT.failed;
};

/** A daemon that is not there ends the run: nothing could be replayed. */
function unreplayed({ name, input }: EvalCase, thrown: unknown): EvalResult {
  if (!(thrown instanceof ClientError)) throw thrown;
  return { name, session: input.id, ok: false, problems: [`${thrown.code}: ${thrown.message}`], replay: null };
}
