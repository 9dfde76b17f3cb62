export type { Anchor } from "./anchoring/anchor.ts";
export { createGitAnchor } from "./anchoring/git-anchor.ts";
export { type AnchorStatus, keepAnchored } from "./anchoring/keep-anchored.ts";
export { createWitnessAnchor } from "./anchoring/witness-anchor.ts";
