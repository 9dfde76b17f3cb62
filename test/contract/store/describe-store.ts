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

/** A store with a log of its own, and what a test needs to know of it beside the port. */
export interface OpenedStore extends AsyncDisposable {
  /** The one that is open now. */
  readonly store: Store;
  /** Ends it and opens the same log again; with a module of other aggregates, or null for the house's, from then on. */
  readonly reopen: (definitions?: string | null) => Promise<Store>;
  /** Everywhere these bytes can still be found. */
  readonly tracesOf: (bytes: string) => Promise<readonly string[]>;
  /** Changes one byte of a blob where it is kept. */
  readonly damageBlob: (sha256: string) => Promise<void>;
  /** Says something to the database behind the store's back, while it is closed, and opens it again. */
  readonly tamper: (...statements: readonly string[]) => Promise<Store>;
  /** Lists that are not said to hold all that the log says. */
  readonly unfilled: () => Promise<readonly string[]>;
  /** What makes it a log of an earlier version. */
  readonly downgrade: (version: 1 | 2 | 3) => readonly string[];
}

/** With the house's aggregates, when no other module is named. */
export type OpenStore = (definitions?: string) => Promise<OpenedStore>;

/** What every store has to keep, whatever it is made of. */
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
