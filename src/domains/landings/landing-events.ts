import { event, type FactOf, type Placed, type Transition, transition } from "../../kernel/index.ts";
import type { Finding } from "./finding.ts";

/** How a session's commits get onto the branch. */
export type LandHow = "merge" | "rebase" | "squash";

/** What a landing is to bring, fixed when it is queued: later changes of the worktree are not part of it. */
export interface LandingOrder {
  readonly sessionId: string;
  /** The session's last turn; null when it had none. */
  readonly turnId: string | null;
  readonly worktreeId: string;
  /** The user's repository: its files (null if bare) and its common git dir. */
  readonly repository: { readonly root: string | null; readonly gitDir: string };
  /** The branch, without `refs/heads/`. */
  readonly into: string;
  readonly how: LandHow;
  /** The first lines of the commit's message; null: made of the session's own words. */
  readonly message: string | null;
  /** Checks that the caller adds to those of the configuration. */
  readonly checks: readonly (readonly string[])[];
  /** Instead of moving the branch, the work is pushed as this branch, for a pull request onto `into`. */
  readonly pullRequest: string | null;
  /** The worktree's HEAD, and the tree of its files as they were, committed or not. */
  readonly captured: { readonly head: string | null; readonly tree: string };
  /** From 1. After a refusal that the agent can mend the landing is tried again, up to `attemptsMax`. */
  readonly attempt: number;
  readonly attemptsMax: number;
}

/** The commit that the branch is about to point at: recorded before the branch moves. */
export interface Prepared {
  /** Where the branch pointed. */
  readonly base: string;
  readonly commit: string;
  /** New commits on the branch that hold the session's work, oldest first. */
  readonly commits: readonly string[];
}

/** What was seen to pass, before the branch moves: commands, on the files of this commit. */
export interface PassedChecks {
  readonly commit: string;
  readonly checks: readonly (readonly string[])[];
}

export interface Pushed {
  readonly remote: string;
  readonly branch: string;
  /** The address of the request, or of the page that opens one; null when the forge is unknown. */
  readonly url: string | null;
  readonly next: readonly string[];
}

export const LANDING_EVENTS = {
  "landing.queued@1": event<LandingOrder>({ spaceNeed: "start", exact: true }),
  /** The gate and the checks begin. Recorded again when a daemon takes over what another one left. */
  "landing.started@1": event<Record<string, never>>({ spaceNeed: "course" }),
  "landing.prepared@1": event<Prepared>({ spaceNeed: "course" }),
  /** In the append of its `landing.prepared@1`. Of a batch the commit is the last one's: the branch gets all of it. */
  "landing.checked@1": event<PassedChecks>({ spaceNeed: "course" }),
  /** Back to its place: the branch moved, a batch was split, or the daemon stopped. */
  "landing.returned@1": event<{ readonly reason: string }>(),
  /** `lines`: names the turn of each line, for blame (domains/blame); null when it could not be made. */
  "landing.landed@1": event<
    Prepared & {
      readonly files: number;
      readonly added: number;
      readonly removed: number;
      readonly checkMs: number;
      // A member called `blob` keeps the blob as long as the event.
      readonly lines: { readonly blob: string } | null;
    }
  >(),
  /** The branch for a pull request is at the remote. `next`: commands that open the request. */
  "landing.pushed@1": event<Pushed>(),
  "landing.refused@1": event<{ readonly findings: readonly Finding[]; readonly more: number }>(),
  /** The agent was told why, as this turn of its session. When the turn has ended well, the work is queued again. */
  "landing.told@1": event<{ readonly turnId: string }>(),
  "landing.retried@1": event<{ readonly landingId: string }>(),
  "landing.ejected@1": event<{ readonly reason: string }>(),
  "landing.held@1": event<{ readonly reason: string }>(),
  "landing.released@1": event<Record<string, never>>(),
  /** The new place in the line: compared as text. */
  "landing.moved@1": event<{ readonly place: string }>(),
};

interface Known {
  readonly version: number;
  /** The id of its `landing.queued@1`. */
  readonly eventId: string;
  readonly order: LandingOrder;
  readonly place: string;
  readonly queuedAt: string;
  readonly changedAt: string;
  /** Null when nobody holds it back. */
  readonly heldBecause: string | null;
  /** Of its last try. Null: none ran, or it landed before checks were recorded. */
  readonly checked: PassedChecks | null;
}

