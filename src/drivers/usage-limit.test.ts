import { expect } from "vitest";
import { proves } from "../../test/support/proves.ts";
import { usageLimitAsAnswer, usageLimitIn } from "./usage-limit.ts";

const NOW = Date.parse("2026-11-18T12:00:00Z");
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * HOUR_MS;
const utc = (text: string) => Date.parse(`${text}Z`);
/** In the machine's zone. */
const local = (text: string) => Date.parse(text);
const waitOf = (text: string, nowMs = NOW) => {
  const found = usageLimitIn(text, nowMs);
  return found === null ? null : found.untilMs - nowMs;
};
const untilOf = (text: string, nowMs = NOW) => usageLimitIn(text, nowMs)?.untilMs ?? null;

/** The next time the machine's clock shows this. */
const nextLocal = (hour: number, minute: number): number => {
  const today = new Date(NOW);
  const at = new Date(today.getFullYear(), today.getMonth(), today.getDate(), hour, minute).getTime();
  return at > NOW ? at : new Date(today.getFullYear(), today.getMonth(), today.getDate() + 1, hour, minute).getTime();
};

const AT: readonly (readonly [agent: string, text: string, untilMs: number])[] = [
  ["claude", "Claude AI usage limit reached|1795010400", 1_795_010_400_000],
  ["claude", "You've hit your limit · resets 3pm (Europe/Berlin)", utc("2026-11-18T14:00:00")],
  ["claude", "You’ve hit your session limit · resets 11:50pm (America/Los_Angeles)", utc("2026-11-19T07:50:00")],
  ["claude", "You've hit your limit · resets 3am (UTC) · progress saved", utc("2026-11-19T03:00:00")],
  ["claude", "5-hour limit reached ∙ resets 9:30pm (Etc/GMT+5)", utc("2026-11-19T02:30:00")],
  ["claude", "5-hour limit reached ∙ resets 3pm", nextLocal(15, 0)],
  ["claude", "Weekly limit reached ∙ resets Nov 20, 9am (UTC)", utc("2026-11-20T09:00:00")],
  ["claude", "You've hit your weekly limit · resets Nov 20, 9am", local("2026-11-20T09:00:00")],
  ["claude", "You've reached your Fable limit · resets Monday (UTC)", utc("2026-11-23T00:00:00")],
  ["claude", "Claude usage limit reached. Your limit will reset at 1pm (Etc/GMT+5).", utc("2026-11-18T18:00:00")],
  ["claude", `You've hit your limit · resets 3pm (UTC): {"errorKind":"rate_limit"}`, utc("2026-11-18T15:00:00")],
  ["codex", "You've hit your usage limit. Try again at 3:04 PM.", nextLocal(15, 4)],
  [
    "codex",
    "You've hit your usage limit. Visit https://example.org/usage to purchase more credits or try again at Nov 20th, 2026 9:04 AM.",
    local("2026-11-20T09:04:00"),
  ],
  ["codex", "You've hit your usage limit. Try again later. It resets 3pm (UTC).", utc("2026-11-18T15:00:00")],
  [
    "codex",
    `{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","resets_at":1795003201,"resets_in_seconds":5}}`,
    1_795_003_201_000,
  ],
  ["gemini", "You have exhausted your daily quota on this model.", utc("2026-11-19T08:00:00")],
  [
    "gemini",
    `You exceeded your current quota, please check your plan and billing details. Please retry in 33.5s. "quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"`,
    utc("2026-11-19T08:00:00"),
  ],
  [
    "opencode",
    "Usage limit reached for 5 hour. Your limit will reset at 2026-11-18T20:30:24Z",
    utc("2026-11-18T20:30:24"),
  ],
  [
    "opencode",
    `Rate limit exceeded: free-models-per-day. {"headers":{"X-RateLimit-Limit":"50","X-RateLimit-Reset":"1795046400000"}}`,
    1_795_046_400_000,
  ],
];

