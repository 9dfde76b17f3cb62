import type { NomosError, SandboxExplained } from "../../contract/index.ts";
import type { SessionSpec } from "../../kernel/index.ts";
import type { Drivers } from "../drivers/drivers.ts";
import { OPERATOR } from "../secrets/owner.ts";
import type { SecretUses } from "../secrets/secret-uses.ts";

type Shown = SandboxExplained["secrets"];

/** The secrets that the processes of a session hold, without a use of them. */
export async function explainSecrets(
  { secrets, drivers }: { readonly secrets: SecretUses; readonly drivers: Pick<Drivers, "secretVariables"> },
  { id, spec }: { readonly id: string; readonly spec: SessionSpec },
  principal: string,
): Promise<Shown> {
  const asker = await secrets.ownerOf(principal);
  const mine = (owner: string, name: string) => (asker === OPERATOR || asker === owner ? name : null);
  const says = (problem: NomosError | null) => problem?.message ?? null;
  const ofSession = (await secrets.held(id, spec)).map(({ name, variable, owner, problem }) => ({
    name: mine(owner, name),
    variable: mine(owner, variable) ?? "",
    for: "session" as const,
    problem: mine(owner, says(problem) ?? ""),
  }));
  const ofDriver = Object.entries(drivers.secretVariables(spec.adapter)).map(async ([variable, name]) => ({
    name: mine(OPERATOR, name),
    variable,
    for: "driver" as const,
    problem: mine(OPERATOR, says(await secrets.problem(name)) ?? ""),
  }));
  return [...ofSession, ...(await Promise.all(ofDriver))].map((one) => ({ ...one, problem: one.problem || null }));
}
