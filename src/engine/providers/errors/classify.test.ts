import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ModelError, type ModelErrorClass, ModelError as Thrown } from "../../model.ts";
import { retryAfterMs } from "./retry-after.ts";
import { scrub } from "./scrub.ts";
import { errorInStream, errorOfAnswer, type Subject, toModelError } from "./to-model-error.ts";

const NOW = Date.parse("2026-11-18T12:00:00Z");
const SUBJECT: Subject = {
  provider: "acme",
  model: "m-1",
  host: "api.acme.test:443",
  secrets: ["sk-topsecret"],
  nowMs: () => NOW,
};

function errorOf(status: number, body: unknown, headers: Record<string, string> = {}): ModelError {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return errorOfAnswer(SUBJECT, status, (name) => headers[name] ?? null, text);
}

const ROWS: readonly (readonly [who: string, status: number, body: unknown, errorClass: ModelErrorClass])[] = [
  ["anthropic", 401, { type: "error", error: { type: "authentication_error", message: "invalid x-api-key" } }, "auth"],
  ["anthropic", 403, { error: { type: "permission_error", message: "no access" } }, "auth"],
  [
    "anthropic",
    400,
    { error: { type: "invalid_request_error", message: "Your credit balance is too low to access the API" } },
    "billing",
  ],
  [
    "anthropic",
    400,
    { error: { type: "invalid_request_error", message: "prompt is too long: 205000 tokens > 200000 maximum" } },
    "overflow",
  ],
  [
    "anthropic",
    400,
    {
      error: {
        type: "invalid_request_error",
        message: "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length",
      },
    },
    "overflow",
  ],
  ["anthropic", 400, { error: { type: "invalid_request_error", message: "tools.0.name: too short" } }, "invalid"],
  ["anthropic", 404, { error: { type: "not_found_error", message: "model: claude-nope" } }, "model_unknown"],
  ["anthropic", 413, { error: { type: "request_too_large", message: "Request exceeds the maximum size" } }, "overflow"],
  [
    "anthropic",
    429,
    { error: { type: "rate_limit_error", message: "This request would exceed your rate limit" } },
    "rate_limit",
  ],
  ["anthropic", 529, { error: { type: "overloaded_error", message: "Overloaded" } }, "overloaded"],
  [
    "openai",
    401,
    {
      error: {
        message: "Incorrect API key provided: sk-ab***yz.",
        type: "invalid_request_error",
        code: "invalid_api_key",
      },
    },
    "auth",
  ],
  [
    "openai",
    429,
    {
      error: {
        message: "You exceeded your current quota, please check your plan and billing details.",
        type: "insufficient_quota",
        code: "insufficient_quota",
      },
    },
    "billing",
  ],
  [
    "openai",
    429,
    {
      error: { message: "Rate limit reached for gpt-5 on tokens per min", type: "tokens", code: "rate_limit_exceeded" },
    },
    "rate_limit",
  ],
  [
    "openai",
    400,
    {
      error: {
        message:
          "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
        code: "context_length_exceeded",
      },
    },
    "overflow",
  ],
  [
    "openai",
    404,
    {
      error: { message: "The model `gpt-99` does not exist or you do not have access to it.", code: "model_not_found" },
    },
    "model_unknown",
  ],
  [
    "openai",
    400,
    {
      error: { message: "Your prompt was flagged as potentially violating our usage policy.", code: "invalid_prompt" },
    },
    "refused",
  ],
  [
    "azure",
    400,
    {
      error: {
        code: "content_filter",
        message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
      },
    },
    "refused",
  ],
  [
    "azure",
    404,
    { error: { code: "DeploymentNotFound", message: "The API deployment for this resource does not exist." } },
    "model_unknown",
  ],
  [
    "google",
    400,
    [
      {
        error: {
          code: 400,
          message: "API key not valid. Please pass a valid API key.",
          status: "INVALID_ARGUMENT",
          details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }],
        },
      },
    ],
    "auth",
  ],
  [
    "google",
    400,
    {
      error: {
        code: 400,
        message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        status: "INVALID_ARGUMENT",
      },
    },
    "overflow",
  ],
  [
    "google",
    404,
    {
      error: {
        code: 404,
        message: "models/gemini-9 is not found for API version v1beta, or is not supported for generateContent.",
        status: "NOT_FOUND",
      },
    },
    "model_unknown",
  ],
  [
    "google",
    429,
    {
      error: {
        code: 429,
        message: "You exceeded your current quota, please check your plan and billing details.",
        status: "RESOURCE_EXHAUSTED",
      },
    },
    "rate_limit",
  ],
  [
    "google",
    503,
    { error: { code: 503, message: "The model is overloaded. Please try again later.", status: "UNAVAILABLE" } },
    "overloaded",
  ],
  ["google", 504, { error: { code: 504, message: "Deadline expired", status: "DEADLINE_EXCEEDED" } }, "timeout"],
  ["mistral", 401, { detail: "Unauthorized" }, "auth"],
  [
    "mistral",
    422,
    {
      object: "error",
      message: { detail: [{ msg: "Input should be a valid string" }] },
      type: "invalid_request_error",
    },
    "invalid",
  ],
  [
    "mistral",
    400,
    { object: "error", message: "Invalid model: mistral-nope", type: "invalid_model", code: "1500" },
    "model_unknown",
  ],
  [
    "mistral",
    400,
    {
      object: "error",
      message: "Prompt contains 140000 tokens, too large for model with 131072 maximum context length",
      code: "3051",
    },
    "overflow",
  ],
  ["bedrock", 400, { message: "Input is too long for requested model." }, "overflow"],
  ["bedrock", 429, { message: "Too many tokens, please wait before trying again." }, "rate_limit"],
  ["bedrock", 403, { message: "The security token included in the request is invalid." }, "auth"],
  [
    "openrouter",
    402,
    { error: { message: "Insufficient credits. Add more using https://openrouter.ai", code: 402 } },
    "billing",
  ],
  [
    "openrouter",
    403,
    { error: { message: "openai/gpt requires moderation. Your input was flagged", code: 403 } },
    "refused",
  ],
  ["openrouter", 400, { error: { message: "acme/none is not a valid model ID", code: 400 } }, "model_unknown"],
  [
    "deepseek",
    402,
    { error: { message: "Insufficient Balance", type: "unknown_error", code: "invalid_request_error" } },
    "billing",
  ],
  [
    "ollama",
    404,
    { error: { message: 'model "qwen9" not found, try pulling it first', type: "api_error" } },
    "model_unknown",
  ],
  ["ollama", 404, { error: "model 'qwen9' not found" }, "model_unknown"],
  [
    "llama.cpp",
    400,
    {
      error: {
        code: 400,
        message: "the request exceeds the available context size",
        type: "exceed_context_size_error",
      },
    },
    "overflow",
  ],
  [
    "vllm",
    400,
    { object: "error", message: "This model's maximum context length is 4096 tokens.", code: 400 },
    "overflow",
  ],
  ["a path that is not there", 404, { detail: "Not Found" }, "invalid"],
  ["a proxy", 502, "<html><body>Bad Gateway</body></html>", "overloaded"],
  ["a proxy", 403, "<!DOCTYPE html><html>denied</html>", "auth"],
  ["cloudflare", 524, "error code: 524", "timeout"],
  ["a plain text", 400, "no", "invalid"],
];

