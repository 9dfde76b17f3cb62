import { googleMidnightMs, type LimitEnd, limitEndIn, monthEndMs } from "./limit-end.ts";

/** A vendor refuses until its limit resets. */
export interface UsageLimit {
  readonly untilMs: number;
  /** The agent's words; says so when the time is a guess. */
  readonly reason: string;
}

/** Reads the text of an error. Never give it what a model said: an agent that talks about limits has not met one. */
export function usageLimitIn(text: string, nowMs: number): UsageLimit | null {
  const said = plain(text);
  const isLimit = LIMITS.test(said);
  if (NO_LIMIT.test(said) || !(isLimit || THROTTLED.test(said))) return null;
  const until = (end: LimitEnd): UsageLimit => limit(said, end, nowMs);
  const stated = limitEndIn(said, nowMs);
  if (stated !== null && !isShort(stated, nowMs)) return until(stated);
  if (GOOGLE_DAILY.test(said)) return until({ kind: "at", ms: googleMidnightMs(nowMs) });
  // A throttle of some seconds, or of an unknown length, is for the agent itself to wait for.
  if (stated !== null || !isLimit) return null;
  if (COPILOT_MONTHLY.test(said)) return until({ kind: "at", ms: monthEndMs(nowMs) });
  return UNPAID.test(said) && !FREE_TIER.test(said) ? null : until({ kind: "guess", ms: nowMs + GUESS_MS });
}

/**
 * Some agents report a limit as an ordinary message and end the turn as if they were done. Only for the whole answer of a
 * turn without any other work, and only in the exact words that the programs themselves use.
 */
export function usageLimitAsAnswer(answer: string, nowMs: number): UsageLimit | null {
  const said = answer.length > ANSWER_CHARS_MAX ? "" : plain(answer).trim();
  const isLimit = ANSWERS.some((form) => form.test(said)) && limitEndIn(said, nowMs) !== null;
  return isLimit ? usageLimitIn(said, nowMs) : null;
}

export const ANSWER_CHARS_MAX = 600;

const TEXT_CHARS = 8000;
const REASON_CHARS = 300;
const GUESS_MS = 3_600_000;
const SHORT_MS = 60_000;
/** A longer wait is asked about again after this. */
const WAIT_MAX_MS = 8 * 86_400_000;

/** One kind of quotes and spaces. */
function plain(text: string): string {
  return text
    .slice(0, TEXT_CHARS)
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[^\S\n]+/gu, " ");
}

/** A short wait counts only as a hint to retry: an hour that is nearly over is still the end of a limit. */
function isShort({ kind, ms }: LimitEnd, nowMs: number): boolean {
  return kind === "in" && ms - nowMs < SHORT_MS;
}

function limit(said: string, { kind, ms }: LimitEnd, nowMs: number): UsageLimit {
  const words = said.replace(/\s+/g, " ").trim();
  const quoted = words.length <= REASON_CHARS ? words : `${words.slice(0, REASON_CHARS - 1)}…`;
  const reason = kind === "guess" ? `${quoted} (it did not say when the limit resets: the time is a guess)` : quoted;
  return { untilMs: Math.min(ms, nowMs + WAIT_MAX_MS), reason };
}

/** Says that what an account may use is used up. */
const LIMITS = anyOf(
  // Claude Code.
  /\byou'?(?:ve| have) (?:hit|reached) your (?:[\w.'-]+ ){0,4}limit\b/,
  /\b(?:\d+-hour|session|daily|weekly|monthly|opus|sonnet|haiku|fable)(?: weekly)? limit reached\b/,
  /\busage limit (?:has been |was )?(?:reached|exceeded|hit)\b/,
  /\blimits? will reset\b/,
  // Codex.
  /\busage_?limit_?(?:reached|exceeded)\b/,
  // Gemini.
  /\bexhausted your (?:capacity|daily quota|quota)\b/,
  /\bquota will reset\b/,
  /\bexceeded your current quota\b/,
  /\bquota exceeded for (?:quota )?metric\b/,
  /\bQUOTA_EXHAUSTED\b/,
  // What Gemini and Qwen say over ACP instead of the vendor's words, after they have retried for minutes.
  /^HTTP 429: rate limit exceeded\. try again later\b/,
  // Copilot.
  /\bexceeded your premium request allowance\b/,
  /\byou have no quota\b/,
  /\bhit a rate limit that restricts the number of copilot model requests\b/,
  /\buser_(?:weekly|global|model)_rate_limited\b/,
  // Qwen.
  /\bquota has been (?:reached|exhausted)\b/,
  /\ballocated quota exceeded\b/,
  // Vendors behind opencode and pi.
  /\b(?:go|free)usagelimiterror\b/,
  /\bfree usage exceeded\b/,
  /\bfree-models-per-day\b/,
);

/** A throttle: a limit only when it says that it lasts. */
const THROTTLED = anyOf(
  /\brate[ _-]?limit/,
  /\btoo many requests\b/,
  /\bRESOURCE_EXHAUSTED\b/,
  /\b(?:http|status|code|error)[ _a-z]*"?[:=]? ?429\b/,
);

/** The vendor's own trouble, or a limit of the conversation. */
const NO_LIMIT = anyOf(
  /\bnot your usage limit\b/,
  /\bcontext (?:window|length)\b/,
  /\b(?:context|tokens?|length|output|turns?|steps?|size) limit\b/,
);

/** Only money ends it. */
const UNPAID = anyOf(
  /\binsufficient_quota\b/,
  /\bplan and billing\b/,
  /\bcredit balance\b/,
  /\bspend(?:ing)? limit\b/,
  /\busage credits\b/,
  /\bbilling hard limit\b/,
);
const FREE_TIER = anyOf(/\bfree (?:daily|allocated) quota\b/, /\bfree usage exceeded\b/);
const GOOGLE_DAILY = anyOf(/\bdaily quota on this model\b/, /requestsperday/);
const COPILOT_MONTHLY = anyOf(/\bpremium request allowance\b/, /\byou have no quota\b/);

/** Each with its time: an answer without one is not taken for a limit. */
const ANSWERS: readonly RegExp[] = [
  /^Claude AI usage limit reached\|\d{10,13}$/,
  /^Claude usage limit reached\. Your limit will reset at [^\n]{1,60}$/,
  /^You've (?:hit|reached) your (?:[\w.-]+ ){0,3}limit [·∙•] resets [^\n]{1,80}(?:\n\s*\/[^\n]{1,120})?$/,
  /^(?:\d+-hour|[A-Z][a-z]+)(?: weekly)? limit reached [·∙•] resets [^\n]{1,80}(?:\n\s*\/[^\n]{1,120})?$/,
  /^(?:Error: )?Sorry, you've hit a rate limit that restricts the number of Copilot model requests [^\n]{1,80}\. Please try again in [^\n]{1,300}$/,
];

function anyOf(...forms: readonly RegExp[]): RegExp {
  return new RegExp(forms.map(({ source }) => `(?:${source})`).join("|"), "i");
}
