import { toNomosError } from "../contract/index.ts";
import type { TreeMarks } from "../host/index.ts";
import {
  type Decision,
  fact,
  isEnded,
  judgeChange,
  LIMITS,
  type SessionState,
  together,
  WIDEN,
} from "../kernel/index.ts";

/** What a turn changed outside of its session's scope: put back when the turn ends, and told. */
export interface ScopeKeeper {
  readonly begin: (state: SessionState) => Promise<void>;
  /** Null when everything lies within. Throws when it cannot be told: then the turn has failed. */
  readonly end: (state: SessionState) => Promise<Reverted | null>;
}

export interface Reverted {
  readonly files: readonly { readonly path: string; readonly rule: string }[];
  readonly more: number;
}

const LISTED_MAX = 100;
export const NO_SCOPES: ScopeKeeper = { begin: async () => undefined, end: async () => null };

export function createScopeKeeper(
  marks: TreeMarks,
  folder: string,
  sessionState: (id: string) => Promise<SessionState>,
): ScopeKeeper {
  return {
    begin: async (state) => {
      const id = treeOf(folder, state);
      if (id !== null) await marks.set(id);
    },
    end: async (state) => {
      const id = treeOf(folder, state);
      const scope = state.spec?.scope ?? null;
      if (id === null || scope === null) return null;
      // A person may have widened it while the turn ran.
      const { widened = [] } = await sessionState(state.id);
      const judged = (await marks.changed(id)).map((one) => ({ ...one, ...judgeChange(one.path, scope) }));
      const outside = judged.filter(({ path, verdict }) => verdict === "deny" && !widened.includes(path));
      if (outside.length > 0) await marks.putBack(id, outside);
      await marks.drop(id);
      if (outside.length === 0) return null;
      const files = outside.slice(0, LISTED_MAX).map(({ path, rule }) => ({ path, rule }));
      return { files, more: outside.length - files.length };
    },
  };
}

/** The worktree that a session with a scope works in, its own or that of the session that started it. */
function treeOf(folder: string, { spec }: SessionState): string | null {
  if (spec?.scope == null || !spec.cwd.startsWith(`${folder}/`)) return null;
  return spec.cwd.slice(folder.length + 1).split("/")[0] ?? null;
}

/** What was put back is part of the turn; the offer to allow it from now on stays open behind it. */
export function withReverted(
  state: SessionState,
  turnId: string,
  approvalId: string,
  reverted: Reverted | null,
  end: Decision,
): Decision {
  if (reverted === null || "refused" in end || end.length === 0) return end;
  const names = reverted.files.map(({ path }) => path);
  const hasRoom = Object.keys(state.approvals).length < LIMITS.pendingApprovalsMax && !isEnded(state);
  const few = names.slice(0, NAMED_MAX).join(", ");
  const question = `Put back because it lies outside of the scope: ${few}${names.length > NAMED_MAX ? ", ..." : ""}. Allow it from now on?`;
  const action = { verb: WIDEN, resource: names.join("\n") };
  const offer = { approvalId, turnId, question, options: [], action, effectId: null, checkpoint: null };
  return together(
    [fact("scope.reverted@1", { turnId, ...reverted })],
    end,
    hasRoom ? [fact("approval.requested@1", offer)] : [],
  );
}

const NAMED_MAX = 10;

/** Why a turn whose changes could not be judged has failed. */
export function unjudged(thrown: unknown): { readonly code: string; readonly message: string } {
  const { code, message } = toNomosError(thrown);
  return { code, message: `What the turn changed could not be held against its scope: ${message}` };
}
