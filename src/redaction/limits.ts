/** A shorter value would be found in ordinary text all the time. */
export const VALUE_MIN_BYTES = 8;
export const VALUE_MAX_BYTES = 65_536;

/** Hex digits of a fingerprint. */
export const FINGERPRINT_DIGITS = 12;

/** Text is looked at in pieces of this size, which stay in the processor's cache. */
export const WINDOW_CHARS = 65_536;

/** A value of the largest size, each byte as `\\u0041`, has to fit into one window. */
export const WINDOW_MAX_CHARS = 1_048_576;

/** What stands before a window decides whether a shape begins there, and which name a value is assigned to. */
export const CONTEXT_CHARS = 96;

/** What two windows of one text have in common: more than the filter needs to see the beginning of a secret. */
export const OVERLAP_BYTES = 256;

/** Below this size a stream looks at all it holds with each chunk; above, when it has grown by an eighth. */
export const HELD_SMALL_CHARS = 2048;

/** Escapes within escapes: JSON in JSON in a URL. */
export const ESCAPE_LEVELS_MAX = 5;

/** White space between two characters of a value: a line break with its indent. */
export const GAP_MAX_BYTES = 256;

/** So much of the beginning of a longer value is replaced as well: text that is cut off, and time that stays linear. */
export const BEGINNING_MIN_BYTES = 256;
