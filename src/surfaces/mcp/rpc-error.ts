import { ERROR_CATALOGUE, errorBody, type NomosError } from "../../contract/index.ts";

/** JSON-RPC's own codes for messages that are not JSON-RPC. Other refusals get the server's code. */
const NUMBERS: { readonly [code: string]: number } = {
  malformed_json: -32_700,
  invalid_utf8: -32_700,
  invalid_request: -32_600,
};
const SERVER_ERROR = -32_000;

/** An error before any method was called: a JSON-RPC error with ours as its data. */
export function refusal(error: NomosError): Response {
  const { status } = ERROR_CATALOGUE[error.code];
  const { message, code } = error;
  const wait = error.details["retryAfterSeconds"];
  const body = {
    jsonrpc: "2.0",
    id: null,
    error: { code: NUMBERS[code] ?? SERVER_ERROR, message, data: errorBody(error).error },
  };
  return Response.json(body, {
    status,
    headers: {
      ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
      ...(status === 405 ? { allow: "GET, POST, DELETE" } : {}),
      ...(typeof wait === "number" ? { "retry-after": String(wait) } : {}),
    },
  });
}
