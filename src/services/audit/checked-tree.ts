import { hex } from "../../domains/index.ts";
import { StoreError, type TreeProblem, type TreeReport } from "../../store/index.ts";

export interface CheckedTree {
  readonly ok: boolean;
  readonly size: number;
  readonly root: string;
  readonly problems: readonly (TreeProblem | { readonly problem: string; readonly seq?: number })[];
}

/** A log with a gap has no tree; the gap is reported as the tree's problem. */
export async function checked(check: (repair: boolean) => Promise<TreeReport>, repair = false): Promise<CheckedTree> {
  try {
    const { ok, size, root, problems } = await check(repair);
    return { ok, size, root: hex(root), problems };
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
    const { seq } = cause.details;
    const problem = { problem: cause.code, ...(typeof seq === "number" ? { seq } : {}) };
    return { ok: false, size: 0, root: "", problems: [problem] };
  }
}
