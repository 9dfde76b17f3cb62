import type { Identity } from "./own-place.ts";
import type { Access } from "./walls.ts";

/** One thing that is seen inside. `from` null: it is made for the sandbox. */
export type Planned =
  | {
      readonly kind: "bind";
      readonly path: string;
      readonly from: string;
      readonly access: Access;
      readonly why: string;
      /** What it was when it was looked at; default: whatever lies there. */
      readonly is?: Identity;
    }
  | { readonly kind: "cover"; readonly path: string; readonly of: "directory" | "file"; readonly why: string }
  | { readonly kind: "link"; readonly path: string; readonly to: string; readonly why: string };

/** All that a strict sandbox shows, in the order in which it is put up. Also what `sandbox explain` tells. */
export interface SandboxPlan {
  readonly system: readonly Planned[];
  /** After /proc, /dev and /tmp are in place. */
  readonly shown: readonly Planned[];
  /** What is shown as /etc. */
  readonly etc: string;
  readonly cwd: string;
  readonly temp: string | null;
  readonly home: string | null;
  readonly door: string | null;
}
