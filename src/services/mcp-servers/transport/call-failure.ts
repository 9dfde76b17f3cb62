import { NomosError } from "../../../contract/index.ts";
import { memberOf } from "../../../kernel/index.ts";
import { networkCode, plainReason } from "./plain-reason.ts";

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
  const reason = plainReason(thrown);
  if (thrown instanceof NomosError) return { kind: "answered", reason };
  const code = memberOf(thrown, "code");
  const status = memberOf(memberOf(thrown, "data"), "status");
  if (code === "REQUEST_TIMEOUT") return { kind: "silent", reason };
  // The server has forgotten our MCP session, which it says before it acts on the message. Many say 400 instead of 404.
  if (status === NOT_FOUND || (status === BAD_REQUEST && /session/i.test(reason)))
    return { kind: "unsent", reason: "it has forgotten the connection" };
  if (code === "CONNECTION_CLOSED" || code === "SEND_FAILED") return { kind: "lost", reason };
  if (code === "NOT_CONNECTED") return { kind: "unsent", reason };
  const network = networkCode(thrown);
  if (network === "ECONNREFUSED" || network === "ENOTFOUND") return { kind: "unsent", reason };
  if (thrown instanceof TypeError || network !== null) return { kind: "lost", reason };
  return { kind: "answered", reason };
}

const NOT_FOUND = 404;
const BAD_REQUEST = 400;
