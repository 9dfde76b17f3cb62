import type { RequestError } from "@agentclientprotocol/sdk";

const REASON_CHARS = 2_000;
/** Messages of JSON-RPC itself. They say nothing to a person; what happened stands in the data, if anywhere. */
const GENERIC = /^(internal error|invalid params|invalid request|method not found|parse error)\.?$/i;

/** Why the agent refused, in its own words and without JSON-RPC's numbers. */
export function agentSaid({ message, data }: Pick<RequestError, "message" | "data">): string {
  const reason = reasonIn(data);
  const isGeneric = GENERIC.test(message.trim());
  const said =
    reason === null ? (isGeneric ? "it gave no reason" : message) : isGeneric ? reason : `${message}: ${reason}`;
  return said.slice(0, REASON_CHARS);
}

function reasonIn(data: unknown): string | null {
  if (data === null || data === undefined || data === "") return null;
  if (typeof data === "string") return data;
  if (typeof data !== "object") return String(data);
  for (const name of ["details", "message", "reason", "error"]) {
    const value: unknown = Reflect.get(data, name);
    if (typeof value === "string" && value !== "") return value;
  }
  return JSON.stringify(data);
}
