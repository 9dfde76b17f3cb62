/** `nomos/client` as a browser loads it; src/cli/daemon/node-client.ts is what Node loads. */
import { memberOf } from "../kernel/index.ts";
import { type Connect, createNomos, isMissing } from "./nomos.ts";

export type { CallName, CallOptions, InputOf, OutputOf, StreamName, SyscallName } from "./client.ts";
export { ClientError } from "./client-error.ts";
export type { Families } from "./families.generated.ts";
export type { StreamOptions } from "./follow.ts";
export type { Connect, ConnectOptions, Nomos } from "./nomos.ts";
export type { BodyReader, Fetch, FetchInit, FetchResponse, UnknownMembers } from "./request.ts";
export type { Ran, RunOptions } from "./run-to-end.ts";
export type { StreamItem } from "./stream-items.ts";
export type { Agent, Approval, ErrorCode, Json, LogEvent, Session, SyscallTypes } from "./types.generated.ts";
export type { Verb } from "./verb.ts";

/** A client of a daemon. In Node it finds the daemon of the home; elsewhere it needs a `token`, and off its page a `url`. */
export const connect: Connect = async ({ url = pageOrigin(), token, ...rest } = {}) => {
  if (url === undefined) throw isMissing("url");
  if (token === undefined) throw isMissing("token");
  return createNomos({ url, token, ...rest });
};

function pageOrigin(): string | undefined {
  const origin = memberOf(Reflect.get(globalThis, "location"), "origin");
  return typeof origin === "string" && origin.startsWith("http") ? origin : undefined;
}
