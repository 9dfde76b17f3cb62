import { z } from "zod";
import { ModelError, type ModelErrorClass } from "../../model.ts";
import { classOf } from "./classify.ts";
import { type Evidence, evidenceIn, evidenceInText, holdsError } from "./evidence.ts";
import { type ReadHeader, retryAfterMs } from "./retry-after.ts";
import { scrub } from "./scrub.ts";

/** Whom an error is about, and what its words must not contain. */
export interface Subject {
  readonly provider: string;
  readonly model: string;
  /** host:port of the endpoint; null when the package knows it alone. */
  readonly host: string | null;
  readonly secrets: readonly string[];
  readonly nowMs: () => number;
}

/** An error answer with its status. */
export function errorOfAnswer(subject: Subject, status: number, header: ReadHeader, text: string): ModelError {
  const evidence = evidenceInText(status, text);
  const amazon = header("x-amzn-errortype");
  const codes = amazon === null ? evidence.codes : [...evidence.codes, amazon.toLowerCase()];
  return errorOf(subject, { ...evidence, codes }, header, text);
}

/** An error object inside of a stream that began with status 200. */
export function errorInStream(subject: Subject, body: unknown): ModelError {
  // The packages put the provider's own object into `data`.
  const raw = WithData.safeParse(body).data?.data ?? body;
  return errorOf(subject, evidenceIn(null, body), noHeader, raw);
}

const WithData = z.looseObject({ data: z.unknown().optional() });

/**
 * Whatever the package or the network threw. `hasAnswer`: bytes of an answer had arrived, so that a broken connection is a
 * broken answer and not an unreachable endpoint.
 */
export function toModelError(subject: Subject, thrown: unknown, hasAnswer: boolean): ModelError {
  const chain = causes(thrown);
  const own = chain.find((one) => one instanceof ModelError);
  if (own !== undefined) return own;
  for (const one of chain) {
    const answer = Answer.safeParse(one).data;
    if (answer?.statusCode !== undefined) {
      const header: ReadHeader = (name) => answer.responseHeaders?.[name] ?? null;
      if (answer.statusCode >= 400)
        return errorOfAnswer(subject, answer.statusCode, header, answer.responseBody ?? answer.message ?? "");
    }
    const invalid = InvalidValue.safeParse(one).data?.value;
    if (holdsError(invalid)) return errorInStream(subject, invalid);
  }
  const code = chain.map(codeOf).find((one) => one !== null) ?? null;
  if (code !== null && NETWORK_CODE.test(code)) return ofNetwork(subject, code, chain, hasAnswer);
  if (chain.some((one) => one instanceof Error && one.name === "HTTPParserError"))
    return modelError(subject, "malformed", "the endpoint does not speak HTTP");
  // Node gives no code for what it refuses itself, such as a port that no browser would use.
  const failed = chain.findIndex((one) => one instanceof TypeError && one.message === "fetch failed");
  if (failed >= 0 && !hasAnswer) {
    const why = chain[failed + 1];
    return modelError(subject, "unreachable", why instanceof Error ? why.message : "", { cause: chain[failed] });
  }
  return ofPackage(subject, chain[0], hasAnswer);
}

/** A sentence for people, and the class for the retry. */
export function modelError(
  subject: Subject,
  errorClass: ModelErrorClass,
  detail: string,
  more: { readonly status?: number | null; readonly retryAfterMs?: number | null; readonly cause?: unknown } = {},
): ModelError {
  const status = more.status === undefined || more.status === null ? "" : ` (${more.status})`;
  const words = scrub(detail, subject.secrets).replace(/[.:\s]+$/, "");
  return new ModelError(errorClass, `${LEADS[errorClass](subject)}${status}${words === "" ? "" : `: ${words}`}.`, more);
}

