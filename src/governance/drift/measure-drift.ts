import { type MeasuredChanges, measureChanges, type WorkLimits } from "../../domains/index.ts";
import { checkoutChanges, type LiveChanges, type RepositoryGit, type Worktrees } from "../../host/index.ts";

/** Work as it is on disk now, measured against its ticket. */
export interface MeasuredDrift extends MeasuredChanges, Omit<LiveChanges, "files"> {}

/** Where a checkout is measured: the branch that the law lies on is at `tip`. */
export interface MeasuredCheckout {
  readonly git: RepositoryGit;
  readonly scratch: string;
  /** A folder of a checkout, or of a linked worktree. */
  readonly root: string;
  readonly tip: string | null;
}

const FILES_MAX = 1_000_000;

/** Needs no daemon. */
export async function measureCheckout(
  { git, scratch, root, tip }: MeasuredCheckout,
  limits: WorkLimits,
): Promise<MeasuredDrift> {
  return measured(await checkoutChanges({ git, scratch, bounds: { filesMax: FILES_MAX } }, root, tip), limits);
}

/** The worktree of a session. */
export async function measureWorktree(
  worktrees: Pick<Worktrees, "live">,
  { id, tip }: { readonly id: string; readonly tip: string | null },
  limits: WorkLimits,
): Promise<MeasuredDrift> {
  return measured(await worktrees.live(id, tip), limits);
}

function measured({ files, ...found }: LiveChanges, limits: WorkLimits): MeasuredDrift {
  return { ...found, ...measureChanges(files, limits) };
}
