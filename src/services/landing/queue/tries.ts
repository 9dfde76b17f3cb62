import { NomosError, toNomosError } from "../../../contract/index.ts";
import type { Finding } from "../../../domains/index.ts";
import type { LandingFacts } from "../landing-facts.ts";
import type { CheckingRow } from "./lane-items.ts";
import type { LaneParts } from "./lane-parts.ts";

/** How often landings of a lane came back, and how long each waits before it is tried again. */
export interface Tries {
  /** The branch moved while checks ran. After too many times in a row the landing is refused. */
  readonly moved: (ids: readonly string[], into: string, refuse: LandingFacts["refuse"]) => Promise<void>;
  /** Git, the disk or the log failed. After a few times in a row the landing is refused, and the next one has its turn. */
  readonly failed: (row: CheckingRow | undefined, thrown: unknown, refuse: LandingFacts["refuse"]) => Promise<void>;
  /** Waits for as long as the tries of these say. */
  readonly pause: (ids: readonly string[], signal: AbortSignal) => Promise<void>;
  readonly forget: (id: string) => void;
}

const MOVED_MAX = 40;
const FAILED_MAX = 5;
const PAUSE_MS = 250;
const PAUSE_MAX_MS = 30_000;
/** Errors that another try does not mend. */
const FINAL: readonly string[] = ["not_a_repository", "repository_invalid", "git_missing"];

interface Count {
  readonly moved: number;
  readonly failed: number;
}

export function createTries({ deps, facts }: LaneParts): Tries {
  const counts = new Map<string, Count>();
  const countOf = (id: string): Count => counts.get(id) ?? { moved: 0, failed: 0 };
  return {
    moved: async (ids, into, refuse) => {
      for (const id of ids) counts.set(id, { ...countOf(id), moved: countOf(id).moved + 1 });
      const tired = ids.filter((id) => countOf(id).moved >= MOVED_MAX);
      for (const id of tired)
        await refuse(id, [
          {
            rule: "base",
            message: `${into} moved ${MOVED_MAX} times while this was checked.`,
            remedy: "Land again when the branch is quiet: `nomos land <session>`.",
          },
        ]);
      const others = ids.filter((id) => !tired.includes(id));
      await facts.giveBack(others, `${into} moved while it was checked`);
    },
    failed: async (row, thrown, refuse) => {
      const { code, message, remedy, details } = toNomosError(thrown);
      const reason = [message, details["reason"]].filter((part) => typeof part === "string").join(" ");
      deps.log("a landing failed", { id: row?.id ?? null, code, reason, stack: stackOf(thrown) });
      if (row === undefined) return;
      const failed = countOf(row.id).failed + 1;
      counts.set(row.id, { ...countOf(row.id), failed });
      if (details["isUnsigned"] === true) return refuse(row.id, [unsigned(String(details["reason"]))]);
      // What is prepared may be on the branch: it is looked at again before anything else happens to it.
      if (failed < FAILED_MAX && !FINAL.includes(code)) {
        if (row.prepared === null) await facts.giveBack([row.id], `${code}: ${reason}`.slice(0, REASON_CHARS));
        return;
      }
      const rule = FINAL.includes(code) ? "base" : "policy";
      const doubt = row.prepared === null ? "" : ` Whether ${row.prepared.commit} is on the branch is not known.`;
      await refuse(row.id, [{ rule, message: `${reason}${doubt}`, remedy }]);
    },
    pause: async (ids, signal) => {
      const failed = Math.max(0, ...ids.map((id) => countOf(id).failed));
      // Not for a branch that moved: whoever moves it does not wait either, and the sooner checks begin the better.
      if (failed > 0) await deps.clock.sleep(Math.min(PAUSE_MAX_MS, PAUSE_MS * 2 ** (2 * failed - 1)), signal);
    },
    forget: (id) => void counts.delete(id),
  };
}

function unsigned(reason: string): Finding {
  return {
    rule: "policy",
    message: `You sign commits, and this one could not be signed: ${reason}`,
    remedy: "Run `git commit -S --allow-empty` in the repository to see why, then land again: `nomos land <session>`.",
  };
}

const REASON_CHARS = 1000;

function stackOf(thrown: unknown): string | null {
  return thrown instanceof NomosError || !(thrown instanceof Error) ? null : (thrown.stack ?? null);
}
