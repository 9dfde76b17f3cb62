import { z } from "zod";

/** A week: a longer wait is a mistake of the endpoint's clock. */
const WAIT_MS_MAX = 7 * 24 * 3_600_000;

export type ReadHeader = (name: string) => string | null;

/** How long the provider asks to wait, from the most to the least exact place; null when it does not say. */
export function retryAfterMs(header: ReadHeader, body: unknown, message: string, nowMs: number): number | null {
  const asked =
    number(header("retry-after-ms")) ??
    ofRetryAfter(header("retry-after"), nowMs) ??
    ofRetryInfo(body) ??
    ofFields(body, nowMs) ??
    ofResetHeaders(header, nowMs) ??
    ofMessage(message, nowMs);
  return asked === null ? null : Math.min(WAIT_MS_MAX, Math.max(0, Math.ceil(asked)));
}

/** Seconds or an HTTP date. */
function ofRetryAfter(value: string | null, nowMs: number): number | null {
  if (value === null || value.trim() === "") return null;
  const seconds = number(value);
  return seconds === null ? untilDate(value, nowMs) : seconds * 1000;
}

const RetryInfo = z.looseObject({ "@type": z.string(), retryDelay: z.string() });
const Details = z.looseObject({ error: z.looseObject({ details: z.array(z.unknown()) }) });
const BareDetails = z.looseObject({ details: z.array(z.unknown()) });

/** Google: `details: [{ "@type": "...RetryInfo", retryDelay: "34.07s" }]`. */
function ofRetryInfo(body: unknown): number | null {
  const first: unknown = Array.isArray(body) ? body[0] : body;
  const details = Details.safeParse(first).data?.error.details ?? BareDetails.safeParse(first).data?.details ?? [];
  for (const detail of details) {
    const info = RetryInfo.safeParse(detail).data;
    if (info?.["@type"].endsWith("RetryInfo") === true) return duration(info.retryDelay);
  }
  return null;
}

const Word = z.union([z.number(), z.string()]).optional().catch(undefined);
const Fields = z.looseObject({
  retry_after_ms: Word,
  retry_after: Word,
  resets_in_seconds: Word,
  resets_at: Word,
  metadata: z
    .looseObject({ headers: z.record(z.string(), z.string()).optional().catch(undefined) })
    .optional()
    .catch(undefined),
});
const Wrapped = z.looseObject({ error: Fields });

/** Plans with a usage limit say in the body when it resets. OpenRouter puts the provider's headers there. */
function ofFields(body: unknown, nowMs: number): number | null {
  const fields = Wrapped.safeParse(body).data?.error ?? Fields.safeParse(body).data;
  if (fields === undefined) return null;
  const { retry_after_ms, retry_after, resets_in_seconds, resets_at, metadata } = fields;
  const inside = new Map(Object.entries(metadata?.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  const header: ReadHeader = (name) => inside.get(name) ?? null;
  return (
    number(textOf(retry_after_ms)) ??
    ofRetryAfter(textOf(retry_after ?? resets_in_seconds), nowMs) ??
    ofMoment(textOf(resets_at), nowMs) ??
    ofRetryAfter(header("retry-after"), nowMs) ??
    ofResetHeaders(header, nowMs)
  );
}

function textOf(word: string | number | undefined): string | null {
  return word === undefined ? null : String(word);
}

function ofMoment(value: string | null, nowMs: number): number | null {
  return value === null ? null : (ofEpoch(number(value), nowMs) ?? untilDate(value, nowMs));
}

/** Limits of requests and of tokens have a reset each: the ones that are used up count, and the latest of them. */
function ofResetHeaders(header: ReadHeader, nowMs: number): number | null {
  const waits = LIMITS.flatMap(({ remaining, reset }) => {
    const value = header(reset);
    const left = number(header(remaining));
    if (value === null || (left !== null && left > 0)) return [];
    const wait = duration(value) ?? ofMoment(value, nowMs);
    return wait === null ? [] : [wait];
  });
  return waits.length === 0 ? null : Math.max(...waits);
}

const LIMITS = [
  ...["requests", "tokens", "input-tokens", "output-tokens"].map((what) => ({
    remaining: `anthropic-ratelimit-${what}-remaining`,
    reset: `anthropic-ratelimit-${what}-reset`,
  })),
  ...["-requests", "-tokens", ""].map((what) => ({
    remaining: `x-ratelimit-remaining${what}`,
    reset: `x-ratelimit-reset${what}`,
  })),
];

/** OpenRouter gives milliseconds, others seconds since 1970, some the seconds to wait. */
function ofEpoch(value: number | null, nowMs: number): number | null {
  if (value === null) return null;
  if (value > 1e12) return value - nowMs;
  return value > 1e9 ? value * 1000 - nowMs : value * 1000;
}

/** "Please try again in 1m12.5s.", "Your limit resets at 2026-11-20T00:00:00Z." */
function ofMessage(message: string, nowMs: number): number | null {
  const [, wait] =
    /(?:try again|retry|resets?)(?: after| in)\s+((?:\d+(?:\.\d+)?\s*(?:ms|s|m|h|d)[a-z]*\s*)+)/i.exec(message) ?? [];
  if (wait !== undefined) return duration(wait);
  const [, moment] =
    /(?:try again|retry|resets?)[^.\d]{0,20}(20\d\d-\d\d-\d\dT[\d:.]{5,18}(?:Z|[+-]\d\d:\d\d))/i.exec(message) ?? [];
  return moment === undefined ? null : untilDate(moment, nowMs);
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `6m0s`, `120ms`, `34.07s`, `1h2m`, `20 seconds`. */
function duration(value: string): number | null {
  const compact = value
    .trim()
    .replaceAll(/\s+/g, "")
    .replace(/(day|hour|minute|second)s?/gi, (word) => word[0] ?? "");
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/i.test(compact)) return null;
  return [...compact.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/gi)]
    .map(([, amount = "0", unit = "s"]) => Number(amount) * (UNIT_MS[unit.toLowerCase()] ?? 0))
    .reduce((sum, ms) => sum + ms, 0);
}

function untilDate(value: string, nowMs: number): number | null {
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : at - nowMs;
}

function number(value: string | null): number | null {
  return value !== null && /^\s*\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : null;
}
