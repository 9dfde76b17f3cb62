import type { Repository } from "../../git/find-repository.ts";
import type { RepositoryView } from "../../git/repository-view.ts";
import type { GitRunner } from "../../git/run-git.ts";
import type { Checkout } from "./checkouts.ts";
import type { RefMove } from "./move-ref.ts";

export type Moved =
  | { readonly moved: true }
  | {
      readonly moved: false;
      /** `tip`: the branch moved meanwhile. `checkout`: the person's files or git are in the way. `hook`: it refused. */
      readonly why: "tip" | "checkout" | "hook";
      readonly words: string;
      readonly paths: readonly string[];
    };

export interface CheckoutMove {
  /** For the person's own git dir; everything else is done in the view. */
  readonly git: GitRunner;
  readonly view: RepositoryView;
  readonly repository: Repository;
  readonly checkout: Checkout;
  readonly ref: Omit<RefMove, "gitDir" | "root">;
  /** Out of any agent's reach; what a crash leaves here tells the next daemon what was done. */
  readonly folder: string;
  /** The landing: names its lock. */
  readonly owner: string;
  readonly filters: readonly string[];
  readonly bytesMax: number;
  /** A few files: what the person changed elsewhere stays as it is, and objects are stored as `git commit` would. */
  readonly isLight?: boolean;
}
