export { Ansi } from "./ansi/ansi.tsx";
export { Code } from "./code/code.tsx";
export { Diff } from "./diff/diff.tsx";
export { Markdown } from "./markdown/markdown.tsx";
export { linkMarkers, readFingerprintsAgain } from "./marker/own-fingerprints.ts";
export { safeString } from "./safe/safe-runs.ts";
export { SafeText } from "./safe/safe-text.tsx";
