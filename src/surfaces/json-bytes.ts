import { jsonExcess, NomosError } from "../contract/index.ts";

/** Parses JSON from a client; an error says what is wrong and where. */
export function parseJsonBytes(bytes: Uint8Array): unknown {
  return parseJson(decode(bytes));
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new NomosError("invalid_utf8", {}, { cause });
  }
}

function parseJson(text: string): unknown {
  const excess = jsonExcess(text);
  if (excess !== null) throw new NomosError("invalid_request", { problem: excess });
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new NomosError("malformed_json", { at: cause instanceof Error ? cause.message : String(cause) }, { cause });
  }
}
