import type { Committer } from "../../commit/index.ts";
import type { Clock } from "../../host/index.ts";
import type { NewId } from "../../kernel/index.ts";
import type { Store } from "../../store/index.ts";
import type { Agents, SessionTrees, Supervisor } from "../../supervisor/index.ts";
import type { ConfigService } from "../config/settings.ts";
import type { Landings } from "../landing/landings.ts";

export interface FanOutDeps {
  readonly store: Store;
  readonly committer: Committer;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly config: Pick<ConfigService, "show">;
  readonly agents: Pick<Agents, "find">;
  readonly supervisor: Pick<Supervisor, "open" | "check" | "prompt" | "kill" | "forget" | "gone" | "lastSnapshot">;
  readonly trees: Pick<SessionTrees, "resolve" | "changes" | "discard">;
  readonly landings: Pick<Landings, "land" | "tryOut">;
  readonly log: (message: string, details: object) => void;
}

export const DAEMON = { actor: "daemon" } as const;