describe("classes of error answers", () => {
  test.each(ROWS)("%s %d %j is %s", (_who, status, body, errorClass) => {
    expect(errorOf(status, body)).toMatchObject({ errorClass, status });
  });

  test("AWS names the error in a header", () => {
    const headers = { "x-amzn-errortype": "ThrottlingException:http://internal.amazon.com/coral" };
    expect(errorOf(400, { message: "slow down" }, headers).errorClass).toBe("rate_limit");
  });

  test("the message is one sentence with the provider's words and without keys", () => {
    const error = errorOf(401, {
      error: { message: "Bad key sk-topsecret,\n see Bearer abcdef0123456789 or sk-proj-aaaa****bbbb." },
    });
    expect(error.message).toBe("acme rejects the key (401): Bad key [key], see [key] or [key].");
  });

  test("any body and any status become a model error with one line", () => {
    fc.assert(
      fc.property(fc.integer({ min: 400, max: 599 }), fc.oneof(fc.string(), fc.json()), (status, body) => {
        const error = errorOf(status, body);
        expect(error).toBeInstanceOf(Thrown);
        expect(error.message).not.toMatch(/\n/);
        expect(error.message.length).toBeLessThan(500);
      }),
    );
  });

  test("anything thrown becomes a model error", () => {
    fc.assert(
      fc.property(fc.anything(), fc.boolean(), (thrown, hasAnswer) => {
        expect(toModelError(SUBJECT, thrown, hasAnswer)).toBeInstanceOf(Thrown);
        expect(errorInStream(SUBJECT, thrown)).toBeInstanceOf(Thrown);
      }),
    );
  });
});

