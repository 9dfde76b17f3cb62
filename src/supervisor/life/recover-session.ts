import type { By, Committer } from "../../commit/index.ts";
import { toNomosError } from "../../contract/index.ts";
import type { ProcessIdentity } from "../../host/index.ts";
import {
  continueTurn,
  outlivesDaemon,
  recoverSession,
  type SessionRow,
  type SessionState,
} from "../../kernel/index.ts";
import type { TurnRunner } from "../turns/turn-runner.ts";
import type { ExternalWatch } from "./external-watch.ts";
import type { Rewinding } from "./rewind-session.ts";

export interface RecoveryDeps {
  readonly committer: Pick<Committer, "session" | "sessionState">;
  readonly runner: Pick<TurnRunner, "pump" | "pumpAfter">;
  readonly externals: Pick<ExternalWatch, "add">;
  readonly rewinding: Pick<Rewinding, "settle" | "keepCut">;
  /** Whether a cut turn of this driver goes on from the log. */
  readonly continues: (adapter: string) => boolean;
  readonly log: (message: string, details: object) => void;
}

const DAEMON: By = { actor: "daemon" };
const LOG_UNUSABLE: readonly string[] = [
  ...["disk_full", "log_corrupt", "stale_fence", "store_closed", "store_failed", "store_read_only"],
  "store_unreachable",
];

/** Recovers a session after the last daemon ended. True when a turn had to be ended. */
export function createRecovery(deps: RecoveryDeps): (row: SessionRow) => Promise<boolean> {
  const { committer, runner, externals, rewinding } = deps;

  /** A session that cannot be recovered does not stop the others; a log that cannot be used stops all. */
  const orLeft = (id: string, thrown: unknown): false => {
    const { code } = toNomosError(thrown);
    if (LOG_UNUSABLE.includes(code)) throw thrown;
    deps.log("a session could not be recovered", { id, code, reason: String(thrown) });
    return false;
  };

  const recoverOne = async (row: SessionRow): Promise<boolean> => {
    if (row.forgotten) return false;
    const state = await committer.sessionState(row.id);
    const external = state.spec?.external ?? null;
    if (external !== null) {
      externals.add(row.id, external satisfies ProcessIdentity);
      return false;
    }
    const continues = deps.continues(row.adapter);
    // A turn that only waits for a person was not cut, however often daemons are replaced meanwhile.
    const recover = (now: SessionState) =>
      continues && !outlivesDaemon(now) ? continueTurn(now, "the daemon stopped", "daemon") : recoverSession(now);
    const { events } = await committer.session(row.id, recover, DAEMON);
    const isCut = events.some(({ type }) => type === "turn.ended@1");
    // Turns wait until the files match the session's history again.
    await rewinding.settle(state);
    // Records the interrupted turn's file changes as its own before the next turn runs.
    if (isCut) runner.pumpAfter(row.id, rewinding.keepCut(row.id));
    else runner.pump(row.id);
    return isCut;
  };

  return (row) => recoverOne(row).catch((thrown: unknown) => orLeft(row.id, thrown));
}
