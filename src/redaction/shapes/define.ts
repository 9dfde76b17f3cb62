import { isMachineMade } from "./checks.ts";
import type { Shape } from "./shape.ts";

type Check = (secret: string) => boolean;

/** A key that is known by how it begins. */
export function key(id: string, patterns: string | readonly string[], check?: Check): Shape {
  return { id, patterns: typeof patterns === "string" ? [patterns] : patterns, check };
}

/**
 * A key without a beginning of its own, known by the name that it is assigned to: `datadog api key` stands for
 * `DATADOG_API_KEY=...`, `"datadogApiKey": "..."`, `--datadog-api-key ...` and whatever ends in one of these.
 */
export function assigned(
  id: string,
  names: string | readonly string[],
  body: string,
  check: Check = isMachineMade,
): Shape {
  const all = typeof names === "string" ? [names] : names;
  return { id, patterns: [body], names: all.map((name) => name.replaceAll(" ", "")), check };
}

export const UUID = "<x:8>-<x:4>-<x:4>-<x:4>-<x:12>";
