import { byteNameOf } from "../../host/index.ts";
import { type Point, Session, type SessionState } from "../../kernel/index.ts";
import type { Store } from "../../store/index.ts";
import { type Neighbour, neighboursOf } from "../life/neighbours.ts";
import { type Interval, lastBoundary, readIntervals } from "./change-intervals.ts";
import type { SessionFiles } from "./session-files.ts";
import { ANYTHING, type TurnWrites, turnWrites } from "./turn-writes.ts";

/** Names below the session's directory. A name that both changed is in both sets. */
export interface WhoseChanges {
  readonly own: ReadonlySet<string>;
  readonly others: ReadonlySet<string>;
}

export interface WhoseChangesDeps {
  readonly store: Store;
  readonly sessionFiles: Pick<SessionFiles, "changes" | "rootOf" | "take">;
  readonly sessionState: (id: string) => Promise<SessionState>;
  readonly actsByEffects: (adapter: string) => boolean;
}

/** Limit of names to compare per interval; with more, the rewind is refused. */
export const CHANGES_MAX = 1_000_000;
const TOP = "";

interface Party {
  readonly interval: Interval;
  readonly writes: TurnWrites;
  readonly names: ReadonlySet<string>;
}

/**
 * Who changed what since the snapshot `since`. Changes during a turn of the session are its own, unless another session
 * recorded the write or ran at the same time and may have made it. Changes between its turns are others'. Sessions that it
 * started count as itself.
 */
export async function whoseChanges(
  deps: WhoseChangesDeps,
  state: SessionState,
  since: { readonly snapshot: string; readonly point: Point },
  /** The snapshot of now, taken while nothing of the session runs. */
  now: string,
): Promise<WhoseChanges> {
  const story = await storyOf(deps, state, since);
  const last = story.at(-1)?.to ?? since.snapshot;
  const idle: Interval = { from: last, to: now, by: "others", turnId: null, startSeq: 0, endSeq: 0 };
  return tellApart(deps, state, [...story, idle]);
}

/** All names that the session changed at any time. */
export async function everChanged(deps: WhoseChangesDeps, state: SessionState): Promise<ReadonlySet<string>> {
  const story = await readIntervals(deps.store, state.stream, { after: 0, files: null });
  return (await tellApart(deps, state, story)).own;
}

async function tellApart(
  deps: WhoseChangesDeps,
  state: SessionState,
  intervals: readonly Interval[],
): Promise<WhoseChanges> {
  const { store, sessionFiles } = deps;
  const root = sessionFiles.rootOf(state);
  const own = new Set<string>();
  const others = new Set<string>();
  const working = intervals.filter(({ by }) => by === "turn");
  const neighbours = working.length === 0 ? [] : await neighboursOf(store, state.id, root);
  const beside = await partiesBeside(deps, neighbours, root, working);
  for (const interval of intervals) {
    if (interval.from === interval.to) continue;
    const names = await namesOf(sessionFiles, interval);
    const writes = await writesOf(deps, state, interval, root);
    const parties = beside.filter((party) => overlaps(party.interval, interval));
    for (const name of names) {
      const whose = interval.by === "turn" ? judge(name, interval, writes, parties) : WHOSE[interval.by];
      if (whose !== "others") own.add(name);
      if (whose !== "own") others.add(name);
    }
  }
  return { own, others };
}

const WHOSE = { restore: "own", others: "others", unknown: "both" } as const;

/** `both`: the author is unknown, so the change counts for each. */
function judge(
  name: string,
  { others }: Interval,
  mine: TurnWrites,
  parties: readonly Party[],
): "own" | "others" | "both" {
  const isMine = mine.names.has(name);
  if (mine.isExact && !isMine) return "others";
  if (others?.names.has(name) === true) return isMine ? "both" : "others";
  if (others?.more === true && !isMine) return "both";
  const beside = parties.filter((party) => party.names.has(name));
  if (!isMine && beside.some(({ writes }) => writes.names.has(name))) return "others";
  return beside.some(({ writes }) => !writes.isExact || writes.names.has(name)) ? "both" : "own";
}

