import type { Config } from "../../contract/index.ts";
import type { Anchor, AnchoredLog } from "./anchor.ts";
import { createGitAnchor } from "./git-anchor.ts";
import { createWitnessAnchor } from "./witness-anchor.ts";

export interface AnchorsOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The file for the last checkpoint that a witness cosigned. */
  readonly keptAt: string;
}

/** The anchors named in the configuration's `anchors`. */
export function configuredAnchors(
  { git, witness }: NonNullable<Config["anchors"]>,
  log: AnchoredLog,
  { environment, keptAt }: AnchorsOptions,
): readonly Anchor[] {
  return [
    ...(git === undefined ? [] : [createGitAnchor({ ...git, environment }, log)]),
    ...(witness === undefined ? [] : [createWitnessAnchor({ ...witness, keptAt }, log)]),
  ];
}
