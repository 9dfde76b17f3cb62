export { askAnchors } from "./anchoring/ask-anchors.ts";
export { configuredAnchors } from "./anchoring/configured-anchors.ts";
export { type AnchorStatus, keepAnchored } from "./anchoring/keep-anchored.ts";
