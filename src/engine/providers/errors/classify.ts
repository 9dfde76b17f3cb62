import type { ModelErrorClass } from "../../model.ts";
import type { Evidence } from "./evidence.ts";

/** What kind of failure an error answer is: by its codes, then by its words, then by its status. */
export function classOf(evidence: Evidence): ModelErrorClass {
  return (
    byCode(evidence.codes, CLEAR_CODES) ??
    byWords(evidence) ??
    byCode(evidence.codes, VAGUE_CODES) ??
    byStatus(evidence)
  );
}

type Codes = Readonly<Partial<Record<ModelErrorClass, readonly string[]>>>;

/** Codes that say exactly what is wrong. The order of the classes decides when an answer has two of them. */
const CLEAR_CODES: Codes = {
  billing: [
    "insufficient_quota",
    "billing_error",
    "billing_hard_limit_reached",
    "billing_not_active",
    "insufficient_credits",
    "insufficient_balance",
    "payment_required",
  ],
  overflow: [
    "context_length_exceeded",
    "context_window_exceeded",
    "model_context_window_exceeded",
    "exceed_context_size_error",
    "request_too_large",
  ],
  refused: [
    "content_filter",
    "content_policy_violation",
    "moderation_blocked",
    "prohibited_content",
    "safety",
    "cyber_policy",
  ],
  auth: [
    "invalid_api_key",
    "api_key_invalid",
    "authentication_error",
    "permission_error",
    "permission_denied",
    "unauthenticated",
    "unauthorized",
    "account_deactivated",
    "accessdeniedexception",
    "unrecognizedclientexception",
    "invalidsignatureexception",
    "expiredtokenexception",
  ],
  model_unknown: [
    "model_not_found",
    "not_found_error",
    "deploymentnotfound",
    "resourcenotfoundexception",
    "invalid_model",
  ],
  rate_limit: [
    "rate_limit_error",
    "rate_limit_exceeded",
    "rate_limited",
    "resource_exhausted",
    "too_many_requests",
    "usage_limit_reached",
    "usage_limit_exceeded",
    "throttlingexception",
    "servicequotaexceededexception",
  ],
  timeout: ["deadline_exceeded", "modeltimeoutexception", "request_timeout", "timeout_error"],
  malformed: ["modelstreamerrorexception"],
};

/** Codes that some endpoints send with every failure: the words are asked first. */
const VAGUE_CODES: Codes = {
  overloaded: [
    "overloaded_error",
    "overloaded",
    "server_is_overloaded",
    "engine_overloaded",
    "unavailable",
    "serviceunavailableexception",
    "internalserverexception",
    "modelnotreadyexception",
    "internal",
    "internal_error",
    "api_error",
    "server_error",
    "slow_down",
  ],
};

function byCode(codes: readonly string[], table: Codes): ModelErrorClass | null {
  // AWS writes `com.amazon...#ThrottlingException` and `ThrottlingException:http://...`.
  const plain = codes.map((code) => code.replace(/^.*#/, "").replace(/:.*$/, ""));
  for (const [errorClass, known] of entries(table)) if (plain.some((code) => known.includes(code))) return errorClass;
  return null;
}

function entries(table: Codes): readonly (readonly [ModelErrorClass, readonly string[]])[] {
  return ORDER.flatMap((errorClass) => {
    const codes = table[errorClass];
    return codes === undefined ? [] : [[errorClass, codes] as const];
  });
}

const ORDER: readonly ModelErrorClass[] = [
  "billing",
  "overflow",
  "refused",
  "auth",
  "model_unknown",
  "rate_limit",
  "timeout",
  "overloaded",
  "malformed",
];

interface Words {
  readonly errorClass: ModelErrorClass;
  readonly pattern: RegExp;
  /** Statuses with which the words mean this; null is an error inside of a stream. */
  readonly statuses: readonly (number | null)[];
}

const WORDS: readonly Words[] = [
  {
    errorClass: "billing",
    pattern:
      /credit balance|insufficient (?:credits?|balance|funds|quota)|exceeded your current quota|out of credits|payment required|requires more credits|account is not active/i,
    statuses: [400, 402, 403, 429, null],
  },
  {
    errorClass: "overflow",
    pattern:
      /prompt is too long|maximum context length|context[ _-](?:length|window|size|limit)|exceeds? the (?:maximum|max|limit|available)[^.]{0,40}tokens?|(?:input|prompt)[^.]{0,30}too (?:long|large)|too many (?:input )?tokens|token count[^.]{0,40}exceeds|reduce the length of/i,
    statuses: [400, 413, 422, 500, null],
  },
  {
    errorClass: "auth",
    pattern:
      /(?:invalid|incorrect|missing|expired|no|wrong)[^.]{0,20}(?:api[ _-]?key|credentials?|authentication)|api[ _-]?key[^.]{0,20}(?:invalid|not valid|expired|missing)|unauthori[sz]ed/i,
    statuses: [400, 401, 403, null],
  },
  {
    errorClass: "model_unknown",
    pattern:
      /models?\b[^.]{0,120}(?:not found|does not exist|not exist|unknown|not supported|not available|not a valid)|(?:unknown|invalid|no such) model|not a valid model|try pulling it/i,
    statuses: [400, 404, 422, null],
  },
  {
    errorClass: "refused",
    pattern:
      /content[ _-](?:filter|policy|management)|safety (?:system|filter|policy)|flagged as|moderation|usage polic(?:y|ies)|(?:blocked|prohibited)[^.]{0,30}(?:content|prompt|safety)/i,
    statuses: [400, 403, 422, 451, null],
  },
  {
    errorClass: "rate_limit",
    pattern: /rate[ -]?limit|too many requests|quota exceeded/i,
    statuses: [400, 403, 429, null],
  },
  { errorClass: "timeout", pattern: /timed[ -]?out|deadline exceeded/i, statuses: [500, 502, 503, null] },
  {
    errorClass: "overloaded",
    pattern: /overloaded|over capacity|temporarily unavailable|server is busy/i,
    statuses: [400, 500, null],
  },
];

function byWords({ status, message }: Evidence): ModelErrorClass | null {
  if (message === "") return null;
  return WORDS.find(({ pattern, statuses }) => statuses.includes(status) && pattern.test(message))?.errorClass ?? null;
}

const BY_STATUS: ReadonlyMap<number, ModelErrorClass> = new Map([
  [401, "auth"],
  [402, "billing"],
  [403, "auth"],
  [408, "timeout"],
  [409, "overloaded"],
  [413, "overflow"],
  [424, "malformed"],
  [425, "overloaded"],
  [429, "rate_limit"],
  [451, "refused"],
  // Gateways, also those of Cloudflare, that waited for the provider in vain.
  [504, "timeout"],
  [522, "timeout"],
  [524, "timeout"],
]);

function byStatus({ status }: Evidence): ModelErrorClass {
  // An error inside of a stream that says nothing known.
  if (status === null) return "malformed";
  return BY_STATUS.get(status) ?? (status >= 500 ? "overloaded" : "invalid");
}
