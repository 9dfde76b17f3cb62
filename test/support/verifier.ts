import { execFile } from "node:child_process";
import { join } from "node:path";

export const VERIFIER = join(import.meta.dirname, "../../verifier/nomos-verify.js");

export interface VerifierRun {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the verifier as a user would. */
export function runVerifier(...args: readonly string[]): Promise<VerifierRun> {
  return new Promise((resolve) => {
    execFile(process.execPath, [VERIFIER, ...args], { encoding: "utf8" }, (error, stdout, stderr) =>
      resolve({ exitCode: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

/** Its verdict; throws when it has none. */
export async function verdictOf(...args: readonly string[]): Promise<Record<string, unknown>> {
  const { stdout, stderr } = await runVerifier(...args, "--json");
  if (stderr !== "") throw new Error(stderr);
  return JSON.parse(stdout);
}
