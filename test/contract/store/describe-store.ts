import { describe } from "vitest";
import type { Store } from "../../../src/store/index.ts";
import { describeAppend } from "./append-contract.ts";
import { describeBlobs } from "./blob-contract.ts";
import { describeBundles } from "./bundle-contract.ts";
import { describeCursors } from "./cursor-contract.ts";
import { describeErasure } from "./erasure-contract.ts";
import { describeFolds } from "./fold-contract.ts";
import { describeKeeping } from "./keep-contract.ts";
import { describeLife } from "./life-contract.ts";
import { describeLists } from "./list-contract.ts";
import { describeLookups } from "./lookup-contract.ts";
import { describeModel } from "./model-contract.ts";
import { describeReads } from "./read-contract.ts";
import { describeTail } from "./tail-contract.ts";
import { describeUsage } from "./usage-contract.ts";

/** A store with its own log, and what a test needs beside the port. */
export interface OpenedStore extends AsyncDisposable {
  /** The store that is open now. */
  readonly store: Store;
  /**
   * Closes it and opens the same log again, from then on with another module of aggregates, or with the product's for
   * null.
   */
  readonly reopen: (definitions?: string | null) => Promise<Store>;
  /** Every place where these bytes can still be found. */
  readonly tracesOf: (bytes: string) => Promise<readonly string[]>;
  /** Changes one byte of a stored blob. */
  readonly damageBlob: (sha256: string) => Promise<void>;
  /** Changes the closed database directly, and opens it again. */
  readonly tamper: (...statements: readonly string[]) => Promise<Store>;
  /** Lists that are not marked as filled. */
  readonly unfilled: () => Promise<readonly string[]>;
  /** Turns it into a log of an earlier version. */
  readonly downgrade: (version: 1 | 2 | 3 | 4) => readonly string[];
}

/** With the product's aggregates unless another module is named. */
export type OpenStore = (definitions?: string) => Promise<OpenedStore>;

/** The contract of every store. */
export function describeStore(name: string, open: OpenStore): void {
  describe(name, () => {
    describeAppend(open);
    describeReads(open);
    describeTail(open);
    describeBlobs(open);
    describeFolds(open);
    describeErasure(open);
    describeLookups(open);
    describeLists(open);
    describeLife(open);
    describeBundles(open);
    describeUsage(open);
    describeKeeping(open);
    describeCursors(open);
    describeModel(open);
  });
}
