import type { Committer } from "../../commit/index.ts";
import { type Actor, finishCall, recordSystemDenial, System, type SystemState } from "../../domains/index.ts";
import type { Clock, Denied } from "../../host/index.ts";
import { recordDenial } from "../../kernel/index.ts";
import type { CallRef } from "../../store/index.ts";

export interface Caller {
  readonly actor: Actor;
  readonly call: CallRef | null;
}

const RECORDED_PER_SECOND = 10;

export interface CallRecords {
  /** Records a keyed call that changed nothing, so that its repetition changes nothing either. */
  readonly noteCall: (syscall: string, caller: Caller) => Promise<void>;
  readonly noteDenial: (
    denial: { readonly verb: string; readonly resource: string; readonly rules: readonly string[] },
    caller: Caller,
  ) => Promise<void>;
}

/** Records calls that change nothing and calls that are refused. */
export function createCallRecords(committer: Pick<Committer, "change">, clock: Clock): CallRecords {
  const mayRecordDenial = createDenialBound(clock);
  return {
    noteCall: async (syscall, { actor, call }) => {
      await committer.change(System, "", (state) => finishCall(state, syscall), {
        actor: actor.principal,
        call,
      });
    },
    noteDenial: async (denial, { actor }) => {
      if (!mayRecordDenial(actor.principal)) return;
      const decide = (state: SystemState) => recordSystemDenial(state, denial);
      await committer.change(System, "", decide, { actor: actor.principal });
    },
  };
}

/** Limits recorded denials per principal and second, so that nobody can fill the log by being denied. */
function createDenialBound(clock: Clock): (principal: string) => boolean {
  const second = { at: 0, counts: new Map<string, number>() };
  return (principal) => {
    const now = Math.floor(clock.steadyMs() / 1000);
    if (second.at !== now) {
      second.at = now;
      second.counts.clear();
    }
    const count = (second.counts.get(principal) ?? 0) + 1;
    second.counts.set(principal, count);
    return count <= RECORDED_PER_SECOND;
  };
}

/** Records a refused network connection of a walled session. A failure to record is logged, not thrown. */
export function recordNetworkDenial(
  committer: Pick<Committer, "session">,
  log: (message: string, details: object) => void,
): (sessionId: string, denied: Denied) => void {
  return (sessionId, { host, port, reason }) => {
    const denial = {
      verb: "network.connect",
      resource: `host/${host}:${port}`,
      rules: [`network:${reason}`],
      turnId: null,
    };
    committer
      .session(sessionId, (state) => recordDenial(state, denial), { actor: `session:${sessionId}` })
      .catch((thrown: unknown) =>
        log("a denial could not be recorded", { sessionId, host, port, thrown: String(thrown) }),
      );
  };
}
