import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { NomosError, toNomosError } from "../../contract/index.ts";
import { shellQuoted, type Taken, type TreeChange, writeFileAtomic } from "../../host/index.ts";
import { type Decision, fact, isEnded, LIMITS, type SessionState, together, WIDEN } from "../../kernel/index.ts";
import { cutDiff, type SessionLaw } from "../../turns/index.ts";
import { fitting } from "./fit-in-event.ts";
import { createInOrder } from "./in-order.ts";
import { outOfScope } from "./out-of-scope.ts";
import type { SessionFiles } from "./session-files.ts";
import { TOP, unjudgedNames, unseenError } from "./unreadable-changes.ts";

/**
 * Reverts what a turn changed outside its session's scope, and reports it. A mark holds the snapshot from the start of the
 * turn. It stays until the turn is judged, also after a crash.
 */
export interface ScopeJudge {
  /** Sets a mark unless there is one. Throws when the turn could not be judged later; the turn must not run then. */
  readonly begin: (state: SessionState) => Promise<void>;
  /** Reverts changes outside the scope. Throws when they cannot be determined; the turn has failed then. */
  readonly end: (state: SessionState) => Promise<Judgement>;
  /** The snapshots that marks refer to. */
  readonly marked: () => Promise<readonly string[]>;
}

export interface Reverted {
  readonly files: readonly OutsideFile[];
  readonly more: number;
}

interface OutsideFile {
  readonly path: string;
  readonly rule: string;
}

export interface Judgement {
  /** Null when all changes are within the scope. */
  readonly reverted: Reverted | null;
  /** What a yes to the offered paths would have kept; empty when nothing was reverted. */
  readonly diff: string;
  /** A snapshot from before the revert; null when nothing was reverted. */
  readonly before: Taken | null;
  /** Drops the mark. Call it after the judgement is recorded: until then a crash makes the turn be judged again. */
  readonly settled: () => Promise<void>;
}

export const NOTHING_JUDGED: Judgement = { reverted: null, diff: "", before: null, settled: async () => undefined };

const LISTED = { count: 100, bytes: 65_536 };
const CHANGES_MAX = 1_000_000;
const MARKS = "marks";

/** Contents of a mark's file: the snapshot at the start of the turn, and the reverted files that are not recorded yet. */
interface Mark {
  readonly snapshot: string;
  readonly reverted: Reverted | null;
}

interface Place {
  /** The session that the worktree was made for. */
  readonly owner: string;
  readonly tree: string;
  readonly mark: string;
}

