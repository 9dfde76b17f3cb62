import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { dispatch } from "../../src/cli/dispatch.ts";
import { reportError } from "../../src/cli/print/report-error.ts";
import type { Text } from "../../src/cli/screen/styled.ts";
import { storeEnvironment } from "./chosen-store.ts";
import type { CliOptions } from "./daemon.ts";
import { fakeTerminal, plainText } from "./fake-terminal.ts";

const { version }: { version: string } = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"),
);

export interface AnswerHere {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** `nomos NAME ...args --json` in this process, for a test of many commands: half a second less for each. */
export async function runCliHere(
  name: string,
  args: readonly string[],
  home: string,
  { cwd = dirname(home), env = {}, input = "" }: Omit<CliOptions, "home"> = {},
): Promise<AnswerHere> {
  const clean = Object.entries(process.env).filter(([variable]) => !variable.startsWith("NOMOS_"));
  const own = { NOMOS_HOME: home, NOMOS_PORT: "0", ...storeEnvironment(home), ...env };
  const environment = { ...Object.fromEntries(clean), ...own };
  const complaints: string[] = [];
  const complain = (line: Text): void => void complaints.push(plainText(line));
  const { terminal, lines } = fakeTerminal({
    version,
    home,
    cwd,
    environment,
    isScreen: false,
    complain,
    readInput: async () => input,
  });
  const exitCode = await dispatch(terminal, name, { args, json: true }).catch((thrown: unknown) =>
    reportError(terminal, thrown, true),
  );
  return { exitCode, stdout: lines.join("\n"), stderr: complaints.join("\n") };
}
