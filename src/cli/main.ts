import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { dispatch } from "./dispatch.ts";
import type { Invocation, Terminal } from "./terminal.ts";

/** The command line. Loads little by itself: each command brings what it needs. */
export async function main(argv: readonly string[]): Promise<number> {
  const terminal = openTerminal();
  const [name, invocation] = split(argv);
  try {
    return await dispatch(terminal, name, invocation);
  } catch (thrown) {
    const { reportError } = await import("./print/report-error.ts");
    return reportError(terminal, thrown, invocation.json);
  }
}

const COLUMNS_UNKNOWN = 120;

function openTerminal(): Terminal {
  const environment = process.env;
  const { stdout, stderr } = process;
  // Whoever closed the pipe has what they wanted: `nomos ps | head -1`.
  stdout.on("error", endQuietly);
  stderr.on("error", endQuietly);
  return {
    version: packageVersion(),
    home: resolve(environment["NOMOS_HOME"] || join(homedir(), ".nomos")),
    cwd: process.cwd(),
    environment,
    isScreen: stdout.isTTY === true,
    isKeyboard: () => process.stdin.isTTY === true,
    hasColour: stdout.isTTY === true && !environment["NO_COLOR"] && environment["TERM"] !== "dumb",
    hasCursor: stdout.isTTY === true && environment["TERM"] !== "dumb",
    // Asked for each time: a window can be made smaller.
    get columns() {
      return stdout.columns ?? COLUMNS_UNKNOWN;
    },
    print: (line) => void stdout.write(`${line}\n`),
    printBytes: (bytes) => void stdout.write(bytes),
    complain: (line) => void stderr.write(`${line}\n`),
    readInput: async () => {
      const { text } = await import("node:stream/consumers");
      return text(process.stdin);
    },
  };
}

function endQuietly(error: Error): void {
  if ("code" in error && error.code === "EPIPE") process.exit(process.exitCode ?? 0);
  throw error;
}

function packageVersion(): string {
  const file: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return typeof file === "object" && file !== null && "version" in file ? String(file.version) : "unknown";
}

/** `--json` may stand anywhere up to `--`; what comes after that is text. */
function split(argv: readonly string[]): readonly [string | undefined, Invocation] {
  const end = argv.indexOf("--");
  const words = end < 0 ? argv : argv.slice(0, end);
  const [name, ...args] = words.filter((word) => word !== "--json");
  return [name, { args: end < 0 ? args : [...args, ...argv.slice(end)], json: words.includes("--json") }];
}
