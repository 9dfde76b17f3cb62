import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { dispatch } from "./dispatch.ts";
import { openScreen } from "./screen/open-screen.ts";
import type { Invocation, Terminal } from "./terminal.ts";

/** More than any call takes. */
const INPUT_BYTES_MAX = 67_108_864;

/** The command line. Loads little itself; each command loads what it needs. */
export async function main(argv: readonly string[]): Promise<number> {
  const [name, invocation, isPlain] = split(argv);
  const terminal = openTerminal(isPlain);
  try {
    return await dispatch(terminal, name, invocation);
  } catch (thrown) {
    const { reportError } = await import("./print/report-error.ts");
    return reportError(terminal, thrown, invocation.json);
  }
}

function openTerminal(isPlain: boolean): Terminal {
  const environment = isPlain ? { ...process.env, NOMOS_PLAIN: "1" } : process.env;
  const screen = openScreen(environment);
  return Object.assign(screen, {
    version: packageVersion(),
    home: resolve(environment["NOMOS_HOME"] || join(homedir(), ".nomos")),
    cwd: process.cwd(),
    environment,
    readInput: async (bytesMax = INPUT_BYTES_MAX) => {
      const { readLimited } = await import("./run/read-limited.ts");
      return readLimited(process.stdin, bytesMax, "Standard input");
    },
  });
}

function packageVersion(): string {
  const file: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return typeof file === "object" && file !== null && "version" in file ? String(file.version) : "unknown";
}

/** `--json` and `--plain` may stand anywhere before `--`; everything after `--` is text. */
function split(argv: readonly string[]): readonly [string | undefined, Invocation, isPlain: boolean] {
  const end = argv.indexOf("--");
  const words = end < 0 ? argv : argv.slice(0, end);
  const [name, ...args] = words.filter((word) => word !== "--json" && word !== "--plain");
  const invocation = { args: end < 0 ? args : [...args, ...argv.slice(end)], json: words.includes("--json") };
  return [name, invocation, words.includes("--plain")];
}
