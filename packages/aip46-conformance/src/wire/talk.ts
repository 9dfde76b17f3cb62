import type { Answer, Asked, Bench } from "../bench/bench.ts";
import { parseJson } from "./parse-json.ts";

/** HTTP requests that all benches use. */
export function createTalk(url: string, token: string): Pick<Bench, "url" | "bearer" | "call" | "open"> {
  const base = url.replace(/\/+$/, "");
  const headersOf = (asked: Asked): Headers => {
    const headers = new Headers(asked.headers);
    const bearer = asked.token === undefined ? token : asked.token;
    if (bearer !== null) headers.set("authorization", `Bearer ${bearer}`);
    if (asked.body !== undefined) headers.set("content-type", "application/json");
    return headers;
  };
  return {
    url: base,
    bearer: token,
    call: async (method, path, asked = {}): Promise<Answer> => {
      const body = asked.body === undefined ? {} : { body: JSON.stringify(asked.body) };
      const response = await fetch(`${base}${path}`, { method, headers: headersOf(asked), ...body });
      // A stream has no end to wait for.
      if (response.headers.get("content-type")?.startsWith("text/event-stream") === true && method === "GET") {
        await response.body?.cancel();
        return { status: response.status, headers: response.headers, text: "", body: undefined };
      }
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, body: parseJson(text) };
    },
    open: (path, { headers, signal }) => fetch(`${base}${path}`, { headers: headersOf({ headers }), signal }),
  };
}
