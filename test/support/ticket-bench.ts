import { expectOk } from "../e2e/support/talk.ts";
import type { TestDaemon } from "./daemon.ts";
import { type Bench, setUpBench } from "./worktree-bench.ts";

export interface TicketBench extends Bench {
  /** Writes a ticket; returns its id. */
  readonly ticket: (fields: { readonly title: string; readonly [field: string]: unknown }) => Promise<string>;
}

/** A person's repository that was given a law, with tickets by calls. */
export async function setUpTickets(daemon: TestDaemon): Promise<TicketBench> {
  const bench = setUpBench();
  const cwd = bench.repo;
  expectOk(await daemon.call("POST", "/api/governance/init", { cwd }));
  const ticket: TicketBench["ticket"] = async (fields) => {
    const answer = await daemon.call<{ id: string }>("POST", "/api/tickets", { cwd, kind: "task", ...fields });
    return expectOk(answer, 201).id;
  };
  return { ...bench, ticket };
}
