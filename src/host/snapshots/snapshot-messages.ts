import type { DiffOptions, FileDiff } from "./diff/file-diffs.ts";
import type { Swept } from "./packs/sweep.ts";
import type { SnapshotErrorCode } from "./snapshot-error.ts";
import type { ChangeList, ChangeTime, SnapshotsChecked, Taken } from "./snapshot-store.ts";
import type { Restored, RestoreLimits, TreeSpec } from "./tree-spec.ts";

/** Calls to the thread, and their answers. */
export interface Calls {
  readonly take: { readonly ask: { readonly tree: TreeSpec }; readonly answer: Taken };
  readonly restore: {
    readonly ask: {
      readonly tree: TreeSpec;
      readonly to: string;
      readonly bwrapPath: string;
      readonly limits: RestoreLimits;
    };
    readonly answer: Restored;
  };
  readonly grow: {
    readonly ask: Calls["restore"]["ask"];
    readonly answer: Restored;
  };
  readonly changes: {
    readonly ask: { readonly from: string | null; readonly to: string; readonly max: number };
    readonly answer: ChangeList;
  };
  readonly times: {
    readonly ask: { readonly tree: TreeSpec; readonly from: string; readonly to: string; readonly max: number };
    readonly answer: readonly ChangeTime[];
  };
  readonly read: {
    readonly ask: { readonly of: string; readonly names: readonly string[]; readonly bytesMax: number };
    readonly answer: readonly (Uint8Array | null)[];
  };
  readonly diff: {
    readonly ask: { readonly from: string | null; readonly to: string; readonly options: DiffOptions };
    readonly answer: readonly FileDiff[];
  };
  readonly sweep: {
    readonly ask: { readonly ids: readonly string[]; readonly dryRun: boolean };
    readonly answer: Swept;
  };
  readonly check: { readonly ask: { readonly ids: readonly string[] }; readonly answer: SnapshotsChecked };
  readonly status: {
    readonly ask: Record<string, never>;
    readonly answer: { readonly bytes: number; readonly packs: number; readonly damaged: readonly string[] };
  };
  readonly close: { readonly ask: Record<string, never>; readonly answer: null };
}

export type Call = {
  [K in keyof Calls]: { readonly n: number; readonly call: K; readonly ask: Calls[K]["ask"] };
}[keyof Calls];

/** How far a call is; at most a few a second. */
export interface Underway {
  readonly n: number;
  readonly done: number;
  readonly of: number | null;
}

export type Reply =
  | { readonly n: number; readonly ok: true; readonly answer: Calls[keyof Calls]["answer"] }
  | {
      readonly n: number;
      readonly ok: false;
      /** Null for a bug. */
      readonly code: SnapshotErrorCode | null;
      readonly message: string;
      readonly details: Readonly<Record<string, string | number | readonly string[]>>;
    };