describe("how long to wait", () => {
  const google = {
    error: { details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.07s" }] },
  };
  const rows: readonly (readonly [string, Record<string, string>, unknown, string, number | null])[] = [
    ["milliseconds win", { "retry-after-ms": "1500", "retry-after": "9" }, null, "", 1500],
    ["seconds", { "retry-after": "7" }, null, "", 7000],
    ["fractions", { "retry-after": "0.25" }, null, "", 250],
    ["a date", { "retry-after": "Wed, 18 Nov 2026 12:00:30 GMT" }, null, "", 30_000],
    ["a date in the past", { "retry-after": "Wed, 18 Nov 2026 11:00:00 GMT" }, null, "", 0],
    ["nonsense", { "retry-after": "soon" }, null, "", null],
    ["Google's retry info", {}, google, "", 34_070],
    ["Google's, in a list", {}, [google], "", 34_070],
    [
      "Anthropic: the latest of what is used up",
      {
        "anthropic-ratelimit-requests-remaining": "10",
        "anthropic-ratelimit-requests-reset": "2026-11-18T13:00:00Z",
        "anthropic-ratelimit-tokens-remaining": "0",
        "anthropic-ratelimit-tokens-reset": "2026-11-18T12:00:45Z",
        "anthropic-ratelimit-input-tokens-remaining": "0",
        "anthropic-ratelimit-input-tokens-reset": "2026-11-18T12:00:20Z",
      },
      null,
      "",
      45_000,
    ],
    ["OpenAI", { "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m0.5s" }, null, "", 360_500],
    ["OpenAI, milliseconds", { "x-ratelimit-reset-requests": "120ms" }, null, "", 120],
    [
      "OpenRouter, milliseconds since 1970",
      { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(NOW + 5000) },
      null,
      "",
      5000,
    ],
    ["seconds since 1970", { "x-ratelimit-reset": String(NOW / 1000 + 9) }, null, "", 9000],
    ["words", {}, null, "Rate limit reached. Please try again in 1m12.5s. Visit us.", 72_500],
    ["words, spelled out", {}, null, "Please retry after 20 seconds.", 20_000],
    ["nothing", {}, null, "slow down", null],
    ["seconds in the body", {}, { error: { type: "usage_limit_reached", resets_in_seconds: 7200 } }, "", 7_200_000],
    ["a moment in the body", {}, { error: { resets_at: 1_795_003_600 } }, "", Math.max(0, 1_795_003_600_000 - NOW)],
    ["a moment as a text", {}, { resets_at: "2026-11-18T13:00:00Z" }, "", 3_600_000],
    ["nonsense in the body", {}, { error: { retry_after: {}, resets_at: [], metadata: 7 } }, "", null],
    [
      "the headers that OpenRouter passes on",
      {},
      {
        error: {
          metadata: { headers: { "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": String(NOW + 90_000) } },
        },
      },
      "",
      90_000,
    ],
    ["days in the message", {}, null, "Usage limit reached. Your limit resets in 2 days.", 172_800_000],
    ["a moment in the message", {}, null, "Try again at 2026-11-18T12:30:00Z.", 1_800_000],
    ["never longer than a week", { "retry-after": "99999999" }, null, "", 604_800_000],
  ];
  test.each(rows)("%s", (_name, headers, body, message, expected) => {
    expect(retryAfterMs((name) => headers[name] ?? null, body, message, NOW)).toBe(expected);
  });

  test("it reaches the error of a rate limit, and only of one that may be tried again", () => {
    expect(errorOf(429, {}, { "retry-after": "7" }).retryAfterMs).toBe(7000);
    expect(errorOf(503, {}, { "retry-after": "7" }).retryAfterMs).toBe(7000);
    expect(errorOf(401, {}, { "retry-after": "7" }).retryAfterMs).toBeNull();
    expect(errorInStream(SUBJECT, { message: "x", type: "RESOURCE_EXHAUSTED", data: google.error }).retryAfterMs).toBe(
      34_070,
    );
  });
});

test("scrubbing removes every given secret wherever it stands", () => {
  fc.assert(
    fc.property(fc.string(), fc.stringMatching(/^[a-z0-9]{8,40}$/), fc.string(), (before, secret, after) => {
      expect(scrub(`${before}${secret}${after}`, [secret])).not.toContain(secret);
    }),
  );
});
