import { WORKTREE_DEFAULTS } from "../../contract/index.ts";
import type { ConfigService } from "./settings.ts";

export interface WorktreeSettings {
  readonly carry: { readonly patterns: readonly string[]; readonly bytesMax: number };
  readonly bounds: { readonly filesMax: number; readonly bytesMax: number };
  readonly alternates: boolean;
}

/** The configuration's `worktree`, with defaults for what it leaves out. */
export function worktreeSettings(config: Pick<ConfigService, "show">): WorktreeSettings {
  const given = config.show().worktree ?? {};
  const { filesMax = WORKTREE_DEFAULTS.filesMax, bytesMax = WORKTREE_DEFAULTS.bytesMax } = given;
  const { carry = WORKTREE_DEFAULTS.carry, carryBytesMax = WORKTREE_DEFAULTS.carryBytesMax } = given;
  return {
    carry: { patterns: carry, bytesMax: carryBytesMax },
    bounds: { filesMax, bytesMax },
    alternates: given.alternates ?? WORKTREE_DEFAULTS.alternates,
  };
}
