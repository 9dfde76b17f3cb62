const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)$/;
const DAY_S = 86_400;
/** From 0000-03-01 to 1970-01-01: a year that begins in March ends with its leap day. */
const DAYS_BEFORE_1970 = 719_468;
const DAYS_OF_400_YEARS = 146_097;

/** Null unless it is a time with an offset from UTC. */
export function parseIsoTime(text: string): number | null {
  const ms = ISO.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) || ms < 0 ? null : ms;
}

/** Whole seconds with a numeric offset: Python before 3.11 reads neither `Z` nor milliseconds. */
export function writeIsoTime(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const rest = seconds % DAY_S;
  const clock = [rest / 3600, (rest / 60) % 60, rest % 60].map((part) => two(Math.floor(part))).join(":");
  return `${dateOf(Math.floor(seconds / DAY_S))}T${clock}+00:00`;
}

/** The civil calendar, by Howard Hinnant's algorithm: the language alone has no clock and no Date here. */
function dateOf(days: number): string {
  const shifted = days + DAYS_BEFORE_1970;
  const era = Math.floor(shifted / DAYS_OF_400_YEARS);
  const dayOfEra = shifted - era * DAYS_OF_400_YEARS;
  const leaps = Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leaps) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const month = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * month + 2) / 5) + 1;
  const year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0);
  return `${String(year).padStart(4, "0")}-${two(month < 10 ? month + 3 : month - 9)}-${two(day)}`;
}

const two = (value: number): string => String(value).padStart(2, "0");
