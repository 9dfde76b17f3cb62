import { join } from "node:path";
import { DriverError } from "../../../turns/index.ts";
import type { ProgramRunner } from "../run-program.ts";

const VIEW_MAX_MS = 60_000;
const NPM_VIEW = [
  "npm",
  "view",
  "--json",
  "--loglevel=error",
  "--prefer-online",
  "--fetch-retries=0",
  "--fetch-timeout=20000",
];
const VERSION_LINE = /^"?(\d+\.\d+\.\d+[\w.+-]*)"?$/m;
/** What npm says when there is no way to the registry, and not that the registry has no such package. */
const UNREACHABLE =
  /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|FETCH_ERROR|network)\b/i;
const SAID_CHARS = 300;

/** The newest release of a package, as the registry that npm is configured for has it. */
export async function newestRelease(programs: Pick<ProgramRunner, "run">, name: string, cwd: string): Promise<string> {
  // With the usual cache, npm answers from it when the registry does not.
  const argv = [...NPM_VIEW, `--cache=${join(cwd, ".cache")}`, name, "version"];
  const { exitCode, tail } = await programs.run(argv, cwd, VIEW_MAX_MS, () => undefined);
  const [, version] = VERSION_LINE.exec(tail) ?? [];
  if (exitCode === 0 && version !== undefined) return version;
  if (exitCode === null) throw new DriverError("driver_failed", `npm did not answer within ${VIEW_MAX_MS / 1000} s.`);
  if (UNREACHABLE.test(tail))
    throw new DriverError(
      "driver_failed",
      "The package registry cannot be reached: this machine is offline, or npm is configured for another registry.",
    );
  throw new DriverError("driver_failed", `npm does not know the newest release of ${name}: ${said(tail)}`);
}

/** npm's own sentence, without its JSON. */
function said(tail: string): string {
  const [, summary] = /"summary":\s*"((?:[^"\\]|\\.)*)"/.exec(tail) ?? [];
  return (summary ?? tail).replaceAll(/\s+/g, " ").slice(0, SAID_CHARS).trim();
}
