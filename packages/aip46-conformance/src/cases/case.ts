import type { Bench } from "../bench/bench.ts";
import type { Trial } from "./trial.ts";

/** One of the forty cases. */
export interface Case {
  readonly number: number;
  readonly title: string;
  readonly run: (trial: Trial) => Promise<void>;
  /** For a server that declares a deviation: checks what it does instead. */
  readonly deviating?: (trial: Trial) => Promise<void>;
  /** What the bench must provide; otherwise the case is not run. */
  readonly needs?: readonly (keyof Bench)[];
}
