import { event, type FactOf, type Placed, type SandboxMode, type Spent, type TextOrBlob } from "../../kernel/index.ts";
import type { Finding } from "../landings/finding.ts";

/** One try: a session with an agent and a worktree of its own. The id is chosen before the session exists. */
export interface Candidate {
  readonly sessionId: string;
  readonly agent: string;
  readonly driver: string;
  readonly model: string | null;
}

/** Settings that all candidates share, as a single session has them. */
export interface FanoutStart {
  readonly cwd: string;
  readonly ground: string | null;
  readonly sandbox: SandboxMode | null;
  readonly scope: { readonly allow?: readonly string[]; readonly deny?: readonly string[] } | null;
  readonly network: { readonly allow: readonly string[] } | null;
  readonly secrets: readonly string[];
  readonly mode: string | null;
  readonly label: string;
  readonly title: string | null;
  /** Limits of the caller, kept for a daemon that has to go on with the start. */
  readonly floor: SandboxMode | null;
  readonly onlyRegistered: boolean;
}

/** What a fan-out is to run. */
export interface FanoutOrder {
  readonly name: string;
  /** The principal that started it. */
  readonly actor: string;
  /** The person's repository, and the one commit that all worktrees are made from; null: it has no commit. */
  readonly repository: string;
  readonly base: string | null;
  /** The branch that the work is tried against; null: the one that is checked out. */
  readonly into: string | null;
  /** Checks beside those of the configuration. */
  readonly checks: readonly (readonly string[])[];
  readonly start: FanoutStart;
  readonly candidates: readonly Candidate[];
}

/** Why something of a candidate failed. */
export interface Fault {
  readonly code: string;
  readonly message: string;
}

/** What a candidate's work is worth after one of its turns. */
export interface Judgement {
  readonly sessionId: string;
  readonly turnId: string;
  readonly outcome: string;
  /** The branch it was tried against; null when it was not tried. */
  readonly into: string | null;
  /** How many checks ran; null when they did not run. */
  readonly checks: number | null;
  readonly checkMs: number | null;
  readonly findings: readonly Finding[];
  /** Findings that are not listed. */
  readonly more: number;
  readonly files: number;
  readonly added: number;
  readonly removed: number;
  /** The first changed paths. */
  readonly paths: readonly string[];
  /** How long its turns took. */
  readonly turnMs: number;
  readonly spent: Spent | null;
  /** Why it could not be judged. */
  readonly error: Fault | null;
}

export const FANOUT_EVENTS = {
  "fanout.started@1": event<FanoutOrder>({ spaceNeed: "start", exact: true, words: ({ name }) => name }),
  "fanout.asked@1": event<{ readonly prompt: TextOrBlob }>({
    erasable: true,
    spaceNeed: "start",
    words: ({ prompt }) => prompt.text,
  }),
  /** Every session that could be opened is there. From here on they get the prompt. */
  "fanout.begun@1": event<Record<string, never>>(),
  /** This candidate does not run: it could not be opened, or not be prompted. */
  "fanout.failed@1": event<{ readonly sessionId: string } & Fault>(),
  "fanout.judged@1": event<Judgement>(),
  "fanout.chosen@1": event<{ readonly sessionId: string; readonly landingId: string }>(),
  /** A person said that these go. Recorded before the first one ends. */
  "fanout.dropped@1": event<{ readonly sessions: readonly string[] }>(),
  /** Its session has ended and its worktree is gone, with these files. `snapshot` still holds them; null: none was kept. */
  "fanout.removed@1": event<{
    readonly sessionId: string;
    readonly files: readonly string[];
    readonly more: number;
    readonly snapshot: string | null;
  }>(),
  /** Nothing is left to do. `too_few`: fewer than two candidates could be opened. */
  "fanout.settled@1": event<{ readonly reason: "too_few" | "done" }>(),
};

/** A candidate as its fan-out knows it. How its session is doing stands in the session. */
export interface Tried extends Candidate {
  readonly failed: Fault | null;
  readonly judged: Judgement | null;
  readonly drop: "asked" | "done" | null;
  readonly removed: {
    readonly files: readonly string[];
    readonly more: number;
    readonly snapshot: string | null;
  } | null;
}

interface Known {
  readonly version: number;
  readonly order: FanoutOrder;
  /** Null when it was erased. */
  readonly prompt: TextOrBlob | null;
  readonly tried: readonly Tried[];
  readonly chosen: { readonly sessionId: string; readonly landingId: string } | null;
  readonly startedAt: string;
  readonly changedAt: string;
}

export type FanoutState =
  | { readonly at: "absent"; readonly version: number }
  | (Known & { readonly at: "starting" | "running" })
  | (Known & { readonly at: "settled"; readonly reason: "too_few" | "done" });

export type KnownFanout = Exclude<FanoutState, { at: "absent" }>;

export function evolveFanout(state: FanoutState, placed: Placed<FactOf<typeof FANOUT_EVENTS>>): FanoutState {
  const { fact: given, version, at } = placed;
  if (given === null) return { ...state, version };
  if (given.type === "fanout.started@1") {
    if (state.at !== "absent") return { ...state, version };
    const nothing = { failed: null, judged: null, drop: null, removed: null };
    const tried = given.data.candidates.map((one) => ({ ...one, ...nothing }));
    const times = { startedAt: at, changedAt: at };
    return { at: "starting", version, order: given.data, prompt: null, tried, chosen: null, ...times };
  }
  if (state.at === "absent") return { ...state, version };
  const known = { ...state, version, changedAt: at };
  switch (given.type) {
    case "fanout.asked@1":
      return { ...known, prompt: given.data.prompt };
    case "fanout.begun@1":
      return known.at === "starting" ? { ...known, at: "running" } : known;
    case "fanout.failed@1": {
      const { sessionId, ...failed } = given.data;
      return withTried(known, [sessionId], { failed });
    }
    case "fanout.judged@1":
      return withTried(known, [given.data.sessionId], { judged: given.data });
    case "fanout.chosen@1":
      return { ...known, chosen: given.data };
    case "fanout.dropped@1":
      return withTried(known, given.data.sessions, { drop: "asked" });
    case "fanout.removed@1": {
      const { sessionId, ...removed } = given.data;
      return withTried(known, [sessionId], { drop: "done", removed });
    }
    case "fanout.settled@1":
      return { ...known, at: "settled", reason: given.data.reason };
    default:
      // Facts that every stream may have, such as an erasure.
      return known;
  }
}

function withTried(state: KnownFanout, sessions: readonly string[], part: Partial<Tried>): KnownFanout {
  const tried = state.tried.map((one) => (sessions.includes(one.sessionId) ? { ...one, ...part } : one));
  return { ...state, tried };
}