const LEADS: Readonly<Record<ModelErrorClass, (subject: Subject) => string>> = {
  auth: ({ provider }) => `${provider} rejects the key`,
  billing: ({ provider }) => `The account at ${provider} has no credit`,
  rate_limit: ({ provider }) => `${provider} limits the rate of requests`,
  overloaded: ({ provider }) => `${provider} is overloaded or has an internal error`,
  timeout: ({ provider }) => `${provider} did not answer in time`,
  unreachable: ({ provider, host }) => `${provider} cannot be reached${host === null ? "" : ` at ${host}`}`,
  overflow: ({ model }) => `The request is larger than the context window of ${model}`,
  refused: ({ provider }) => `The content filter of ${provider} refused the request`,
  malformed: ({ provider }) => `The answer of ${provider} cannot be read`,
  model_unknown: ({ provider, model }) => `${provider} does not know the model ${model}`,
  invalid: ({ provider }) => `${provider} rejects the request`,
};

function errorOf(subject: Subject, evidence: Evidence, header: ReadHeader, body: unknown): ModelError {
  const errorClass = classOf(evidence);
  const parsed = typeof body === "string" ? safeJson(body) : body;
  const waits = errorClass === "rate_limit" || errorClass === "overloaded" || errorClass === "timeout";
  const detail = evidence.message !== "" || evidence.isApi ? evidence.message : "the endpoint answers with a web page";
  return modelError(subject, errorClass, detail || evidence.codes.join(" "), {
    status: evidence.status,
    retryAfterMs: waits ? retryAfterMs(header, parsed, evidence.message, subject.nowMs()) : null,
  });
}

const Answer = z.looseObject({
  statusCode: z.number().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
  responseBody: z.string().optional().catch(undefined),
  responseHeaders: z.record(z.string(), z.string()).optional().catch(undefined),
});
const InvalidValue = z.looseObject({ value: z.unknown().optional() });

const NETWORK_CODE =
  /^(?:E[A-Z]+|UND_ERR_[A-Z_]+|HPE_[A-Z_]+|CERT_[A-Z_]+|ERR_(?:TLS|SSL)_[A-Z_]+|[A-Z_]*(?:CERT|SIGNATURE)[A-Z_]*)$/;
const WAITED_CODE = /^UND_ERR_(?:HEADERS|BODY)_TIMEOUT$/;

function ofNetwork(subject: Subject, code: string, chain: readonly unknown[], hasAnswer: boolean): ModelError {
  if (WAITED_CODE.test(code)) return modelError(subject, "timeout", code, { cause: networkError(code, chain) });
  if (hasAnswer || code.startsWith("HPE_"))
    return modelError(subject, "malformed", `the connection broke (${code})`, { cause: networkError(code, chain) });
  return modelError(subject, "unreachable", code, { cause: networkError(code, chain) });
}

/** The error of the package holds the whole request; only what the system said is kept. */
function networkError(code: string, chain: readonly unknown[]): Error {
  const words = chain.find((one) => codeOf(one) === code);
  return Object.assign(new Error(words instanceof Error ? words.message : code), { code });
}

function ofPackage(subject: Subject, thrown: unknown, hasAnswer: boolean): ModelError {
  const name = thrown instanceof Error ? thrown.name : "";
  const words = thrown instanceof Error ? thrown.message : "";
  if (hasAnswer) return modelError(subject, "malformed", brokenWords(name, words));
  if (name.includes("LoadAPIKey") || /credential|access key|api key/i.test(words))
    return modelError(subject, "auth", words);
  return modelError(subject, "invalid", words);
}

/** The packages quote the whole event, which may be a page long and hold what the model said. */
function brokenWords(name: string, words: string): string {
  if (name.includes("JSONParse")) return "an event of the stream is no JSON";
  if (name.includes("TypeValidation")) return "an event of the stream has an unknown form";
  return words.slice(0, 120);
}

const CAUSES_MAX = 8;

function causes(thrown: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let at = thrown; at !== undefined && at !== null && chain.length < CAUSES_MAX; ) {
    chain.push(at);
    const next: unknown = typeof at === "object" && "cause" in at ? at.cause : undefined;
    const inner: unknown = at instanceof AggregateError ? at.errors[0] : undefined;
    at = next ?? inner;
  }
  return chain;
}

function codeOf(thrown: unknown): string | null {
  return typeof thrown === "object" && thrown !== null && "code" in thrown && typeof thrown.code === "string"
    ? thrown.code
    : null;
}

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: then no field of it asks to wait.
    return undefined;
  }
}

function noHeader(): null {
  return null;
}
