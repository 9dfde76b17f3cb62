/** When a limit resets: at a time, in a while, or not said in a way that can be used. */
export interface LimitEnd {
  readonly kind: "at" | "in" | "guess";
  readonly ms: number;
}

/** What a text says about the time of a reset; null when it says nothing. The most exact form counts. */
export function limitEndIn(text: string, nowMs: number): LimitEnd | null {
  return epochIn(text, nowMs) ?? isoIn(text, nowMs) ?? waitIn(text, nowMs) ?? wordsIn(text, nowMs);
}

/** Google counts days in Pacific time. */
export function googleMidnightMs(nowMs: number): number {
  const { year, month, day } = wallAt(nowMs, PACIFIC);
  return msAt({ year, month, day: day + 1, hour: 0, minute: 0, second: 0 }, PACIFIC);
}

/** The first moment of the next month, in UTC. */
export function monthEndMs(nowMs: number): number {
  const { year, month } = wallAt(nowMs, "UTC");
  return Date.UTC(year, month + 1, 1);
}

const PACIFIC = "America/Los_Angeles";
const DAY_MS = 86_400_000;
/** A limit that still holds so soon after its time resets late. */
const LATE_MAX_MS = 900_000;
const LATE_AGAIN_MS = 600_000;

function at(ms: number, nowMs: number): LimitEnd | null {
  if (ms > nowMs) return { kind: "at", ms };
  return nowMs - ms <= LATE_MAX_MS ? { kind: "guess", ms: nowMs + LATE_AGAIN_MS } : null;
}

/** Seconds or milliseconds since 1970. */
function epochIn(text: string, nowMs: number): LimitEnd | null {
  const found = EPOCH.exec(text)?.[1];
  if (found === undefined) return null;
  return at(Number(found) * (found.length > 10 ? 1 : 1000), nowMs);
}

const EPOCH = /(?:limit reached\||resets?[_-]?(?:at|time)?"?\s*[:=]\s*"?)(\d{13}|\d{10})(?!\d)/i;

function isoIn(text: string, nowMs: number): LimitEnd | null {
  const [, day, time, zone = ""] = ISO.exec(text) ?? [];
  if (day === undefined || time === undefined) return null;
  const ms = Date.parse(`${day}T${time}${zone}`);
  return Number.isNaN(ms) ? null : at(ms, nowMs);
}

/** Without a zone it is the machine's time, as `Date.parse` reads it. */
const ISO =
  /(?:reset|try again|retry)[^.\n]{0,30}?(20\d\d-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)\s?(Z|[+-]\d\d:\d\d)?/i;

function waitIn(text: string, nowMs: number): LimitEnd | null {
  const seconds = SECONDS.exec(text)?.[1];
  const duration = WAIT.exec(text)?.[1];
  const waitMs = seconds !== undefined ? Number(seconds) * 1000 : duration === undefined ? 0 : durationMs(duration);
  return waitMs <= 0 || !Number.isFinite(waitMs) ? null : { kind: "in", ms: nowMs + waitMs };
}

const SECONDS =
  /(?:resets?_in_seconds|reset_after_seconds|retry[-_]after)"?\s*[:=]\s*"?(\d{1,9}(?:\.\d{1,9})?)(?![\w.:-])/i;
const NUMBER = "(?:\\d{1,9}(?:\\.\\d{1,9})?|an?)";
const UNIT = "(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)";
const WAIT = new RegExp(
  `(?:(?:try again|retry(?:ing)?|resets?|available again) (?:in|after) |(?:retryDelay|quotaResetDelay)"?\\s*[:=]\\s*")(?:about |less than |~ ?)?((?:${NUMBER} ?${UNIT}(?![a-z])[, ]{0,2}(?:and )?)+)`,
  "i",
);
const PART = new RegExp(`(${NUMBER}) ?(${UNIT})(?![a-z])`, "gi");
const UNITS_MS: { readonly [unit: string]: number } = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: DAY_MS,
  w: 7 * DAY_MS,
};

/** `2 days 3 hours`, `5h12m`, `33.5s`. */
function durationMs(text: string): number {
  return [...text.matchAll(PART)].reduce((sum, [, amount = "", unit = ""]) => {
    const name = unit.toLowerCase();
    const isMillis = name === "ms" || name.startsWith("milli");
    const unitMs = isMillis ? 1 : (UNITS_MS[name.slice(0, 1)] ?? 0);
    return sum + (/^an?$/i.test(amount) ? 1 : Number(amount)) * unitMs;
  }, 0);
}

