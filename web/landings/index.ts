export { LandDialog } from "./land-dialog.tsx";
export { LandingNotice } from "./landing-notice.tsx";
