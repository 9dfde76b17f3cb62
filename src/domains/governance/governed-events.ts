import { event } from "../../kernel/index.ts";

/** Where a law lies: in the branch that people work on, or in a branch of its own that is mounted at `.nomos`. */
export type LawMode = "tracked" | "sidecar";

export interface Initialised {
  readonly root: string;
  readonly branch: string;
  readonly mode: LawMode;
  /** Null: the files were only staged. */
  readonly commit: string | null;
  readonly files: readonly string[];
}

export interface LawProblem {
  readonly code: string;
  readonly message: string;
}

/** The law as the branch holds it. */
export interface FoundLaw {
  readonly root: string | null;
  readonly branch: string;
  readonly tip: string;
  readonly lockHash: string | null;
  readonly rulesHash: string | null;
}

/** The branch holds a law, and nothing is allowed under it. */
export interface RefusedLaw {
  readonly root: string | null;
  readonly branch: string;
  readonly problems: readonly LawProblem[];
  /** Problems that are not listed. */
  readonly more: number;
}

export interface ImportedFiles {
  /** Such as `exo`. */
  readonly from: string;
  readonly files: readonly string[];
  /** What has no equal here. */
  readonly leftOut: readonly { readonly what: string; readonly reason: string }[];
}

export const GOVERNED_EVENTS = {
  /** A person was told once that the repository can be governed. */
  "governance.offered@1": event<{ readonly root: string }>({ spaceNeed: "course" }),
  "governance.initialised@1": event<Initialised>({ spaceNeed: "course" }),
  /** Written from a law of another program; people read, build and commit it. */
  "governance.imported@1": event<ImportedFiles>({ spaceNeed: "course" }),
  "governance.upgraded@1": event<{ readonly files: readonly string[]; readonly commit: string | null }>({
    spaceNeed: "course",
  }),
  /** A lock was compiled from the constitution. */
  "governance.built@1": event<{
    readonly lockHash: string;
    readonly previous: string | null;
    readonly rulesHash: string;
  }>({ spaceNeed: "course" }),
  /** The policy was sealed; `seal`: the hash that its signature covers. */
  "governance.composed@1": event<{ readonly seal: string; readonly because: string }>({ spaceNeed: "course" }),
  /** Read from the branch after somebody moved it. */
  "governance.found@1": event<FoundLaw>({ spaceNeed: "course" }),
  /** The branch holds a law that does not hold: nothing is allowed under it. */
  "governance.refused@1": event<RefusedLaw>({ spaceNeed: "course" }),
  "governance.removed@1": event<{
    readonly commit: string | null;
    readonly files: readonly string[];
    readonly refs: readonly string[];
  }>({ spaceNeed: "course" }),
  "governance.collected@1": event<{ readonly files: readonly string[]; readonly refs: readonly string[] }>({
    spaceNeed: "course",
  }),
};