export function createScopeJudge(deps: {
  readonly sessionFiles: Pick<SessionFiles, "keep" | "changes" | "diff" | "putBack" | "requireRestore">;
  /** The folder that holds all worktrees. */
  readonly folder: string;
  readonly sessionState: (id: string) => Promise<SessionState>;
  readonly law?: SessionLaw | undefined;
}): ScopeJudge {
  const { sessionFiles, folder, sessionState, law } = deps;

  /** The worktree of a session with a scope: its own, or that of the session that started it. */
  const placeOf = ({ id, spec }: SessionState): Place | null => {
    if (spec?.scope == null || !spec.cwd.startsWith(`${folder}/`)) return null;
    const owner = spec.cwd.slice(folder.length + 1).split("/")[0] ?? "";
    return { owner, tree: join(folder, owner, "tree"), mark: join(folder, owner, MARKS, id) };
  };

  /** One at a time in each worktree, so that the second session finds the first one's mark. */
  const inOrder = createInOrder();
  const mark = async (place: Place): Promise<void> => {
    await mkdir(dirname(place.mark), { recursive: true, mode: 0o700 });
    // Another session's turn in the same worktree is not judged yet, so start from that turn's mark.
    const before = (await marksIn(dirname(place.mark)))[0]?.snapshot ?? (await sessionFiles.keep(place.tree)).id;
    await writeMark(place.mark, { snapshot: before, reverted: null });
  };

  /** Returns what could not be restored. */
  const revert = async (place: Place, now: Mark, base: string, undo: readonly TreeChange[]) => {
    // Written before the revert: after a crash in between, nothing else would show that these files were changed.
    await writeMark(place.mark, now);
    return (await sessionFiles.putBack(place.tree, now.snapshot, base, undo)).notRestored;
  };

  return {
    begin: async (state) => {
      const place = placeOf(state);
      if (place === null || (await markIn(place.mark)) !== null) return;
      sessionFiles.requireRestore();
      await inOrder(place.tree, () => mark(place));
    },
    end: async (state) => {
      const place = placeOf(state);
      const scope = state.spec?.scope ?? null;
      const mark_ = place === null ? null : await markIn(place.mark);
      if (place === null || mark_ === null || scope === null) return NOTHING_JUDGED;
      const before = mark_.snapshot;
      const after = await sessionFiles.keep(place.tree);
      const { changes, more, unseen, isTopChanged } = await sessionFiles.changes(before, after.id, CHANGES_MAX);
      if (more) throw new NomosError("tree_too_large", { root: place.tree, changes: CHANGES_MAX });
      // A person may have widened the scope during the turn: of this session, or of the one that owns the worktree.
      const sharing = await Promise.all([state.id, place.owner].map((id) => sessionState(id).catch(() => state)));
      const widened = sharing.flatMap((one) => one.widened ?? []);
      await law?.ready(state);
      const forbids = (path: string, isDeleted: boolean) => law?.forbids(state.id, path, isDeleted) ?? null;
      const { undo, told: outside } = outOfScope(isTopChanged ? [TOP, ...changes] : changes, scope, widened, forbids);
      const reverted = joined(mark_.reverted, outside);
      const notRestored = undo.length > 0 ? await revert(place, { snapshot: before, reverted }, after.id, undo) : [];
      const told = without(reverted, notRestored);
      const hidden = unjudgedNames(unseen, scope, widened);
      if (hidden.length > 0) {
        await writeMark(place.mark, { snapshot: before, reverted: told });
        throw unseenError(place.tree, hidden, told?.files ?? []);
      }
      const settled = () => rm(place.mark, { force: true });
      const diff = undo.length > 0 ? await diffOf(sessionFiles.diff(before, after.id, false), outside) : "";
      return { reverted: told, diff, before: undo.length > 0 ? after : null, settled };
    },
    marked: async () => {
      const trees = (await readdir(folder).catch(nullIfMissing)) ?? [];
      const marks = await Promise.all(trees.map((id) => marksIn(join(folder, id, MARKS))));
      return marks.flat().map(({ snapshot }) => snapshot);
    },
  };
}

/** Of what was put back, for the person who is asked about it. Without one they are asked all the same. */
async function diffOf(changed: ReturnType<SessionFiles["diff"]>, outside: readonly OutsideFile[]): Promise<string> {
  const offered = new Set(outside.filter(isOffered).map(({ path }) => path));
  const diffs = (await changed.catch(() => [])).filter(({ path }) => offered.has(path)).map(({ diff }) => diff ?? "");
  return cutDiff(diffs.join(""));
}

/** No invalid name, and nothing that the law forbids: that is no question. */
const isOffered = ({ rule }: OutsideFile): boolean => rule !== "path_invalid" && !isLaw(rule);

async function marksIn(folder: string): Promise<readonly Mark[]> {
  const names = (await readdir(folder).catch(nullIfMissing)) ?? [];
  const marks = await Promise.all(names.map((name) => markIn(join(folder, name))));
  return marks.filter((mark) => mark !== null);
}

/** Two lines: the snapshot, and the reverted files. The second line is missing while nothing was reverted. */
async function markIn(path: string): Promise<Mark | null> {
  const text = await readFile(path, "utf8").catch(nullIfMissing);
  if (text === null) return null;
  const [snapshot = "", second] = text.split("\n");
  // Only the daemon writes this file; no session can reach it, so it is not validated.
  return { snapshot, reverted: second === undefined ? null : (JSON.parse(second) as Reverted) };
}

async function writeMark(path: string, { snapshot, reverted }: Mark): Promise<void> {
  const text = reverted === null ? snapshot : `${snapshot}\n${JSON.stringify(reverted)}`;
  await writeFileAtomic(path, Buffer.from(text), { mode: 0o600 });
}