interface Wall {
  readonly year: number;
  /** From 0. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

interface Groups {
  readonly [name: string]: string | undefined;
}

/** `resets 3pm (Europe/Berlin)`, `try again at Nov 20th, 2026 9:04 AM`, `resets Monday`. */
function wordsIn(text: string, nowMs: number): LimitEnd | null {
  // "Try again later" says nothing; what follows it may.
  const found = [...text.matchAll(WORDS)].find(
    ({ groups }) => groups?.["hour"] ?? groups?.["day"] ?? groups?.["weekday"],
  );
  return found?.groups === undefined ? null : momentOf(found.groups, nowMs);
}

function momentOf(found: Groups, nowMs: number): LimitEnd | null {
  const zone = knownZone(found["zone"]);
  const now = wallAt(nowMs, zone);
  const clock = clockOf(found);
  const month = MONTHS.indexOf((found["month"] ?? "").toLowerCase());
  if (month >= 0) return onDate(found, { month, ...(clock ?? MIDNIGHT) }, now, zone, nowMs);
  const weekday = WEEKDAYS.indexOf((found["weekday"] ?? "").toLowerCase());
  if (weekday >= 0) return onWeekday(weekday, { ...now, ...(clock ?? MIDNIGHT) }, zone, nowMs);
  if (clock === null) return null;
  const today = { ...now, ...clock };
  // A time of day that has passed means tomorrow, unless it has only just passed.
  return at(msAt(today, zone), nowMs) ?? at(msAt({ ...today, day: today.day + 1 }, zone), nowMs);
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const MIDNIGHT = { hour: 0, minute: 0, second: 0 };
const WORDS = new RegExp(
  [
    "\\b(?:resets?|try again|retry|available again)(?: (?:at|on|after))?:? ",
    `(?:(?<weekday>${WEEKDAYS.join("|")})(?:day|sday|nesday|rsday|urday)?\\b,? ?)?`,
    `(?:(?<month>${MONTHS.join("|")})[a-z]{0,6}\\.? (?<day>\\d{1,2})(?:st|nd|rd|th)?(?:,? (?<year>20\\d\\d))?(?:,? |\\b))?`,
    "(?:(?:at )?(?<hour>\\d{1,2})(?::(?<minute>\\d\\d)(?::(?<second>\\d\\d))?)? ?(?<half>[ap]\\.?m\\b)?)?",
    "\\.? ?(?:\\(?(?<zone>[A-Z][A-Za-z_]{1,30}(?:\\/[\\w+-]{1,40}){1,2}|UTC|GMT)\\)?)?",
  ].join(""),
  "gi",
);

/** Null for a bare number: `resets 3` says no time. */
function clockOf(found: Groups) {
  const { hour, minute, second = "0", half } = found;
  if (hour === undefined || (minute === undefined && half === undefined)) return null;
  const twelve = half === undefined ? Number(hour) : (Number(hour) % 12) + (/^p/i.test(half) ? 12 : 0);
  if (twelve > 23 || Number(minute ?? "0") > 59) return null;
  return { hour: twelve, minute: Number(minute ?? "0"), second: Number(second) };
}

function onDate(
  found: Groups,
  given: Omit<Wall, "year" | "day">,
  now: Wall,
  zone: string,
  nowMs: number,
): LimitEnd | null {
  const wall = { ...given, day: Number(found["day"]), year: Number(found["year"] ?? now.year) };
  const ms = msAt(wall, zone);
  const isNextYear = found["year"] === undefined && nowMs - ms > HALF_YEAR_MS;
  return at(isNextYear ? msAt({ ...wall, year: wall.year + 1 }, zone) : ms, nowMs);
}

const HALF_YEAR_MS = 182 * DAY_MS;

function onWeekday(weekday: number, wall: Wall, zone: string, nowMs: number): LimitEnd | null {
  const today = new Date(Date.UTC(wall.year, wall.month, wall.day)).getUTCDay();
  const day = wall.day + ((weekday - today + 7) % 7);
  return at(msAt({ ...wall, day }, zone), nowMs) ?? at(msAt({ ...wall, day: day + 7 }, zone), nowMs);
}

/** The machine's zone when none, or an unknown one, was named. */
function knownZone(named: string | undefined): string {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: named }).resolvedOptions().timeZone;
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    return new Intl.DateTimeFormat("en").resolvedOptions().timeZone;
  }
}

function wallAt(ms: number, zone: string): Wall {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return { year, month: month - 1, day, hour, minute, second };
}

/** Twice, because the zone's offset may differ between the first estimate and the result. */
function msAt(wall: Wall, zone: string): number {
  const asUtc = Date.UTC(wall.year, wall.month, wall.day, wall.hour, wall.minute, wall.second);
  const estimate = asUtc - offsetMs(asUtc, zone);
  return asUtc - offsetMs(estimate, zone);
}

function offsetMs(ms: number, zone: string): number {
  const { year, month, day, hour, minute, second } = wallAt(ms, zone);
  return Date.UTC(year, month, day, hour, minute, second) - Math.floor(ms / 1000) * 1000;
}
