import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { ERROR_CATALOGUE, errorBody, type NomosError } from "../../contract/index.ts";
import type { FileAnswer } from "../files/web-files.ts";

type ServerResponse = HttpBindings["outgoing"];

/** Answers hold text of sessions: no browser may keep them, or take them for anything but what they say they are. */
export const ANSWER_HEADERS = { "cache-control": "no-store", "x-content-type-options": "nosniff" } as const;
export const JSON_HEADERS = { ...ANSWER_HEADERS, "content-type": "application/json" } as const;

/**
 * Writes straight to the socket: a web `Response` would copy the text through a stream, a third of a read's cost. Ended
 * after the other requests that arrived with this one, so that a client with many connections is woken once for all.
 */
export function sendJson(response: ServerResponse, status: number, body: string): Response {
  response.writeHead(status, { ...JSON_HEADERS, "content-length": Buffer.byteLength(body) });
  setImmediate(() => response.end(body));
  return RESPONSE_ALREADY_SENT;
}

export function answerError(error: NomosError): Response {
  const { status } = ERROR_CATALOGUE[error.code];
  const wait = error.details["retryAfterSeconds"];
  const more = typeof wait === "number" ? { "retry-after": String(wait) } : {};
  return Response.json(errorBody(error), { status, headers: { ...JSON_HEADERS, ...more } });
}

export function sendFile(response: ServerResponse, { status, headers, body }: FileAnswer): Response {
  const length = status === 304 ? {} : { "content-length": body.length };
  response.writeHead(status, { ...headers, ...length });
  response.end(body);
  return RESPONSE_ALREADY_SENT;
}
