import type { Committer } from "../../commit/index.ts";
import type { Landed, LandingOrder, Prepared } from "../../domains/index.ts";
import type { Clock, LandingGit, LandingRepository } from "../../host/index.ts";
import type { NewId } from "../../kernel/index.ts";
import type { Store } from "../../store/index.ts";
import type { SessionTrees, Supervisor } from "../../supervisor/index.ts";
import type { LandingJudge, LandingLaw } from "./judge.ts";
import type { LandingSettings } from "./landing-settings.ts";

/** Names the turn of each line that a landing brings; null when it cannot be told. */
export type Attribute = (given: {
  readonly order: LandingOrder;
  readonly prepared: Prepared;
  readonly opened: LandingRepository;
}) => Promise<Landed["lines"]>;

export interface LandingDeps {
  readonly store: Store;
  readonly committer: Committer;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly trees: Pick<SessionTrees, "capture" | "find" | "offer">;
  readonly supervisor: Pick<Supervisor, "prompt">;
  readonly git: LandingGit;
  readonly judge: LandingJudge;
  readonly law?: Pick<LandingLaw, "checks" | "into"> | undefined;
  readonly attribute?: Attribute | undefined;
  readonly settings: () => LandingSettings;
  /** For captured work, out of any agent's reach. */
  readonly folder: string;
  /** For copies that checks run in. */
  readonly scratch: string;
  /** Takes a folder out of the way at once and removes it in the background: no branch waits for that. */
  readonly discard: (folder: string) => Promise<void>;
  readonly log: (message: string, details: object) => void;
}
