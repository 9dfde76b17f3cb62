import { type By, subjectOf } from "../../commit/index.ts";
import {
  type Finding,
  finishLanding,
  type Landed,
  type LandingState,
  LandingStream,
  type PassedChecks,
  type Prepared,
  type Pushed,
  prepareLanding,
  pushLanding,
  refuseLanding,
  returnLanding,
  startLanding,
} from "../../domains/index.ts";
import { type Decision, together } from "../../kernel/index.ts";
import type { LandingDeps } from "./landing-deps.ts";

/** What the daemon records of landings that it works on. */
export interface LandingFacts {
  /** Also of one that an earlier daemon left. One that is held, or no longer waits, stays as it is. */
  readonly start: (id: string) => Promise<void>;
  /** All of them, or none: refused with `landing_settled` if one was ejected. */
  readonly prepare: (
    all: readonly { readonly id: string; readonly prepared: Prepared }[],
    passed: PassedChecks | null,
  ) => Promise<void>;
  readonly giveBack: (ids: readonly string[], reason: string) => Promise<void>;
  readonly land: (
    all: readonly { readonly id: string; readonly landed: Landed; readonly pushed?: Pushed }[],
  ) => Promise<void>;
  readonly refuse: (id: string, findings: readonly Finding[]) => Promise<void>;
}

const BY: By = { actor: "daemon" };
const MESSAGE_CHARS_MAX = 16_000;
const MESSAGES_CHARS_MAX = 128_000;

export function createLandingFacts({ committer }: Pick<LandingDeps, "committer">): LandingFacts {
  const change = async (all: readonly { id: string; decide: (state: LandingState) => Decision }[]): Promise<void> => {
    const changes = all.map(({ id, decide }) => ({ of: subjectOf(LandingStream, id), decide }));
    await committer.commit(changes, { by: BY });
  };
  return {
    start: (id) => {
      const isFree = (state: LandingState) =>
        state.at === "checking" || (state.at === "queued" && state.heldBecause === null);
      return change([{ id, decide: (state) => (isFree(state) ? startLanding(state) : []) }]);
    },
    prepare: (all, passed) =>
      change(all.map(({ id, prepared }) => ({ id, decide: (state) => prepareLanding(state, prepared, passed) }))),
    giveBack: (ids, reason) =>
      change(
        ids.map((id) => ({ id, decide: (state) => (state.at === "checking" ? returnLanding(state, reason) : []) })),
      ),
    land: (all) =>
      change(
        all.map(({ id, landed, pushed }) => ({
          id,
          decide: (state) => {
            const finished = finishLanding(state, landed);
            if (pushed === undefined || state.at !== "checking") return finished;
            return together(finished, pushLanding({ ...state, at: "landed", landed, pushed: null }, pushed));
          },
        })),
      ),
    refuse: (id, findings) =>
      change([{ id, decide: (state) => (state.at === "checking" ? refuseLanding(state, bounded(findings)) : []) }]),
  };
}

/** An event has a limit; the beginning and the end of a check's output say most. */
function bounded(findings: readonly Finding[]): readonly Finding[] {
  const each = Math.min(
    MESSAGE_CHARS_MAX,
    Math.floor(MESSAGES_CHARS_MAX / Math.max(1, Math.min(findings.length, 100))),
  );
  return findings.map((finding) => ({ ...finding, message: shortened(finding.message, each) }));
}

function shortened(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const half = Math.floor(charsMax / 2) - 10;
  return `${text.slice(0, half)}\n[...]\n${text.slice(-half)}`;
}
