import type { Bench } from "./bench.ts";
import type { Trial } from "./trial.ts";

/** One of the forty. `lines` are the lines of the checklist in docs/reference/aip46.md that it looks at. */
export interface Case {
  readonly number: number;
  readonly title: string;
  readonly run: (trial: Trial) => Promise<void>;
  /** Where the server says that it deviates: what it does instead has to hold as well. */
  readonly deviating?: (trial: Trial) => Promise<void>;
  /** What the bench must have; without it the case is not run. */
  readonly needs?: readonly (keyof Bench)[];
}