const IN: readonly (readonly [agent: string, text: string, waitMs: number])[] = [
  [
    "codex",
    "You've hit your usage limit. Upgrade to Pro (https://example.org) or try again in 2 days 3 hours 12 minutes.",
    2 * DAY_MS + 3 * HOUR_MS + 12 * MINUTE_MS,
  ],
  ["codex", `{"type":"usage_limit_reached","resets_in_seconds":13872}`, 13_872_000],
  ["gemini", "You have exhausted your capacity on this model. Your quota will reset after 5h12m3s.", 18_723_000],
  ["gemini", `You exceeded your current quota. {"retryDelay":"7200s"}`, 2 * HOUR_MS],
  [
    "copilot",
    "Sorry, you've hit a rate limit that restricts the number of Copilot model requests you can make within a specific time period. Please try again in 49 minutes. Please review our Terms of Service.",
    49 * MINUTE_MS,
  ],
  ["pi", "You have hit your ChatGPT usage limit (plus plan). Try again in ~231 min.", 231 * MINUTE_MS],
  ["pi", `429 Too Many Requests {"retry-after":"3600"}`, HOUR_MS],
  ["opencode", `{"name":"APIError","data":{"statusCode":429,"responseHeaders":{"retry-after":"73801"}}}`, 73_801_000],
  ["opencode", "Rate limited. Try again in an hour", HOUR_MS],
];

const GUESSED: readonly (readonly [agent: string, text: string])[] = [
  ["claude", "You've hit your limit"],
  ["claude", "Claude AI usage limit reached|1700000000"],
  ["codex", "You've hit your usage limit. Visit https://example.org to purchase more credits or try again later."],
  ["codex", `Internal error {"message":"x","codexErrorInfo":"usageLimitExceeded"}`],
  ["gemini", "HTTP 429: Rate limit exceeded. Try again later."],
  ["qwen", "Qwen OAuth quota exceeded: Your free daily quota has been reached."],
  ["qwen", `429 {"type":"insufficient_quota","message":"Free allocated quota exceeded."}`],
  ["opencode", "Free usage exceeded, subscribe to Go"],
];

const NONE: readonly string[] = [
  "",
  "the file was not found",
  "You have exhausted your capacity on this model. Your quota will reset after 5s.",
  "You exceeded your current quota, please check your plan and billing details. Please retry in 33.5s.",
  "429 Too Many Requests: Please retry in 12s",
  "Rate limit exceeded",
  "HTTP 429: overloaded",
  `{"type":"insufficient_quota","message":"You exceeded your current quota, please check your plan and billing details."}`,
  "Your credit balance is too low to access the API",
  "You've hit your org's monthly spend limit · ask your admin to raise it",
  "API Error: the server is limiting requests (not your usage limit) · Rate limited",
  "You have reached your context window limit",
  "You have reached your output token limit",
  "the agent reached the limit on tokens",
  "Port 4290 is in use; error 14290",
  "the test of the rate limiter failed after 3 hours",
];

for (const [agent, text, untilMs] of AT)
  proves("AG-27", `${agent}, until a time: ${text}`, () => {
    expect(new Date(untilOf(text) ?? 0).toISOString()).toBe(new Date(untilMs).toISOString());
  });

for (const [agent, text, waitMs] of IN)
  proves("AG-27", `${agent}, for a while: ${text}`, () => {
    expect(waitOf(text)).toBe(waitMs);
  });

for (const [agent, text] of GUESSED)
  proves("AG-27", `${agent} says no time that can be used, so an hour is a guess: ${text}`, () => {
    expect(usageLimitIn(text, NOW)).toMatchObject({
      untilMs: NOW + HOUR_MS,
      reason: expect.stringContaining("the time is a guess"),
    });
  });

for (const text of NONE)
  proves("AG-27", `no usage limit: ${text}`, () => {
    expect(usageLimitIn(text, NOW)).toBeNull();
  });

