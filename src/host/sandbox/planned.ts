import type { Identity } from "./own-place.ts";
import type { Access } from "./walls.ts";

/** One mount inside. `from` null: it is made for the sandbox. */
export type Planned =
  | {
      readonly kind: "bind";
      readonly path: string;
      readonly from: string;
      readonly access: Access;
      readonly why: string;
      /** The identity it must have at mount time. Default: not checked. */
      readonly is?: Identity;
    }
  | { readonly kind: "cover"; readonly path: string; readonly of: "directory" | "file"; readonly why: string }
  | { readonly kind: "link"; readonly path: string; readonly to: string; readonly why: string };

/** Everything that a strict sandbox shows, in mount order. `sandbox explain` prints it. */
export interface SandboxPlan {
  readonly system: readonly Planned[];
  /** After /proc, /dev and /tmp are mounted. */
  readonly shown: readonly Planned[];
  /** The folder shown as /etc. */
  readonly etc: string;
  readonly cwd: string;
  readonly temp: string | null;
  readonly home: string | null;
  readonly door: string | null;
}
