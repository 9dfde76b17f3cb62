import { openBench, type Result, restartBy, runCases, summary } from "../../../packages/aip46-conformance/src/index.ts";
import { expectWords, parseArguments, usageError } from "../arguments.ts";
import { EVERYDAY } from "../everyday.ts";
import { cutTo } from "../print/screen-text.ts";
import { bold, dim, green, joined, red, type Text } from "../screen/styled.ts";
import { EXIT, type RunCommand, type Terminal } from "../terminal.ts";

const ADAPTER = "fake";

export const run: RunCommand = async (terminal, { args, json }) => {
  const { values, positionals } = parseArguments(args, {
    url: { type: "string" },
    token: { type: "string" },
    adapter: { type: "string" },
    ground: { type: "string" },
    restart: { type: "string" },
    case: { type: "string", multiple: true },
  });
  const usage = EVERYDAY.conformance.usage;
  expectWords(positionals, ["aip46"], usage);
  if (positionals[0] !== "aip46") throw usageError(`There is no suite ${positionals[0]}.`, usage);
  const { url, token } =
    values.url === undefined ? await ownDaemon(terminal) : { url: values.url, token: values.token };
  const { bench, close } = await openBench({
    url,
    token: token ?? "",
    adapter: values.adapter ?? ADAPTER,
    ground: values.ground ?? null,
    restart: values.restart === undefined ? null : restartBy(values.restart),
    isRemote: false,
  });
  const numbers = (values.case ?? []).flatMap((text) => text.split(",")).map(Number);
  try {
    const results = await runCases(bench, numbers, (result) => {
      if (!json) terminal.print(lineOf(terminal, result));
    });
    const failed = results.filter(({ verdict }) => verdict === "fail").length;
    if (json) terminal.printJson({ suite: "aip46", url: bench.url, ok: failed === 0, results });
    else terminal.print(bold(summary(results)));
    return failed === 0 ? EXIT.ok : EXIT.failed;
  } finally {
    await close();
  }
};

async function ownDaemon(terminal: Terminal): Promise<{ readonly url: string; readonly token: string }> {
  const { connect } = await import("../daemon/connect.ts");
  const { readFile } = await import("node:fs/promises");
  const { join } = await import("node:path");
  const { url } = await connect(terminal);
  return { url, token: (await readFile(join(terminal.home, "token"), "utf8")).trim() };
}

function lineOf(terminal: Terminal, { number, title, verdict, reason, ms }: Result): Text {
  const mark = { pass: green, fail: red, deviates: bold, "not run": dim }[verdict](verdict.padEnd(8));
  const text = reason === null ? title : `${title}: ${reason}`;
  const width = terminal.isScreen ? Math.max(20, terminal.columns - 24) : Number.POSITIVE_INFINITY;
  return joined(`${String(number).padStart(3)}  `, mark, `  ${cutTo(text, width)}  `, dim(`${ms} ms`));
}