export type LandingState =
  | { readonly at: "absent"; readonly version: number }
  | (Known & { readonly at: "queued" })
  | (Known & { readonly at: "checking"; readonly prepared: Prepared | null })
  | (Known & { readonly at: "landed"; readonly landed: Landed; readonly pushed: Pushed | null })
  | (Known & Refused & { readonly at: "refused" })
  | (Known & { readonly at: "ejected"; readonly reason: string });

interface Refused {
  readonly findings: readonly Finding[];
  /** Findings that are not listed. */
  readonly more: number;
  /** The turn that told the agent why. */
  readonly told: string | null;
  /** The landing that tries the mended work. */
  readonly retriedAs: string | null;
}

export type Landed = Extract<FactOf<typeof LANDING_EVENTS>, { type: "landing.landed@1" }>["data"];

export const LANDING_TRANSITIONS: readonly Transition<keyof typeof LANDING_EVENTS, LandingState["at"]>[] = [
  { on: "landing.queued@1", from: ["absent"], to: "queued" },
  { on: "landing.started@1", from: ["queued", "checking"], to: "checking" },
  { on: "landing.prepared@1", from: ["checking"], to: "checking" },
  { on: "landing.checked@1", from: ["checking"], to: "checking" },
  { on: "landing.returned@1", from: ["checking"], to: "queued" },
  { on: "landing.landed@1", from: ["checking"], to: "landed" },
  { on: "landing.pushed@1", from: ["landed"], to: "landed" },
  { on: "landing.refused@1", from: ["checking"], to: "refused" },
  { on: "landing.told@1", from: ["refused"], to: "refused" },
  { on: "landing.retried@1", from: ["refused"], to: "refused" },
  { on: "landing.ejected@1", from: ["queued", "checking"], to: "ejected" },
  { on: "landing.held@1", from: ["queued"], to: "queued" },
  { on: "landing.released@1", from: ["queued"], to: "queued" },
  { on: "landing.moved@1", from: ["queued"], to: "queued" },
];

export function evolveLanding(state: LandingState, placed: Placed<FactOf<typeof LANDING_EVENTS>>): LandingState {
  const { fact: given, version, at, id } = placed;
  if (given === null || transition(LANDING_TRANSITIONS, state.at, given.type) === null) return { ...state, version };
  if (given.type === "landing.queued@1") {
    const times = { queuedAt: at, changedAt: at };
    return {
      at: "queued",
      version,
      eventId: id,
      order: given.data,
      place: lastPlace(id),
      ...times,
      heldBecause: null,
      checked: null,
    };
  }
  // The table above lets nothing else happen to an absent landing.
  if (state.at === "absent") return { ...state, version };
  const known = knownOf(state, version, at);
  switch (given.type) {
    case "landing.started@1":
      return { ...known, at: "checking", prepared: state.at === "checking" ? state.prepared : null };
    case "landing.prepared@1":
      return { ...known, at: "checking", prepared: given.data, checked: null };
    case "landing.checked@1":
      return { ...state, version, checked: given.data };
    case "landing.returned@1":
      return { ...known, at: "queued" };
    case "landing.landed@1":
      return { ...known, at: "landed", landed: given.data, pushed: null };
    case "landing.pushed@1":
      return state.at === "landed" ? { ...state, version, pushed: given.data } : { ...state, version };
    case "landing.refused@1":
      return { ...known, at: "refused", ...given.data, told: null, retriedAs: null };
    case "landing.told@1":
      return state.at === "refused" ? { ...state, version, told: given.data.turnId } : { ...state, version };
    case "landing.retried@1":
      return state.at === "refused" ? { ...state, version, retriedAs: given.data.landingId } : { ...state, version };
    case "landing.ejected@1":
      return { ...known, at: "ejected", reason: given.data.reason };
    case "landing.held@1":
      return { ...known, at: "queued", heldBecause: given.data.reason };
    case "landing.released@1":
      return { ...known, at: "queued", heldBecause: null };
    case "landing.moved@1":
      return { ...known, at: "queued", place: given.data.place };
  }
}

function knownOf(state: Exclude<LandingState, { at: "absent" }>, version: number, changedAt: string): Known {
  const { eventId, order, place, queuedAt, heldBecause, checked } = state;
  return { version, eventId, order, place, queuedAt, changedAt, heldBecause, checked };
}

/**
 * A place in the line. `~` sorts after every letter, so a place that begins with another one without its `~` comes just
 * before it, however often something is moved there.
 */
const lastPlace = (id: string): string => `${id}~`;
