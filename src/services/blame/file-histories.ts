import { BEFORE, type FileVersion, likeness, nextVersion, PERSON, type Writer } from "../../domains/index.ts";
import { byteNameOf, isBinary, linesOf, type Snapshots } from "../../host/index.ts";
import type { TurnNumbers } from "./turn-facts.ts";
import type { Step } from "./worktree-steps.ts";

/** What became of a file in the session's worktree. */
export interface FileHistory {
  /** Oldest first. Empty when its contents could not be followed. */
  readonly versions: readonly FileVersion[];
  /** The turn that changed it last; a person when no turn did, null when nobody did. */
  readonly last: Writer | null;
}

export type Histories = ReadonlyMap<string, FileHistory>;

/** A larger file is told by its last turn alone. */
export const FILE_BYTES_MAX = 1_048_576;
const LINES_MAX = 2_000_000;
const FILE_LINES_MAX = 50_000;
const CHANGES_MAX = 50_000;
const SOURCES_MAX = 50;
const VERSIONS_MAX = 64;
/** A new file with that much of a deleted one is the same file under another name. */
const RENAMED = 0.5;

interface Open {
  versions: FileVersion[];
  current: FileVersion | null;
  last: Writer | null;
  isFollowed: boolean;
}

interface Changed {
  readonly step: Step;
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly deleted: readonly string[];
}

/** Follows files through the snapshots: each line gets the turn that brought it. `paths`: as git spells them. */
export async function followFiles(
  snapshots: Pick<Snapshots, "changes" | "read">,
  steps: readonly Step[],
  paths: readonly string[],
  turns: TurnNumbers,
): Promise<Histories> {
  const spelled = new Map(paths.map((path) => [byteNameOf(path), path]));
  const [first] = steps;
  if (first === undefined) return new Map();
  const changes = await changesOf(snapshots, steps);
  const names = withSources([...spelled.keys()], changes);
  const files = new Map<string, Open>();
  const budget = { lines: LINES_MAX };
  const contents = async (snapshot: string, wanted: readonly string[]) => {
    const found = wanted.length === 0 ? [] : await snapshots.read(snapshot, wanted, FILE_BYTES_MAX);
    return new Map(wanted.map((name, at) => [name, linesIn(found[at] ?? null)]));
  };
  for (const [name, lines] of await contents(first.snapshot, [...names])) {
    const version = lines === null ? null : nextVersion([], lines, BEFORE);
    files.set(name, { versions: version === null ? [] : [version], current: version, last: null, isFollowed: true });
  }
  for (const { step, added, changed, deleted } of changes) {
    const here = [...added, ...changed].filter((name) => names.has(name));
    const read = await contents(step.snapshot, here);
    const gone = deleted.flatMap((name) => files.get(name)?.current ?? []);
    for (const name of here) {
      const file = files.get(name);
      if (file === undefined) continue;
      const writer = step.turn === null || step.others.has(name) ? PERSON : turns.numberOf(step.turn);
      if (writer !== PERSON || file.last === null) file.last = writer;
      const source = file.versions.length === 0 ? gone : [];
      advance(file, read.get(name) ?? null, { writer, source, budget });
    }
    for (const name of deleted) {
      const file = files.get(name);
      if (file !== undefined) file.current = null;
    }
  }
  return new Map(
    [...files].flatMap(([name, { versions, last, isFollowed }]) => {
      const path = spelled.get(name);
      return path === undefined ? [] : [[path, { versions: isFollowed ? versions : [], last }] as const];
    }),
  );
}

function advance(
  file: Open,
  lines: readonly string[] | null,
  given: { readonly writer: Writer; readonly source: readonly FileVersion[]; readonly budget: { lines: number } },
): void {
  const { writer, source, budget } = given;
  if (lines === null || budget.lines < lines.length) {
    file.isFollowed = false;
    return;
  }
  budget.lines -= lines.length;
  const renamed = source
    .map((version) => ({ version, like: likeness(version.lines, lines) }))
    .toSorted((a, b) => b.like - a.like)[0];
  const known = renamed !== undefined && renamed.like >= RENAMED ? [renamed.version] : file.versions;
  file.current = nextVersion(known, lines, writer);
  file.versions = [...file.versions.slice(1 - VERSIONS_MAX), file.current];
}

async function changesOf(snapshots: Pick<Snapshots, "changes">, steps: readonly Step[]): Promise<readonly Changed[]> {
  const found: Changed[] = [];
  let before = steps[0]?.snapshot;
  for (const step of steps.slice(1)) {
    if (before === undefined || before === step.snapshot) continue;
    const { changes } = await snapshots.changes(before, step.snapshot, CHANGES_MAX);
    const of = (what: string) => changes.flatMap((one) => (one.what === what && !one.isDirectory ? [one.name] : []));
    found.push({ step, added: of("added"), changed: of("changed"), deleted: of("deleted") });
    before = step.snapshot;
  }
  return found;
}

/** Also the files that may have been renamed to these: deleted in the step in which one of them appeared. */
function withSources(names: readonly string[], changes: readonly Changed[]): ReadonlySet<string> {
  const all = new Set(names);
  for (const { added, deleted } of changes.toReversed()) {
    const appeared = added.filter((name) => all.has(name));
    if (appeared.length === 0) continue;
    const endings = new Set(appeared.map(endingOf));
    for (const name of deleted.filter((one) => endings.has(endingOf(one))).slice(0, SOURCES_MAX)) all.add(name);
  }
  return all;
}

function endingOf(name: string): string {
  return /\.[^./]*$/.exec(name)?.[0] ?? "";
}

/** Null for what has no lines, or too many. */
export function linesIn(bytes: Uint8Array | null): readonly string[] | null {
  if (bytes === null || isBinary(bytes)) return null;
  const lines = linesOf(bytes);
  return lines.length > FILE_LINES_MAX ? null : lines;
}

/**
 * Snapshots hold files as they lie in the folder. Where git stores lines without the returns at their ends, they are the
 * same lines.
 */
export function asStoredLines(versions: readonly FileVersion[], lines: readonly string[]): readonly FileVersion[] {
  const hasReturns = (all: readonly string[]): boolean => all.some((line) => line.endsWith("\r"));
  if (hasReturns(lines) || !hasReturns(versions.at(-1)?.lines ?? [])) return versions;
  return versions.map((version) => ({ ...version, lines: version.lines.map((line) => line.replace(/\r$/, "")) }));
}
