import type { By, Committer } from "../../../commit/index.ts";
import type { DriftFigures, Ticket } from "../../../domains/index.ts";
import type { FileCommits, Leases } from "../../../governance/index.ts";
import type { Clock } from "../../../host/index.ts";
import type { NewId, SessionState } from "../../../kernel/index.ts";
import type { Store } from "../../../store/index.ts";
import type { Advisories, Supervisor } from "../../../supervisor/index.ts";
import type { Landings } from "../../landing/landings.ts";
import type { HeldLaw } from "../laws/held-law.ts";
import type { LawCache } from "../laws/law-cache.ts";
import type { GovernedTickets } from "../tickets/tickets.ts";
import type { ShownAdvisory } from "./bootstrap-text.ts";

export interface WorkDeps {
  readonly store: Store;
  readonly committer: Committer;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly laws: LawCache;
  readonly leases: Pick<Leases, "claim" | "heartbeat" | "release" | "check" | "holder">;
  readonly files: Pick<FileCommits, "commit">;
  readonly tickets: GovernedTickets;
  readonly measures: Measures;
  readonly landings: Pick<Landings, "tryOut">;
  readonly supervisor: Pick<Supervisor, "open" | "check" | "interrupt" | "settled">;
  readonly advisories: Pick<Advisories, "add" | "tell">;
  readonly log: (message: string, details: object) => void;
}

/** What is measured of a session's files and of its surroundings. */
export interface Measures {
  readonly drift: (law: HeldLaw, session: SessionState, ticket: Ticket) => Promise<MeasuredDrift>;
  /** All that concern the session: other sessions, its branch, the machine. They block nothing. */
  readonly advisories: (law: HeldLaw, session: SessionState, ticket: Ticket) => Promise<readonly ShownAdvisory[]>;
}

export interface MeasuredDrift extends DriftFigures {
  readonly paths: readonly { readonly path: string; readonly inScope: boolean }[];
}

export const DAEMON: By = { actor: "daemon" };

/** Who holds the lease of a session's work. */
export function leaseOwner(agent: string): string {
  return `agent:${agent}`;
}
