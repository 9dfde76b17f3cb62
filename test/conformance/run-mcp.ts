/**
 * `npm run conformance:mcp`: runs the official MCP suite against a real daemon, for every served protocol version.
 * Fails when an applicable check fails. `--write` puts the results into docs/reference/mcp.md.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startDaemon } from "../../src/app/index.ts";
import { OUTSIDE_PROGRAMS, outsideProgram } from "../../tools/outside-program.ts";
import { MCP_FIXTURES } from "./mcp-fixtures.ts";
import { NOT_APPLICABLE } from "./mcp-not-applicable.ts";
import { startTokenProxy } from "./token-proxy.ts";

const ROOT = join(import.meta.dirname, "../..");
const PAGE = join(ROOT, "docs/reference/mcp.md");
const SUITE = "@modelcontextprotocol/conformance";
const RUNS = {
  "2025-06-18": ["--spec-version", "2025-06-18", "--suite", "all"],
  "2025-11-25": ["--requirements", "2025-11-25"],
  "2026-07-28": ["--requirements", "2026-07-28"],
} as const;

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

interface Result {
  readonly scenario: string;
  readonly verdict: "pass" | "partly" | "not applicable" | "FAIL";
  readonly passed: number;
  readonly note: string;
}

const work = await realpath(await mkdtemp(join(tmpdir(), "nomos-conformance-")));
const daemon = await startDaemon({
  home: join(work, "home"),
  port: 0,
  version: "0.0.0",
  environment: process.env,
  cwd: work,
  tour: false,
  echo: () => undefined,
  die: (exitCode) => process.exit(exitCode),
  moreSyscalls: MCP_FIXTURES,
});
const token = (await readFile(join(work, "home", "token"), "utf8")).trim();
const sections: string[] = [];
let failed = 0;
try {
  await using proxy = await startTokenProxy({ port: daemon.port, token });
  for (const [version, args] of Object.entries(RUNS)) {
    const results = await runSuite(`${proxy.url}/mcp?toolsets=all`, version, args);
    for (const { scenario, verdict, note } of results.filter((one) => one.verdict === "FAIL"))
      console.error(`${version} ${scenario}: ${verdict}: ${note}`);
    failed += results.filter(({ verdict }) => verdict === "FAIL").length;
    sections.push(sectionOf(version, results));
    console.log(sections.at(-1));
  }
} finally {
  await daemon.stop();
  await rm(work, { recursive: true, force: true });
}
if (process.argv.includes("--write")) await writeResults(sections);
process.exitCode = failed === 0 ? 0 : 1;

async function runSuite(url: string, version: string, args: readonly string[]): Promise<readonly Result[]> {
  const output = join(work, version);
  const program = await outsideProgram(SUITE);
  // The suite's exit code counts checks that do not apply here as failed.
  await promisify(execFile)(process.execPath, [program, "server", "--url", url, ...args, "-o", output]).catch(
    (thrown: unknown) => thrown,
  );
  const folders = (await readdir(output)).sort();
  return Promise.all(
    folders.map(async (folder) => {
      const [, scenario = folder] = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(folder) ?? [];
      const checks: readonly Check[] = JSON.parse(await readFile(join(output, folder, "checks.json"), "utf8"));
      return resultOf(scenario, checks);
    }),
  );
}

function resultOf(scenario: string, checks: readonly Check[]): Result {
  const passed = checks.filter(({ status }) => status === "SUCCESS").length;
  const bad = checks.filter(({ status }) => status === "FAILURE" || status === "WARNING");
  const reason = NOT_APPLICABLE[scenario];
  if (reason !== undefined) return { scenario, verdict: "not applicable", passed, note: reason };
  const excused = bad.filter(({ id }) => NOT_APPLICABLE[id] !== undefined);
  if (excused.length < bad.length) {
    const note = bad.map(({ id, errorMessage }) => `${id}: ${errorMessage}`).join("; ");
    return { scenario, verdict: "FAIL", passed, note };
  }
  const note = excused.map(({ id }) => `not \`${id}\`: ${NOT_APPLICABLE[id]}`).join("; ");
  return { scenario, verdict: excused.length === 0 ? "pass" : "partly", passed, note };
}

function sectionOf(version: string, results: readonly Result[]): string {
  const count = (verdict: Result["verdict"]): number => results.filter((one) => one.verdict === verdict).length;
  const checks = results.reduce((sum, one) => (one.verdict === "not applicable" ? sum : sum + one.passed), 0);
  const rows = results.map(
    ({ scenario, verdict, passed, note }) =>
      `| ${scenario} | ${verdict} | ${verdict === "not applicable" ? "" : passed} | ${note} |`,
  );
  return [
    `### ${version}`,
    "",
    `${count("pass")} pass, ${count("partly")} partly, ${count("not applicable")} do not apply, ${count("FAIL")} fail; ${checks} checks.`,
    "",
    "| scenario | result | checks passed | note |",
    "|---|---|---|---|",
    ...rows,
  ].join("\n");
}

async function writeResults(parts: readonly string[]): Promise<void> {
  const page = await readFile(PAGE, "utf8");
  const results = [`Suite: ${SUITE} ${OUTSIDE_PROGRAMS[SUITE]}.`, ...parts].join("\n\n");
  const marked = /(<!-- results -->\n)[\s\S]*(\n<!-- end of results -->)/;
  await writeFile(
    PAGE,
    page.replace(marked, (_whole, start: string, end: string) => `${start}\n${results}\n${end}`),
  );
}
