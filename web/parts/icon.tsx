/** Drawn on 24 x 24, in lines of the text's colour. */
const PATHS = {
  nomos: "M5 20V5l14 14V4",
  now: "M4 6h16M4 12h10M4 18h13",
  start: "M12 5v14M5 12h14",
  files: "M6 3h8l4 4v14H6zM14 3v4h4",
  landings: "M12 3v11M7 9.500l5 5 5-5M4 20h16",
  fanOuts: "M12 4v5M12 9L5 15v5M12 9v11M12 9l7 6v5",
  blame: "M4 6h6M4 12h6M4 18h6M14 6h6M14 12h6M14 18h6M10 4v16",
  radar: "M12 3a9 9 0 1 0 9 9M12 7a5 5 0 1 0 5 5M12 12l7-7M12 11.500v1M11.500 12h1",
  activity: "M3 12h4l3-8 4 16 3-8h4",
  audit: "M12 3l8 3v6c0 5-3.5 8-8 9-4.5-1-8-4-8-9V6zM9 12l2 2 4-4",
  law: "M12 4v16M7 20h10M5 7h14M5 7l-3 7h6zM19 7l-3 7h6z",
  tickets: "M4 6h16v4a2 2 0 0 0 0 4v4H4v-4a2 2 0 0 0 0-4zM14 6v12",
  overlaps: "M9 6a6 6 0 1 0 .01 0zM15 6a6 6 0 1 0 .01 0z",
  drift: "M3 17c4 0 5-10 9-10s4 6 9 6M3 21h18",
  evidence: "M6 3h9l4 4v14H6zM9 13l2 2 4-4M15 3v4h4",
  system: "M4 5h16v10H4zM9 20h6M12 15v5",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l5 5",
  close: "M6 6l12 12M18 6L6 18",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M5 19l2-2M17 7l2-2",
  moon: "M20 14A8 8 0 0 1 10 4a8 8 0 1 0 10 10z",
  contrast: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 3v18",
  keyboard: "M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M8 14h8",
  copy: "M8 8h12v12H8zM4 16V4h12",
  check: "M4 12l6 6L20 6",
  stop: "M6 6h12v12H6z",
  play: "M7 4l12 8-12 8z",
  fork: "M6 4v6a4 4 0 0 0 4 4h4a4 4 0 0 0 4-4V4M12 14v6",
  back: "M4 12a8 8 0 1 1 3 6M4 12V6M4 12h6",
  more: "M4.5 12h1M11.5 12h1M18.5 12h1M5 11.5v1M12 11.5v1M19 11.5v1",
  down: "M6 9l6 6 6-6",
  right: "M9 6l6 6-6 6",
  bell: "M6 16V11a6 6 0 0 1 12 0v5l2 2H4zM10 21h4",
  attach: "M8 12l6-6a3 3 0 0 1 4 4l-8 8a5 5 0 0 1-7-7l7-7",
  clock: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3.500 2",
  models: "M7 7h10v10H7zM10 3v4M14 3v4M10 17v4M14 17v4M3 10h4M3 14h4M17 10h4M17 14h4",
  tools: "M14 6a4 4 0 0 1 5 5l-8 8-4-4 8-8M7 15l-3 3 2 2 3-3M14 6l-2-3",
  secrets: "M8 10a5 5 0 1 0 .01 0zM11.500 11.500L20 3M16 7l3 3",
  phone: "M8 2h8v20H8zM11 19h2",
  cost: "M12 3v18M16 7c-1-1.500-2.500-2-4-2-2.500 0-4 1.300-4 3.200C8 13 16 11 16 15.500 16 17.700 14.300 19 12 19c-1.800 0-3.400-.6-4.300-2.200",
  warning: "M12 3l10 18H2zM12 10v5M12 18h.01",
  tree: "M6 4v16M6 8h8v4M14 12h4M6 16h8",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
