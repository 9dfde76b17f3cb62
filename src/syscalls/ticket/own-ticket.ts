import { NomosError } from "../../contract/index.ts";
import { type Actor, WORK, type WorkRow } from "../../domains/index.ts";
import type { Context } from "../define.ts";

type Needed = Context<"store">;

/** A session's token reaches nothing but its own session: its ticket is part of that. */
export function aboutTicket(input: Record<string, unknown>, { sessionId }: Actor): string {
  if (sessionId !== null) return `session/${sessionId}/ticket`;
  return typeof input["id"] === "string" ? `ticket/${input["id"]}` : "tickets";
}

/** The work of the session that calls; null for any other caller. Refused where the session works on no ticket. */
async function ownWork({ services, actor }: Needed): Promise<WorkRow | null> {
  if (actor.sessionId === null) return null;
  const work = await services.store.row(WORK, actor.sessionId);
  if (work === null) throw denied();
  return work;
}

/** Where a call looks, and at which ticket: a session's own one, whatever it says. */
export async function placeOf(
  context: Needed,
  given: { readonly cwd?: string | undefined; readonly id?: string | undefined },
): Promise<{ readonly cwd: string; readonly only: string | null }> {
  const work = await ownWork(context);
  if (work !== null) {
    const { cwd, ticketId } = work.order;
    if (given.id !== undefined && given.id !== SELF && given.id.toUpperCase() !== ticketId) throw denied();
    return { cwd, only: ticketId };
  }
  if (given.cwd === undefined)
    throw new NomosError(
      "invalid_request",
      { field: "cwd" },
      { message: "`cwd` is missing: name a directory of the repository." },
    );
  return { cwd: given.cwd, only: null };
}

/** A session's own word for its ticket. */
const SELF = "self";

function denied(): NomosError {
  return new NomosError("denied", { capability: "ticket.read", rules: ["own_ticket_only"] });
}
