import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expectWords, parseArguments, usageError } from "../arguments.ts";
import { openNomosBench } from "../conformance/nomos-bench.ts";
import { openPlainBench } from "../conformance/plain-bench.ts";
import { type Result, runCases } from "../conformance/run-cases.ts";
import { createTalk } from "../conformance/talk.ts";
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
  const restart = values.restart === undefined ? null : shell(values.restart);
  const options = { url, token: token ?? "", restart };
  const isNomos = (await createTalk(url, options.token).call("GET", "/api/conformance")).status === 200;
  const plain = { ...options, adapter: values.adapter ?? ADAPTER, ground: values.ground ?? null };
  const { bench, close } = isNomos ? await openNomosBench(options) : await openPlainBench(plain);
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

/** What stops the server and starts it again on the same state and address; done when it is back. */
function shell(command: string): () => Promise<void> {
  return async () => {
    await promisify(execFile)("sh", ["-c", command]);
  };
}

function lineOf(terminal: Terminal, { number, title, verdict, reason, ms }: Result): Text {
  const mark = { pass: green, fail: red, deviates: bold, "not run": dim }[verdict](verdict.padEnd(8));
  const text = reason === null ? title : `${title}: ${reason}`;
  const width = terminal.isScreen ? Math.max(20, terminal.columns - 24) : Number.POSITIVE_INFINITY;
  return joined(`${String(number).padStart(3)}  `, mark, `  ${cutTo(text, width)}  `, dim(`${ms} ms`));
}

function summary(results: readonly Result[]): string {
  const counted = (["pass", "deviates", "not run", "fail"] as const).flatMap((verdict) => {
    const count = results.filter((result) => result.verdict === verdict).length;
    return count === 0 ? [] : [`${count} ${verdict}`];
  });
  return `AIP-46, ${results.length} cases: ${counted.join(", ")}`;
}
