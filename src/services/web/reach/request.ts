import { type ClientRequest, type IncomingMessage, request as plainRequest } from "node:http";
import { request as tlsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { NomosError } from "../../../contract/index.ts";
import { readBody } from "./body.ts";
import type { CheckedAddresses } from "./find-way.ts";
import type { WebLimits } from "./limits.ts";
import type { WebUrl } from "./web-url.ts";

export interface WebRequest {
  readonly url: WebUrl;
  readonly addresses: CheckedAddresses;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent with POST. Default: a GET. */
  readonly body?: string;
  readonly limits: WebLimits;
  readonly signal: AbortSignal;
}

export interface WebAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Unpacked. Empty for a redirect, which is not read. */
  readonly body: Buffer;
}

/**
 * One request to exactly the checked addresses: no proxy of the environment, no cookies, no connection that others
 * share. Throws `web_unreachable`, `web_timeout`, `web_too_large` or `web_answer_invalid`.
 */
export async function request({ url, addresses, headers, body, limits, signal }: WebRequest): Promise<WebAnswer> {
  const cut = new AbortController();
  const late = setTimeout(() => cut.abort(tookTooLong("it sent no complete headers")), limits.headersMs);
  const both = AbortSignal.any([signal, cut.signal]);
  const send = url.protocol === "https:" ? tlsRequest : plainRequest;
  const sent = send({
    hostname: url.host,
    port: url.port,
    path: url.path,
    method: body === undefined ? "GET" : "POST",
    headers: { host: url.authority, "accept-encoding": "gzip, br, zstd", connection: "close", ...headers },
    // An agent of its own for each request: it neither keeps connections nor looks for a proxy.
    agent: false,
    lookup: pinned(addresses),
    ...(isIP(url.host) === 0 ? { servername: url.host } : {}),
    rejectUnauthorized: true,
    maxHeaderSize: limits.headerBytes,
    signal: both,
  });
  try {
    const response = await responseTo(sent, body);
    clearTimeout(late);
    const status = response.statusCode ?? 0;
    const isRedirect = status >= 300 && status < 400 && response.headers.location !== undefined;
    const read = isRedirect ? Buffer.alloc(0) : await readBody(response, limits.bodyBytes, both);
    return { status, headers: plainHeaders(response), body: read };
  } catch (thrown) {
    throw translated(thrown, both, url.host);
  } finally {
    clearTimeout(late);
    sent.destroy();
  }
}

function responseTo(sent: ClientRequest, body: string | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // Also after the response: an error that nobody listens to would end the daemon.
    sent.on("error", reject);
    sent.once("response", (response) => {
      response.on("error", () => undefined);
      resolve(response);
    });
    // A server that switches protocols or answers no request is not the web.
    sent.once("upgrade", (_response, socket) => {
      socket.destroy();
      reject(new Error("it switches to another protocol"));
    });
    sent.end(body);
  });
}

/** Answers with the checked addresses, whatever is asked. */
function pinned(addresses: CheckedAddresses): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, done) => {
    if (options.all === true) done(null, all);
    else done(null, addresses[0], isIP(addresses[0]));
  };
}

function plainHeaders({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  const entries = Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]);
  return Object.fromEntries(entries.filter(([, value]) => typeof value === "string"));
}

export function tookTooLong(what: string): NomosError {
  return new NomosError("web_timeout", {}, { message: `The server took too long: ${what}.` });
}

function translated(thrown: unknown, signal: AbortSignal, host: string): unknown {
  if (signal.aborted) return signal.reason;
  if (thrown instanceof NomosError) return thrown;
  const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
  const why = WHY[code] ?? (/^(CERT_|ERR_TLS|DEPTH_|UNABLE_|SELF_SIGNED)/.test(code) ? TLS : null);
  if (why !== null)
    return new NomosError("web_unreachable", { host, code }, { message: `${host} ${why}.`, cause: thrown });
  const message = `The answer of ${host} cannot be read${code === "" ? "" : ` (${code})`}.`;
  return new NomosError("web_answer_invalid", { host, code }, { message, cause: thrown });
}

const TLS = "has a certificate that cannot be trusted";
const WHY: { readonly [code: string]: string | undefined } = {
  ECONNREFUSED: "refused the connection",
  ECONNRESET: "closed the connection",
  EPIPE: "closed the connection",
  ETIMEDOUT: "did not answer",
  EHOSTUNREACH: "cannot be reached",
  ENETUNREACH: "cannot be reached",
  EADDRNOTAVAIL: "cannot be reached",
  ERR_STREAM_PREMATURE_CLOSE: "closed the connection too early",
  EPROTO: "speaks no TLS",
};
