import { z } from "zod";

/** What a failed answer says, whatever its format: codes in lower case, the words, and the status if only the body has it. */
export interface Evidence {
  readonly status: number | null;
  readonly codes: readonly string[];
  readonly message: string;
  /** False: the body is no JSON object, such as the HTML page of a proxy. */
  readonly isApi: boolean;
}

/** Reads an error body of any provider. `text` is JSON, HTML or anything else. */
export function evidenceInText(status: number | null, text: string): Evidence {
  const parsed = parseJson(text);
  if (parsed !== undefined) return evidenceIn(status, parsed);
  const isHtml = /^\s*(?:<!doctype|<html|<\?xml)/i.test(text);
  return { status, codes: [], message: isHtml ? "" : text.slice(0, 1000), isApi: false };
}

const Word = z.union([z.string(), z.number()]).nullish().catch(null);
const ErrorObject = z.looseObject({
  message: z.unknown().optional(),
  detail: z.unknown().optional(),
  code: Word,
  type: Word,
  status: Word,
  reason: Word,
  statusCode: Word,
  __type: Word,
  details: z
    .array(z.looseObject({ reason: Word }).catch({ reason: null }))
    .nullish()
    .catch(null),
});

/**
 * OpenAI: `{error: {message, type, code}}`. Google: `[{error: {code, message, status, details}}]`. Bedrock:
 * `{message, __type}`. Mistral: `{message, type, code}` or `{detail}`. Ollama and others: `{error: "..."}`. OpenRouter puts
 * the status into `code`. A failed response of OpenAI: `{response: {error}}`.
 */
export function evidenceIn(status: number | null, body: unknown): Evidence {
  const found = errorObjectIn(body);
  if (typeof found === "string") return { status, codes: [], message: found, isApi: true };
  const read = ErrorObject.safeParse(found);
  if (!read.success) return { status, codes: [], message: "", isApi: typeof body === "object" && body !== null };
  const { message, detail, code, type, status: named, reason, statusCode, __type, details } = read.data;
  const words = [code, type, named, reason, __type, ...(details ?? []).map((one) => one.reason)];
  return {
    status: status ?? httpStatus(statusCode) ?? httpStatus(code) ?? httpStatus(named),
    codes: words.flatMap((word) => (typeof word === "string" ? [word.toLowerCase()] : [])),
    message: wordsIn(message) || wordsIn(detail),
    isApi: true,
  };
}

/** True for a value that reports an error inside of a stream that began well. */
export function holdsError(body: unknown): boolean {
  return z
    .union([
      z.looseObject({ error: z.unknown().refine((one) => one !== undefined && one !== null) }),
      z.looseObject({ type: z.literal("error") }),
    ])
    .safeParse(body).success;
}

const Wrapped = z.looseObject({ error: z.unknown().optional() });
const Failed = z.looseObject({ response: z.looseObject({ error: z.unknown().optional() }) });
const DEPTH_MAX = 4;

function errorObjectIn(body: unknown, depth = 0): unknown {
  if (depth > DEPTH_MAX) return body;
  if (Array.isArray(body)) return errorObjectIn(body[0], depth + 1);
  const failed = Failed.safeParse(body).data?.response.error;
  if (failed !== undefined && failed !== null) return errorObjectIn(failed, depth + 1);
  const inner = Wrapped.safeParse(body).data?.error;
  return inner === undefined || inner === null ? body : errorObjectIn(inner, depth + 1);
}

function wordsIn(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value).slice(0, 1000);
}

function httpStatus(word: string | number | null | undefined): number | null {
  const status = typeof word === "string" && /^\d{3}$/.test(word) ? Number(word) : word;
  return typeof status === "number" && status >= 400 && status <= 599 ? status : null;
}

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    // No JSON is a finding, too: the caller gets the text.
    return undefined;
  }
}
