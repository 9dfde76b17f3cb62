import { tmpdir } from "node:os";
import { ClientError, ERRORS } from "../../client/index.ts";
import type { Terminal } from "../terminal.ts";
import { type Check, problem } from "./check.ts";

/** How the law of the repository here fares; nothing where there is no repository, or no law. Asks no daemon. */
export async function lawChecks({ environment, home, cwd }: Terminal): Promise<readonly Check[]> {
  const { createLawSetup } = await import("../../governance/index.ts");
  const setup = createLawSetup({ environment, home, scratch: tmpdir(), nowMs: Date.now });
  try {
    return (await setup.examine(cwd)) ?? [];
  } catch (thrown) {
    if (!(thrown instanceof Error) || thrown instanceof ClientError) throw thrown;
    // A repository that git cannot read is none of this home's faults, and no reason to say nothing of the log.
    if (!("code" in thrown) || !Object.hasOwn(ERRORS, String(thrown.code))) throw thrown;
    const remedy = "remedy" in thrown ? String(thrown.remedy) : "Run `git fsck` in the repository.";
    return [problem("law", thrown.message, remedy)];
  }
}
