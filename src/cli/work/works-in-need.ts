import type { Client, OutputOf } from "../../client/index.ts";

type Work = OutputOf<"work.list">["works"][number];

/** Work on a ticket that does not go on without a person. */
export interface WorkInNeed {
  readonly sessionId: string;
  readonly ticket: string;
  /** In a few words; agents wrote some of them. */
  readonly why: string;
  /** The command that helps. */
  readonly next: string;
}

/** Of all repositories. A question about a wider scope is a question like any other, and is not in here. */
export async function worksInNeed(client: Client): Promise<readonly WorkInNeed[]> {
  const { works } = await client.call("work.list", { all: true });
  return works.flatMap(inNeed);
}

function inNeed(work: Pick<Work, "sessionId" | "ticket" | "lost" | "refused">): readonly WorkInNeed[] {
  const { sessionId, ticket, lost, refused } = work;
  const of = { sessionId, ticket };
  if (lost) return [{ ...of, why: `lost the lease of ${ticket}`, next: `nomos ticket show ${ticket}` }];
  if (refused === undefined) return [];
  const message = refused.message.replace(/\.$/, "");
  if (refused.code === "unproven")
    return [{ ...of, why: `cannot close ${ticket}: ${message}`, next: `nomos ticket proof ${ticket}` }];
  return [{ ...of, why: `could not finish ${ticket}: ${message}`, next: `nomos why ${sessionId}` }];
}
