import { event } from "../../kernel/index.ts";

/** Why a file cannot be merged by itself. */
export type CollisionKind =
  | "content"
  /** Both added it, with different contents. */
  | "add"
  | "binary"
  /** One changed or renamed what the other deleted. */
  | "delete"
  | "rename"
  | "mode"
  /** A file where the other has a folder, or a file where the other has a link. */
  | "type"
  /** Too large to be compared. */
  | "large"
  /** Both write the same file of one folder while their turns run. */
  | "shared"
  /** It merges without a conflict, but its branch changed it too. */
  | "moved";

/** Lines from 1, both inclusive. Where lines were deleted it is the line before. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

/** Lines that collide: in the file of the first party and in that of the second, which may be the branch. */
export interface CollidingLines {
  readonly a: LineRange;
  readonly b: LineRange;
}

export interface CollidedFile {
  readonly path: string;
  readonly kind: CollisionKind;
  /** Absent where there are none to tell. */
  readonly lines?: readonly CollidingLines[];
}

/** The branch that a worktree was made from, as it moved on. */
export interface MovedBranch {
  readonly name: string;
  /** The commit that the session's work is based on. */
  readonly base: string;
  readonly tip: string;
  /** New commits on the branch; null when they were not counted. */
  readonly behind: number | null;
}

export interface Collided {
  readonly files: readonly CollidedFile[];
  /** Files that are not listed. */
  readonly more: number;
}

export type ClearedBecause = "resolved" | "landed" | "ended" | "off";

export const CONFLICT_EVENTS = {
  /** The work of two sessions cannot both be merged. */
  "conflict.found@1": event<
    Collided & { readonly sessions: readonly [string, string]; readonly repository: string | null }
  >({ spaceNeed: "course" }),
  /** The branch that a session's worktree came from has moved. `files`: those that the session changes too. */
  "base.stale@1": event<
    Collided & { readonly sessionId: string; readonly repository: string | null; readonly branch: MovedBranch }
  >({ spaceNeed: "course" }),
  "conflict.changed@1": event<Collided>({ spaceNeed: "course" }),
  "conflict.cleared@1": event<{ readonly because: ClearedBecause }>(),
  /** The agent of this session was told of these files, in this turn. The text is in its stream, as `steerId`. */
  "conflict.told@1": event<{
    readonly sessionId: string;
    readonly turnId: string;
    readonly steerId: string;
    readonly paths: readonly string[];
  }>({ spaceNeed: "course" }),
};