proves("AG-27", "a limit of weeks is waited for at most 8 days", () => {
  expect(waitOf("You've hit your usage limit. try again in 26 days 4 hours")).toBe(8 * DAY_MS);
  expect(waitOf("You have exceeded your premium request allowance.")).toBe(8 * DAY_MS);
  expect(untilOf("You have exceeded your premium request allowance.", utc("2026-11-29T00:00:00"))).toBe(
    utc("2026-12-01T00:00:00"),
  );
});

proves("AG-27", "a time of day that has passed is tomorrow's; one that has just passed is tried again soon", () => {
  const text = "You've hit your limit · resets 3pm (UTC)";
  expect(untilOf(text, utc("2026-11-18T15:30:00"))).toBe(utc("2026-11-19T15:00:00"));
  expect(waitOf(text, utc("2026-11-18T15:01:00"))).toBe(10 * MINUTE_MS);
  expect(waitOf("Claude AI usage limit reached|1795003200", 1_795_003_201_000)).toBe(10 * MINUTE_MS);
});

proves("AG-27", "an absolute time may be near; a hint to retry within a minute is no usage limit", () => {
  expect(waitOf("Claude AI usage limit reached|1795003202", 1_795_003_200_500)).toBe(1500);
  expect(waitOf("usage limit reached, try again in 59 seconds")).toBeNull();
  expect(waitOf("usage limit reached, try again in 60 seconds")).toBe(MINUTE_MS);
});

proves("AG-27", "dates cross the year, and a change of clocks counts", () => {
  const december = utc("2026-12-30T12:00:00");
  expect(untilOf("Weekly limit reached ∙ resets Jan 2, 9am (UTC)", december)).toBe(utc("2027-01-02T09:00:00"));
  const beforeSpring = utc("2027-03-27T12:00:00");
  const text = "Weekly limit reached ∙ resets Mar 28, 9am (Europe/Berlin)";
  expect(untilOf(text, beforeSpring)).toBe(utc("2027-03-28T07:00:00"));
});

proves("AG-27", "a whole answer in an agent's own words is a limit; words about limits are not", () => {
  const yes = [
    "Claude AI usage limit reached|1795003200",
    "You've hit your limit · resets 3pm (Europe/Berlin)\n",
    "You've hit your limit · resets 3pm (Europe/Berlin)\n/upgrade to increase your usage limit.",
    "5-hour limit reached ∙ resets 3pm\n     /upgrade to increase your usage limit.",
    "Claude usage limit reached. Your limit will reset at 1pm (Etc/GMT+5).",
    "Error: Sorry, you've hit a rate limit that restricts the number of Copilot model requests you can make within a specific time period. Please try again in 4 hours. Please review our Terms of Service.",
  ];
  for (const text of yes) expect(usageLimitAsAnswer(text, NOW), text).not.toBeNull();
  const no = [
    "You've hit your limit · resets whenever it likes",
    "The log says: You've hit your limit · resets 3pm (Europe/Berlin)",
    "You've hit your limit · resets 3pm. I have changed the banner to say so.\n\nAnything else?",
    'When the text is "Claude AI usage limit reached|1795003200", wait.',
    "You've hit your usage limit. Try again at 3:04 PM.",
    `5-hour limit reached ∙ resets 3pm ${"x".repeat(1000)}`,
    "",
  ];
  for (const text of no) expect(usageLimitAsAnswer(text, NOW), text).toBeNull();
});

proves("AG-27", "hostile texts are read in linear time", () => {
  const texts = ["resets ", "try again in 1h", "you've hit your a", "1 day, and ", "reset at 2026-", "quota "];
  const startMs = performance.now();
  for (const text of texts) usageLimitIn(`usage limit reached ${text.repeat(50_000)}`, NOW);
  expect(performance.now() - startMs).toBeLessThan(1000);
});
