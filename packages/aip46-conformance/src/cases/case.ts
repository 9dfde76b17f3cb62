import type { Bench } from "../bench/bench.ts";
import type { Trial } from "./trial.ts";

/** One of the forty cases. */
export interface Case {
  readonly number: number;
  readonly title: string;
  readonly run: (trial: Trial) => Promise<void>;
  /** Where the server says that it deviates: what it does instead has to hold as well. */
  readonly deviating?: (trial: Trial) => Promise<void>;
  /** What the bench must have; without it the case is not run. */
  readonly needs?: readonly (keyof Bench)[];
}
