import { placesOf } from "./checkouts.ts";
import { type CheckoutMove, type Moved, moveCheckout } from "./move-checkout.ts";
import { moveRef } from "./move-ref.ts";
import { storeObjects } from "./store-objects.ts";

export type BranchMove = Omit<CheckoutMove, "checkout">;

/** Moves a branch of the person's repository to a commit of the view: all of it, or nothing. */
export async function moveBranch(move: BranchMove): Promise<Moved> {
  const { git, view, repository, ref, folder } = move;
  await storeObjects(view, repository, ref, folder);
  const { checkouts, blocked } = await placesOf(repository, ref.branch);
  if (blocked !== null) return { moved: false, why: "checkout", words: blocked, paths: [] };
  const [checkout, second] = checkouts;
  if (second !== undefined)
    return { moved: false, why: "checkout", words: `${ref.branch} is checked out in several places`, paths: [] };
  if (checkout !== undefined) return moveCheckout({ ...move, checkout });
  const moved = await moveRef(git, { ...ref, gitDir: repository.commonDir });
  return moved.moved ? moved : { ...moved, paths: [] };
}
