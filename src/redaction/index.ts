export { findMarkers, type Marker } from "./markers.ts";
export type { RedactedStream } from "./redact-stream.ts";
export { createRedactor, type Finding, type KnownValue, type LearningRedactor, type Redactor } from "./redactor.ts";
export type { Unread } from "./unread.ts";
