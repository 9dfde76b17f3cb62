/** `.nomos/config.yaml` with its defaults filled in. */
export interface LawConfig {
  readonly version: 1;
  /** The branch that holds the law; null: the repository's default branch. */
  readonly branch: string | null;
  /** What a ticket may change that does not say so itself. */
  readonly budgets: { readonly files: number; readonly lines: number };
  /** Commands that every landing has to pass. */
  readonly checks: readonly (readonly string[])[];
  readonly lanes: readonly LaneConfig[];
  /** Tickets worked on at the same time; null: any number. */
  readonly ticketsAtOnceMax: number | null;
  /** `remote`: leases are shared with other clones through it; null: within this clone. */
  readonly leases: { readonly remote: string | null; readonly minutes: number };
  readonly coUpdates: readonly { readonly files: readonly string[]; readonly label: string }[];
  /** Verifier keys whose seal is accepted; empty: any signature that verifies. */
  readonly signers: readonly string[];
}

export interface LaneConfig {
  readonly name: string;
  /** Ticket types, or `*` for every type. */
  readonly types: readonly string[];
  /** Tickets of the lane that may be worked on at the same time. */
  readonly count: number;
}

export const CONFIG_VERSION = 1;

export const DEFAULT_CONFIG: LawConfig = {
  version: CONFIG_VERSION,
  branch: null,
  budgets: { files: 12, lines: 400 },
  checks: [],
  lanes: [],
  ticketsAtOnceMax: null,
  leases: { remote: null, minutes: 120 },
  coUpdates: [],
  signers: [],
};

export interface ConfigProblem {
  readonly level: "error" | "warning";
  /** Such as `budgets.files`; empty: the whole file. */
  readonly key: string;
  readonly message: string;
  /** Written by a newer version of Nomos. */
  readonly isNewer?: boolean;
}