/** All intervals from the point until now. Files that a fork copied into its own directory count as the fork's. */
async function storyOf(
  { store, sessionState }: WhoseChangesDeps,
  state: SessionState,
  { snapshot, point }: { readonly snapshot: string; readonly point: Point },
): Promise<readonly Interval[]> {
  const before = point.stream === state.stream ? (await store.seqAt(state.stream, point.version)) + 1 : 0;
  const start = before === 0 ? null : await lastBoundary(store, state.stream, before, snapshot);
  if (start !== null) return readIntervals(store, state.stream, { after: start.seq, files: start.files });
  const { forkedFrom } = state;
  if (forkedFrom === null) return readIntervals(store, state.stream, { after: 0, files: null });
  const born = await store.fold(Session, state.id, 1);
  const inherited = born.view.world?.snapshot ?? null;
  const parent = await sessionState(forkedFrom.sessionId).catch(() => null);
  const isShared = parent?.spec?.cwd === state.spec?.cwd;
  const rest = await readIntervals(store, state.stream, { after: 0, files: inherited });
  if (inherited === null || inherited === snapshot) return rest;
  const by = isShared ? "others" : "restore";
  return [{ from: snapshot, to: inherited, by, turnId: null, startSeq: 0, endSeq: 0 }, ...rest];
}

/** What other sessions did in the same directory during turns of this one. */
async function partiesBeside(
  deps: WhoseChangesDeps,
  neighbours: readonly Neighbour[],
  root: string,
  working: readonly Interval[],
): Promise<readonly Party[]> {
  const { store, sessionFiles, sessionState } = deps;
  const first = Math.min(...working.map(({ startSeq }) => startSeq));
  const last = Math.max(...working.map(({ endSeq }) => endSeq));
  const parties: Party[] = [];
  for (const { id, stream } of neighbours) {
    const state = await sessionState(id).catch(() => null);
    if (state === null || state.spec === null) continue;
    const known = await lastBoundary(store, stream, first);
    const query = { after: known?.seq ?? 0, files: known?.files ?? null, until: last };
    const told = await readIntervals(store, stream, query);
    const open = await stillOpen(deps, state, told.at(-1)?.to ?? known?.files ?? null);
    const its = sessionFiles.rootOf(state);
    for (const interval of [...told, ...open]) {
      if (interval.by === "others" || !working.some((one) => overlaps(one, interval))) continue;
      const names = await namesOf(sessionFiles, interval);
      const writes = await writesOf(deps, state, interval, its);
      const at = (all: ReadonlySet<string>) => renamed(all, its, root);
      parties.push({ interval, names: at(names), writes: { ...writes, names: at(writes.names) } });
    }
  }
  return parties;
}

/** A running turn has no end snapshot yet, so one is taken now. */
async function stillOpen(
  { store, sessionFiles }: WhoseChangesDeps,
  state: SessionState,
  from: string | null,
): Promise<readonly Interval[]> {
  if (state.phase.at !== "busy" || from === null) return [];
  const { turnId } = state.phase;
  const started = await store.readStream(state.stream, { turnId, types: ["turn.started"], limit: 1 });
  const { id: to } = await sessionFiles.take(state, "turn");
  const startSeq = started.events[0]?.seq ?? 0;
  return [{ from, to, by: "turn", turnId, startSeq, endSeq: Number.MAX_SAFE_INTEGER }];
}

async function writesOf(
  { store, actsByEffects }: WhoseChangesDeps,
  state: SessionState,
  { by, turnId }: Interval,
  root: string,
): Promise<TurnWrites> {
  if (by !== "turn" || turnId === null) return ANYTHING;
  return turnWrites(store, state, turnId, root, actsByEffects(state.spec?.adapter ?? ""));
}

async function namesOf(
  sessionFiles: Pick<SessionFiles, "changes">,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<ReadonlySet<string>> {
  const { changes, isTopChanged } = await sessionFiles.changes(from, to, CHANGES_MAX);
  return new Set([...changes.map(({ name }) => name), ...(isTopChanged ? [TOP] : [])]);
}

function overlaps(a: Interval, b: Interval): boolean {
  return a.startSeq < b.endSeq && b.startSeq < a.endSeq;
}

/** Converts names relative to one directory into names relative to its parent or subdirectory. */
function renamed(names: ReadonlySet<string>, from: string, to: string): ReadonlySet<string> {
  if (from === to) return names;
  if (from.startsWith(`${to}/`)) {
    const prefix = byteNameOf(from.slice(to.length + 1));
    return new Set([...names].map((name) => (name === TOP ? prefix : `${prefix}/${name}`)));
  }
  const prefix = `${byteNameOf(to.slice(from.length + 1))}/`;
  return new Set([...names].filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length)));
}
