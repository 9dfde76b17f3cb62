export { Findings } from "./findings.tsx";
export { LandDialog } from "./land-dialog.tsx";
export { LandingCard } from "./landing-card.tsx";
export { LandingNotice } from "./landing-notice.tsx";
export { inFrontOf, type Landing, type Line, linesOf } from "./lines.ts";
