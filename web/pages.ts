import type { Page } from "./frame/index.ts";

/** The pages, in the order of the menu. The first whose path matches is shown. */
export const PAGES: readonly Page[] = [
  { path: "/ui/now", name: "Now", menu: { key: "n", icon: "now" }, load: () => import("./now/now.tsx") },
  { path: "/ui/start", name: "Start", menu: { key: "c", icon: "start" }, load: () => import("./start/start.tsx") },
  { path: "/ui/files", name: "Files", menu: { key: "f", icon: "files" }, load: () => import("./files/files.tsx") },
  {
    path: "/ui/landings",
    name: "Landings",
    menu: { key: "l", icon: "landings" },
    load: () => import("./landings/landings.tsx"),
  },
  { path: "/ui/radar", name: "Radar", menu: { key: "r", icon: "radar" }, load: () => import("./radar/radar.tsx") },
  {
    path: "/ui/fan-outs",
    name: "Fan-outs",
    menu: { key: "o", icon: "fanOuts" },
    load: () => import("./fan-outs/fan-outs.tsx"),
  },
  { path: "/ui/fan-outs/:id", name: "Fan-out", load: () => import("./fan-outs/fan-out.tsx") },
  { path: "/ui/law", name: "Law", menu: { key: "w", icon: "law" }, load: () => import("./law/law.tsx") },
  {
    path: "/ui/tickets",
    name: "Tickets",
    menu: { key: "k", icon: "tickets" },
    load: () => import("./tickets/tickets.tsx"),
  },
  {
    path: "/ui/overlaps",
    name: "Overlaps",
    menu: { key: "p", icon: "overlaps" },
    load: () => import("./overlaps/overlaps.tsx"),
  },
  { path: "/ui/drift", name: "Drift", menu: { key: "d", icon: "drift" }, load: () => import("./drift/drift.tsx") },
  {
    path: "/ui/evidence",
    name: "Evidence",
    menu: { key: "i", icon: "evidence" },
    load: () => import("./evidence/evidence.tsx"),
  },
  { path: "/ui/blame", name: "Blame", menu: { key: "b", icon: "blame" }, load: () => import("./blame/blame.tsx") },
  { path: "/ui/models", name: "Models", menu: { key: "m", icon: "models" }, load: () => import("./models/models.tsx") },
  { path: "/ui/tools", name: "Tools", menu: { key: "t", icon: "tools" }, load: () => import("./tools/tools.tsx") },
  {
    path: "/ui/secrets",
    name: "Secrets",
    menu: { key: "e", icon: "secrets" },
    load: () => import("./secrets/secrets.tsx"),
  },
  {
    path: "/ui/activity",
    name: "Activity",
    menu: { key: "v", icon: "activity" },
    load: () => import("./activity/activity.tsx"),
  },
  { path: "/ui/audit", name: "Audit", menu: { key: "a", icon: "audit" }, load: () => import("./audit/audit.tsx") },
  { path: "/ui/audit/event/:eventId", name: "Event", load: () => import("./audit/event.tsx") },
  { path: "/ui/session/:id", name: "Session", load: () => import("./session/session.tsx") },
  { path: "/ui/compare/:a/:b", name: "Compare", load: () => import("./compare/compare.tsx") },
  { path: "/ui/system", name: "System", menu: { key: "s", icon: "system" }, load: () => import("./system/system.tsx") },
  { path: "/ui/system/:section", name: "System", load: () => import("./system/system.tsx") },
];
