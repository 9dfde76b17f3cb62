import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { NomosError, toNomosError } from "../contract/index.ts";
import { shellQuoted, writeFileAtomic } from "../host/index.ts";
import { type Decision, fact, isEnded, LIMITS, type SessionState, together, WIDEN } from "../kernel/index.ts";
import { beyondJudging, TOP, unseenError } from "./beyond-judging.ts";
import { createLine } from "./line.ts";
import { outOfScope } from "./out-of-scope.ts";
import type { Worlds } from "./worlds.ts";

/**
 * What a turn changed outside of its session's scope: put back when the turn ends, and told. A mark says what the tree was
 * like when the turn began. It stays until the turn is judged, also over a crash.
 */
export interface ScopeKeeper {
  /** Sets a mark, unless one is set. Throws when the turn could not be judged: then it must not run. */
  readonly begin: (state: SessionState) => Promise<void>;
  /** Null when everything lies within. Throws when it cannot be told: then the turn has failed. */
  readonly end: (state: SessionState) => Promise<Reverted | null>;
  /** The snapshots that marks stand for. */
  readonly marked: () => Promise<readonly string[]>;
}

export interface Reverted {
  readonly files: readonly { readonly path: string; readonly rule: string }[];
  readonly more: number;
}

const LISTED_MAX = 100;
const CHANGES_MAX = 1_000_000;
const MARKS = "marks";
export const NO_SCOPES: ScopeKeeper = { begin: async () => undefined, end: async () => null, marked: async () => [] };

export function createScopeKeeper(deps: {
  readonly worlds: Pick<Worlds, "keep" | "changes" | "putBack" | "requireRestore">;
  /** Where worktrees lie. */
  readonly folder: string;
  readonly sessionState: (id: string) => Promise<SessionState>;
}): ScopeKeeper {
  const { worlds, folder, sessionState } = deps;

  /** The worktree that a session with a scope works in, its own or that of the session that started it. */
  const placeOf = ({ id, spec }: SessionState) => {
    if (spec?.scope == null || !spec.cwd.startsWith(`${folder}/`)) return null;
    const owner = spec.cwd.slice(folder.length + 1).split("/")[0] ?? "";
    return { owner, tree: join(folder, owner, "tree"), mark: join(folder, owner, MARKS, id) };
  };

  /** One after another in each tree: the second finds the first one's mark. */
  const inLine = createLine();
  const mark = async (place: { readonly tree: string; readonly mark: string }): Promise<void> => {
    await mkdir(dirname(place.mark), { recursive: true, mode: 0o700 });
    // What another session is at in the same tree is not judged yet, and is no beginning for anybody.
    const before = (await marksIn(dirname(place.mark)))[0] ?? (await worlds.keep(place.tree)).id;
    await writeFileAtomic(place.mark, Buffer.from(before), { mode: 0o600 });
  };

  return {
    begin: async (state) => {
      const place = placeOf(state);
      if (place === null || (await markIn(place.mark)) !== null) return;
      worlds.requireRestore();
      await inLine(place.tree, () => mark(place));
    },
    end: async (state) => {
      const place = placeOf(state);
      const scope = state.spec?.scope ?? null;
      const before = place === null ? null : await markIn(place.mark);
      if (place === null || before === null || scope === null) return null;
      const after = await worlds.keep(place.tree);
      const { changes, more, unseen, isTopChanged } = await worlds.changes(before, after.id, CHANGES_MAX);
      if (more) throw new NomosError("tree_too_large", { root: place.tree, changes: CHANGES_MAX });
      // A person may have widened it while the turn ran, or that of the session whose tree it is.
      const sharing = await Promise.all([state.id, place.owner].map((id) => sessionState(id).catch(() => state)));
      const widened = sharing.flatMap((one) => one.widened ?? []);
      const { undo, told: outside } = outOfScope(isTopChanged ? [TOP, ...changes] : changes, scope, widened);
      const { notRestored } = undo.length > 0 ? await worlds.putBack(place.tree, before, undo) : { notRestored: [] };
      const stays = new Set(notRestored);
      const told = outside.filter(({ path }) => !stays.has(path));
      const hidden = beyondJudging(unseen, scope, widened);
      if (hidden.length > 0) throw unseenError(place.tree, hidden, told);
      await rm(place.mark, { force: true });
      if (told.length === 0) return null;
      return { files: told.slice(0, LISTED_MAX), more: Math.max(0, told.length - LISTED_MAX) };
    },
    marked: async () => {
      const trees = await readdir(folder).catch(orNone);
      return (await Promise.all(trees.map((id) => marksIn(join(folder, id, MARKS))))).flat();
    },
  };
}

async function marksIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(orNone);
  const marks = await Promise.all(names.map((name) => markIn(join(folder, name))));
  return marks.filter((mark) => mark !== null);
}

async function markIn(path: string): Promise<string | null> {
  return readFile(path, "utf8").catch((thrown: unknown) => orNone(thrown)[0] ?? null);
}

/** A mark that cannot be read is not one that is not there. */
function orNone(thrown: unknown): never[] {
  if (thrown instanceof Error && "code" in thrown && (thrown.code === "ENOENT" || thrown.code === "ENOTDIR")) return [];
  throw thrown;
}

/** What was put back is part of the turn; the offer to allow it from now on stays open behind it. */
export function withReverted(
  state: SessionState,
  turnId: string,
  approvalId: string,
  reverted: Reverted | null,
  end: Decision,
): Decision {
  if (reverted === null || "refused" in end) return end;
  // What is offered is what the question names, and only what can be named.
  const names = reverted.files.filter(({ rule }) => rule !== "path_invalid").map(({ path }) => path);
  const offered = names.slice(0, NAMED_MAX);
  const hasRoom = Object.keys(state.approvals).length < LIMITS.pendingApprovalsMax && !isEnded(state);
  const others = reverted.files.length + reverted.more - offered.length;
  const more = others > 0 ? ` (and ${others} more, which stay denied)` : "";
  const question = `Put back because it lies outside of the scope: ${offered.map(shellQuoted).join(", ")}${more}. Allow it from now on?`;
  const action = { verb: WIDEN, resource: offered.join("\n") };
  const offer = { approvalId, turnId, question, options: [], action, effectId: null, checkpoint: null };
  return together(
    [fact("scope.reverted@1", { turnId, ...reverted })],
    end,
    hasRoom && offered.length > 0 ? [fact("approval.requested@1", offer)] : [],
  );
}

const NAMED_MAX = 20;
const WHY_CHARS = 1500;

/** Why a turn whose changes could not be judged has failed. */
export function unjudged(thrown: unknown): { readonly code: string; readonly message: string } {
  const { code, message, details } = toNomosError(thrown);
  const why = `${message} ${JSON.stringify(details)}`.slice(0, WHY_CHARS);
  return { code, message: `What the turn changed could not be held against its scope: ${why}` };
}