/** Adds the files that an interrupted earlier judgement reverted. */
function joined(earlier: Reverted | null, files: readonly OutsideFile[]): Reverted {
  const known = new Set(earlier?.files.map(({ path }) => path));
  const all = [...(earlier?.files ?? []), ...files.filter(({ path }) => !known.has(path))];
  const { listed, more } = fitting(all, LISTED);
  return { files: listed, more: more + (earlier?.more ?? 0) };
}

/** Null when nothing was put back. */
function without({ files, more }: Reverted, stays: readonly string[]): Reverted | null {
  const kept = new Set(stays);
  const restored = files.filter(({ path }) => !kept.has(path));
  return restored.length + more === 0 ? null : { files: restored, more };
}

/** Only a missing file means "no mark". Any other read error is thrown. */
function nullIfMissing(thrown: unknown): null {
  if (thrown instanceof Error && "code" in thrown && (thrown.code === "ENOENT" || thrown.code === "ENOTDIR"))
    return null;
  throw thrown;
}

/** Adds the reverted files to the turn, and asks whether to allow those paths from now on. */
export function withReverted(
  state: SessionState,
  turnId: string,
  approvalId: string,
  reverted: Reverted | null,
  end: Decision,
  diff = "",
): Decision {
  if (reverted === null) return end;
  // Offer only the paths that the question lists.
  const names = reverted.files.filter(isOffered).map(({ path }) => path);
  const offered = fitting(names, OFFERED).listed;
  const hasRoom = Object.keys(state.approvals).length < LIMITS.pendingApprovalsMax && !isEnded(state);
  const others = reverted.files.length + reverted.more - offered.length;
  const more = others > 0 ? ` (and ${others} more, which stay denied)` : "";
  const question = `Put back because it lies outside of the scope: ${offered.map(shellQuoted).join(", ")}${more}. Allow it from now on?`;
  const action = { verb: WIDEN, resource: offered.join("\n") };
  const [path] = offered;
  const detail = {
    ...(offered.length === 1 && path !== undefined ? { path } : {}),
    ...(diff === "" ? {} : { diff }),
  };
  const plain = { approvalId, turnId, question, options: [], action, effectId: null, checkpoint: null };
  const offer = diff === "" ? plain : { ...plain, detail };
  return together(
    [fact("scope.reverted@1", { turnId, ...reverted })],
    end,
    hasRoom && offered.length > 0 ? [fact("approval.requested@1", offer)] : [],
  );
}

/** Asks whether to allow from now on what the scope refused during the turn; the diff is ready. */
export function withRefused(
  state: SessionState,
  given: { readonly approvalId: string; readonly turnId: string; readonly outside: ReadonlyMap<string, string> },
  end: Decision,
): Decision {
  const { approvalId, turnId, outside } = given;
  const asked = Object.values(state.approvals).flatMap(({ action }) =>
    action?.verb === WIDEN ? action.resource.split("\n") : [],
  );
  const known = new Set([...(state.widened ?? []), ...asked]);
  const offered = fitting([...outside.keys()].filter((path) => !known.has(path)).sort(), OFFERED).listed;
  const hasRoom = Object.keys(state.approvals).length < LIMITS.pendingApprovalsMax && !isEnded(state);
  if ("refused" in end || offered.length === 0 || !hasRoom) return end;
  const question = `Refused because it lies outside of the scope: ${offered.map(shellQuoted).join(", ")}. Allow it from now on?`;
  const diff = cutDiff(offered.map((path) => outside.get(path) ?? "").join(""));
  const [path] = offered;
  const detail = { ...(offered.length === 1 && path !== undefined ? { path } : {}), ...(diff === "" ? {} : { diff }) };
  const action = { verb: WIDEN, resource: offered.join("\n") };
  const offer = { approvalId, turnId, question, options: [], action, effectId: null, checkpoint: null, detail };
  return together(end, [fact("approval.requested@1", offer)]);
}

const isLaw = (rule: string): boolean => rule.startsWith("law:");

const OFFERED = { count: 20, bytes: 16_384 };
const WHY_CHARS = 1500;

/** The error of a turn whose changes could not be judged. */
export function unjudged(thrown: unknown): { readonly code: string; readonly message: string } {
  const { code, message, details } = toNomosError(thrown);
  const why = `${message} ${JSON.stringify(details)}`.slice(0, WHY_CHARS);
  return { code, message: `The turn's changes could not be checked against its scope: ${why}` };
}
