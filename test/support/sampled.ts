/** `NOMOS_TEST_WHOLE=1`, as `npm run soak -- whole` sets it: everything that a normal run samples is run whole. */
const IS_WHOLE = process.env["NOMOS_TEST_WHOLE"] === "1";

/** The whole of it, or the few that a normal run can afford and that still find a broken promise. */
export function sampled<T>(whole: T, few: T): T {
  return IS_WHOLE ? whole : few;
}
