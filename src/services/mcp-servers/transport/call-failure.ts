import { NomosError } from "../../../contract/index.ts";
import { memberOf } from "../../../kernel/index.ts";

/**
 * Why a call failed. `unsent`: the server never had it. `lost`: the connection is over, and nobody knows whether the call
 * was done. `silent`: it did not answer in time. `answered`: the server, or we, said no.
 */
export interface CallFailure {
  readonly kind: "unsent" | "lost" | "silent" | "answered";
  readonly reason: string;
}

/** Errors of the library are told apart by their codes, so that the library need not be loaded here. */
export function callFailure(thrown: unknown): CallFailure {
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  if (thrown instanceof NomosError) return { kind: "answered", reason };
  const code = memberOf(thrown, "code");
  const status = memberOf(memberOf(thrown, "data"), "status");
  if (code === "REQUEST_TIMEOUT") return { kind: "silent", reason };
  // The server has forgotten our MCP session, which it says before it reads the message.
  if (status === NOT_FOUND) return { kind: "unsent", reason: "it has forgotten the connection" };
  if (code === "CONNECTION_CLOSED" || code === "SEND_FAILED") return { kind: "lost", reason };
  if (code === "NOT_CONNECTED") return { kind: "unsent", reason };
  const network = memberOf(memberOf(thrown, "cause"), "code");
  if (network === "ECONNREFUSED" || network === "ENOTFOUND") return { kind: "unsent", reason: `${network}` };
  if (thrown instanceof TypeError || typeof network === "string")
    return { kind: "lost", reason: typeof network === "string" ? network : reason };
  return { kind: "answered", reason };
}

const NOT_FOUND = 404;
