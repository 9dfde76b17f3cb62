import { NomosError } from "../contract/index.ts";
import type { Folded } from "../domains/index.ts";
import type { Decision } from "../kernel/index.ts";
import { type AppendPart, StoreError, type StreamVersion } from "../store/index.ts";
import { type Change, type CommitOptions, type Committed, type Guard, type Seen, settled } from "./change.ts";
import type { Facts, Recording } from "./recording.ts";

/** A change whose state type is hidden from its caller. */
export interface StreamChange {
  readonly stream: string;
  readonly decide: (folded: Folded, seen: Seen) => Decision | Promise<Decision>;
  readonly continues?: StreamVersion | undefined;
}

/** All streams are read before any decision, so that a missing stream is found first. */
export function streamChange<State>({ of, decide, continues }: Change<State>): StreamChange {
  return { stream: of.stream, decide: (folded, seen) => decide(of.read(folded), seen), continues };
}

/** How often a commit is decided again because a guarded stream moved. */
const TRIES = 8;

/** The caller must hold the queues of the changed streams. Folds are returned in the order of the changes. */
export async function commitStreams(
  recording: Recording,
  changes: readonly StreamChange[],
  options: CommitOptions,
): Promise<Committed<readonly Folded[]>> {
  const guards = (options.expect ?? []).filter(({ stream }) => !changes.some((change) => change.stream === stream));
  for (let tries = 1; ; tries += 1) {
    try {
      return await commitOnce(recording, changes, options);
    } catch (thrown) {
      const moved = movedOf(thrown, guards);
      if (moved === null) throw thrown;
      if (tries === TRIES) throw new NomosError("overloaded", { stream: moved, tries }, { cause: thrown });
    }
  }
}

async function commitOnce(
  recording: Recording,
  changes: readonly StreamChange[],
  { by, expect = [] }: CommitOptions,
): Promise<Committed<readonly Folded[]>> {
  const foldOf = await foldAll(recording, [...changes, ...expect]);
  const seen: Seen = ({ stream, read }) => read(foldOf(stream));
  const before = changes.map(({ stream }) => foldOf(stream));
  for (const { stream, check } of expect) settled(check(foldOf(stream)) ?? []);
  const parts: AppendPart[] = [];
  const all: Facts[number][] = [];
  for (const { stream, decide, continues } of changes) {
    const folded = foldOf(stream);
    const facts = settled(await decide(folded, seen));
    if (facts.length === 0) continue;
    all.push(...facts);
    const events = recording.placed(stream, facts, by);
    const part = { stream, expectedVersion: folded.state.version, events, before: folded };
    parts.push(continues === undefined ? part : { ...part, continues });
  }
  if (all.length === 0) return { events: [], before };
  // A stream without new events was decided on too, so its version is checked as well.
  const looked = new Set([...changes, ...expect].map(({ stream }) => stream));
  for (const { stream } of parts) looked.delete(stream);
  const still = [...looked].map((stream) => ({ stream, version: foldOf(stream).state.version }));
  return { events: await recording.append(parts, by, recording.judge(all), still), before };
}

async function foldAll(
  { fold }: Recording,
  streams: readonly { readonly stream: string }[],
): Promise<(stream: string) => Folded> {
  const names = [...new Set(streams.map(({ stream }) => stream))];
  const folds = new Map(await Promise.all(names.map(async (name) => [name, await fold(name)] as const)));
  return (stream) => {
    const folded = folds.get(stream);
    if (folded === undefined) throw new Error(`${stream} is not a part of this commit`);
    return folded;
  };
}

/** The guarded stream that moved between the read and the append. */
function movedOf(thrown: unknown, guards: readonly Guard[]): string | null {
  if (!(thrown instanceof StoreError) || thrown.code !== "stale_version") return null;
  return guards.find(({ stream }) => stream === thrown.details["stream"])?.stream ?? null;
}
