import { holdsError } from "../errors/evidence.ts";
import { errorInStream, errorOfAnswer, modelError, type Subject, toModelError } from "../errors/to-model-error.ts";
import type { GuardLimits } from "./guard-limits.ts";
import { guardedBody } from "./guarded-body.ts";

const ERROR_BODY_BYTES_MAX = 64 * 1024;

export interface Guarded {
  readonly fetch: typeof globalThis.fetch;
  /** True as soon as the head of an answer has arrived. */
  readonly hasAnswer: () => boolean;
}

/**
 * The `fetch` that a provider package gets for one request. It turns every failure below the stream format into a
 * `ModelError`, so that the packages' own error types do not matter, and it ends an answer that stalls or never ends.
 */
export function createGuardedFetch(
  subject: Subject,
  limits: GuardLimits,
  own: {
    readonly fetch: typeof globalThis.fetch;
    readonly headers: (headers: Headers) => void;
    readonly url: (url: string) => string;
  },
): Guarded {
  let hasAnswer = false;

  const request = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const ending = new AbortController();
    const stalled = setTimeout(
      () => ending.abort(modelError(subject, "timeout", `no answer for ${limits.stallMs} ms`)),
      limits.stallMs,
    );
    const signal =
      init.signal === undefined || init.signal === null ? ending.signal : AbortSignal.any([init.signal, ending.signal]);
    const headers = new Headers(init.headers);
    own.headers(headers);
    try {
      const url = own.url(input instanceof Request ? input.url : String(input));
      const response = await own.fetch(url, { ...init, headers, signal, redirect: "manual" });
      clearTimeout(stalled);
      hasAnswer = true;
      const body = guardedBody(response.body, subject, limits, ending);
      return await checked(subject, response, body);
    } catch (thrown) {
      init.signal?.throwIfAborted();
      throw toModelError(subject, thrown, hasAnswer);
    } finally {
      clearTimeout(stalled);
    }
  };

  return { fetch: request, hasAnswer: () => hasAnswer };
}

/** Errors by status, and answers that are no stream although the status says that all is well. */
async function checked(subject: Subject, response: Response, body: ReadableStream<Uint8Array>): Promise<Response> {
  const { status, headers } = response;
  const header = (name: string): string | null => headers.get(name);
  if (status >= 300 && status < 400) {
    await body.cancel();
    // A redirect could carry the key to another host.
    throw modelError(subject, "invalid", "the endpoint redirects to another address; check the base URL", { status });
  }
  if (!response.ok) throw errorOfAnswer(subject, status, header, await textOf(body));
  const type = headers.get("content-type") ?? "";
  if (/\bhtml\b/i.test(type)) {
    await body.cancel();
    throw modelError(subject, "malformed", "the endpoint answers with a web page; check the base URL");
  }
  if (/^application\/json\b/i.test(type)) return await unstreamed(subject, response, body);
  return new Response(body, { status, headers });
}

/** Some gateways report errors as JSON with status 200, and some label their streams as JSON. */
async function unstreamed(subject: Subject, response: Response, body: ReadableStream<Uint8Array>): Promise<Response> {
  const reader = body.getReader();
  const first = await reader.read();
  const whole = new ReadableStream<Uint8Array>({
    start: (controller) => (first.done ? controller.close() : controller.enqueue(first.value)),
    pull: async (controller) => {
      const next = await reader.read();
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  if (/^\s*(?:data|event|id|:)/.test(new TextDecoder().decode(first.value)))
    return new Response(whole, { status: response.status, headers: response.headers });
  const text = await textOf(whole);
  const parsed = jsonOf(text);
  if (holdsError(parsed)) throw errorInStream(subject, parsed);
  throw modelError(subject, "malformed", "it is not a stream");
}

async function textOf(body: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of body) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > ERROR_BODY_BYTES_MAX) break;
  }
  return text.slice(0, ERROR_BODY_BYTES_MAX);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Reported below as an answer that is not a stream.
    return undefined;
  }
}
