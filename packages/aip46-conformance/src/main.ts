#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { openBench } from "./bench/open-bench.ts";
import { restartBy } from "./bench/restart-by.ts";
import { failedLines, lineOf, plain, summary } from "./report.ts";
import { CASES, runCases } from "./run-cases.ts";

const HELP = `Runs the forty cases of AIP-46 (agent sessions) against a server.

  aip46-conformance --url URL [options]

  --url URL           where the server answers, for example http://127.0.0.1:4200
  --token TOKEN       the operator's bearer token; default: the environment's AIP46_TOKEN
  --adapter SLUG      the adapter that obeys the prompts of the cases (default: fake)
  --ground GROUND     where sessions work, for example ws://workspaces/test
  --restart COMMAND   shell command that restarts the server and ends when it is back
  --remote            the server runs on another machine: cases that look at it are not run
  --case N,N...       only these cases; may be repeated
  --list              print the cases and end
  --json              print one JSON object instead of lines
  --version, --help

Exit code: 0 no case failed, 1 a case failed, 2 wrong arguments, 3 the server cannot be reached.
`;

const EXIT = { ok: 0, failed: 1, usage: 2, unreachable: 3 } as const;
const OPTIONS = {
  url: { type: "string" },
  token: { type: "string" },
  adapter: { type: "string", default: "fake" },
  ground: { type: "string" },
  restart: { type: "string" },
  remote: { type: "boolean", default: false },
  case: { type: "string", multiple: true },
  list: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  version: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>["values"];

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const values = readArguments(args);
  if (typeof values === "string") return complain(values, EXIT.usage);
  if (values.help) return print(HELP.trimEnd());
  if (values.version) return print(version());
  if (values.list) return print(CASES.map(({ number, title }) => `${String(number).padStart(3)}  ${title}`).join("\n"));
  if (values.url === undefined) return complain("--url is missing.", EXIT.usage);
  if (!URL.canParse(values.url)) return complain(`--url is no URL: ${values.url}`, EXIT.usage);
  const numbers = (values.case ?? []).flatMap((text) => text.split(",")).map(Number);
  const unknown = numbers.filter((number) => !CASES.some((one) => one.number === number));
  if (unknown.length > 0) return complain("--case takes numbers of cases; --list prints them.", EXIT.usage);
  return judge(values.url, values, numbers);
}

async function judge(url: string, values: Values, numbers: readonly number[]): Promise<number> {
  const opened = await openBench({
    url,
    token: values.token ?? process.env["AIP46_TOKEN"] ?? "",
    adapter: values.adapter,
    ground: values.ground ?? null,
    restart: values.restart === undefined ? null : restartBy(values.restart),
    isRemote: values.remote,
  }).catch(reasonOf);
  if (typeof opened === "string") return complain(`The server at ${url} cannot be tested: ${opened}`, EXIT.unreachable);
  const { bench, close } = opened;
  try {
    const results = await runCases(bench, numbers, (result) => {
      if (!values.json) print(lineOf(result));
    });
    const isOk = results.every(({ verdict }) => verdict !== "fail");
    if (values.json) print(JSON.stringify({ suite: "aip46", url: bench.url, ok: isOk, results }));
    else print([summary(results), ...failedLines(results)].join("\n"));
    return isOk ? EXIT.ok : EXIT.failed;
  } finally {
    await close();
  }
}

function readArguments(args: readonly string[]): Values | string {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

/** `fetch failed` alone does not help: the cause names the address and the error. */
function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return thrown.cause instanceof Error ? `${thrown.message} (${thrown.cause.message})` : thrown.message;
}

function version(): string {
  const manifest: { readonly version: string } = JSON.parse(
    readFileSync(new URL("../package.json", import.meta.url), "utf8"),
  );
  return manifest.version;
}

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return EXIT.ok;
}

function complain(message: string, exitCode: number): number {
  process.stderr.write(`aip46-conformance: ${plain(message)}\nSee: aip46-conformance --help\n`);
  return exitCode;
}
