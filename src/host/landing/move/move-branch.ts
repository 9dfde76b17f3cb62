import { errno } from "../../errno.ts";
import type { CheckoutMove, Moved } from "./checkout-move.ts";
import { placesOf } from "./checkouts.ts";
import { inTheWay } from "./look-at-checkout.ts";
import { moveCheckout } from "./move-checkout.ts";
import { holdRef } from "./move-ref.ts";
import { releaseObjects, storeWork } from "./store-objects.ts";

export type BranchMove = Omit<CheckoutMove, "checkout">;

/** Moves a branch of the person's repository to a commit of the view: all of it, or nothing. */
export async function moveBranch(move: BranchMove): Promise<Moved> {
  const { git, repository, ref, folder } = move;
  try {
    const { checkouts, blocked } = await placesOf(git, repository, ref.branch);
    if (blocked !== null) return inTheWay(blocked);
    const [checkout, second] = checkouts;
    if (second !== undefined) return inTheWay(`${ref.branch} is checked out in several places`);
    return checkout === undefined ? await moveAlone(move) : await moveCheckout({ ...move, checkout });
  } catch (thrown) {
    if (!["EACCES", "EPERM", "EROFS"].includes(errno(thrown) ?? "")) throw thrown;
    return inTheWay(`${repository.commonDir} may not be written`);
  } finally {
    await releaseObjects(folder);
  }
}

/** A branch that no checkout shows. */
async function moveAlone(move: BranchMove): Promise<Moved> {
  const { git, repository, ref } = move;
  await storeWork(move);
  const held = await holdRef(git, { ...ref, gitDir: repository.commonDir, root: repository.root });
  if (!("commit" in held)) return { ...held, paths: [] };
  const { checkouts, blocked } = await placesOf(git, repository, ref.branch);
  if (blocked !== null || checkouts.length > 0) {
    await held.abort();
    return inTheWay(blocked ?? `${ref.branch} was checked out at this moment`);
  }
  const moved = await held.commit();
  return moved.moved ? moved : { ...moved, paths: [] };
}
