import {
  addedLines,
  BEFORE,
  type FileVersion,
  nextVersion,
  PERSON,
  type RecordedFile,
  type RecordedLines,
  recordedFile,
  UNKNOWN,
  type Writer,
  writersOf,
} from "../../domains/index.ts";
import {
  blobsAt,
  type CommittedFile,
  committedFiles,
  type LandingRepository,
  SnapshotError,
  type Snapshots,
  smallBlobs,
} from "../../host/index.ts";
import type { Store } from "../../store/index.ts";
import type { Attribute } from "../landing/landing-deps.ts";
import { asStoredLines, FILE_BYTES_MAX, followFiles, type Histories, linesIn } from "./file-histories.ts";
import { lineHash } from "./line-hash.ts";
import { hasEnded, numberTurns, turnFacts } from "./turn-facts.ts";
import { worktreeSteps } from "./worktree-steps.ts";

/** All commits of a landing together; further files are told by their last turn alone. */
const RECORDED_LINES_MAX = 200_000;
const FILES_MAX = 20_000;

/** Tells the turn of each line that a landing brings, and keeps it as a blob. */
export function createAttribution(deps: {
  readonly store: Store;
  readonly snapshots: Pick<Snapshots, "changes" | "read">;
}): Attribute {
  const { store, snapshots } = deps;
  return async ({ order, prepared, opened }) => {
    const turns = numberTurns();
    const commits = await changedFiles(opened, prepared.commits);
    const paths = [...new Set(commits.flatMap(({ files }) => files.map(({ path }) => path)))];
    const steps = await worktreeSteps(store, order);
    const followed = await followFiles(snapshots, steps, paths, turns).catch(withoutSnapshots);
    const last = order.turnId === null ? null : { sessionId: order.sessionId, turnId: order.turnId };
    const isOver = last === null || (await hasEnded(store, last));
    const since = isOver || last === null ? PERSON : turns.numberOf(last);
    const histories = await withCaptured(opened, { tree: order.captured.tree, paths, since }, followed);
    const fallback = last === null ? PERSON : turns.numberOf(last);
    const recorded = await recordCommits(opened, commits, { histories, fallback });
    const lines: RecordedLines = {
      format: 1,
      sessionId: order.sessionId,
      turns: await turnFacts(store, turns.all()),
      commits: recorded,
    };
    return { blob: await store.putBlob(Buffer.from(JSON.stringify(lines))) };
  };
}

/** Snapshots may be gone or damaged: then lines are told by the landing's last turn. */
function withoutSnapshots(thrown: unknown): Histories {
  if (thrown instanceof SnapshotError) return new Map();
  throw thrown;
}

interface Commit {
  readonly commit: string;
  readonly files: readonly CommittedFile[];
}

async function changedFiles({ git }: LandingRepository, commits: readonly string[]): Promise<readonly Commit[]> {
  const found: Commit[] = [];
  let left = FILES_MAX;
  for (const commit of commits) {
    const files = (await committedFiles(git, commit)).slice(0, left);
    left -= files.length;
    found.push({ commit, files });
  }
  return found;
}

/** The files as they were captured are the newest version: what differs from the last snapshot came after it. */
async function withCaptured(
  { git }: LandingRepository,
  { tree, paths, since }: { readonly tree: string; readonly paths: readonly string[]; readonly since: Writer },
  followed: Histories,
): Promise<Histories> {
  const known = paths.filter((path) => (followed.get(path)?.versions.length ?? 0) > 0);
  const ids = await blobsAt(git, tree, known);
  const contents = await smallBlobs(git, [...ids.values()], FILE_BYTES_MAX);
  const all = new Map(followed);
  for (const [path, id] of ids) {
    const lines = linesIn(contents.get(id) ?? null);
    const history = followed.get(path);
    if (lines === null || history === undefined) continue;
    const versions = asStoredLines(history.versions, lines);
    all.set(path, { ...history, versions: [...versions, nextVersion(versions, lines, since)] });
  }
  return all;
}

interface Known {
  readonly histories: Histories;
  /** For lines of which no snapshot tells anything. */
  readonly fallback: Writer;
}

async function recordCommits(
  { git }: LandingRepository,
  commits: readonly Commit[],
  known: Known,
): Promise<RecordedLines["commits"]> {
  const elsewhere = writersByText(known.histories);
  const recorded: { commit: string; files: readonly RecordedFile[] }[] = [];
  let left = RECORDED_LINES_MAX;
  for (const { commit, files } of commits) {
    const contents = await smallBlobs(
      git,
      files.flatMap(({ id, parents }) => [id, ...parents]),
      FILE_BYTES_MAX,
    );
    const lines = (id: string) => linesIn(contents.get(id) ?? null);
    const made = files.map(({ path, id, parents }): RecordedFile => {
      const history = known.histories.get(path);
      const last = history?.last ?? known.fallback;
      const [own, before] = [lines(id), parents.map(lines)];
      if (own === null || before.includes(null) || left <= 0) return recordedFile(path, last, []);
      const writers = writersIn(own, history?.versions ?? [], elsewhere);
      const isAdded = addedLines(
        before.flatMap((one) => (one === null ? [] : [one])),
        own,
      );
      const told = own.flatMap((text, at) => {
        const writer = writers[at] ?? UNKNOWN;
        if (isAdded[at] !== true || writer === BEFORE) return [];
        return [{ line: at + 1, turn: writer === UNKNOWN ? last : writer, hash: lineHash(text) }];
      });
      left -= told.length;
      return recordedFile(path, last, told);
    });
    recorded.push({ commit, files: made });
  }
  return recorded;
}

/** A file that was merged into another name has no history of its own: its lines are looked for in the others. */
function writersIn(
  lines: readonly string[],
  versions: readonly FileVersion[],
  elsewhere: ReadonlyMap<string, Writer>,
): ArrayLike<Writer> {
  return versions.length > 0
    ? writersOf(asStoredLines(versions, lines), lines)
    : lines.map((line) => elsewhere.get(line) ?? UNKNOWN);
}

function writersByText(histories: Histories): ReadonlyMap<string, Writer> {
  const found = new Map<string, Writer>();
  for (const { versions } of histories.values()) {
    const last = versions.at(-1);
    last?.lines.forEach((line, at) => {
      const writer = last.writers[at] ?? BEFORE;
      if (writer !== BEFORE) found.set(line, writer);
    });
  }
  return found;
}
