export { type Client, createClient, type OutputOf } from "./client.ts";
export { ClientError, catalogued, errorIn } from "./client-error.ts";
export { ERRORS, SYSCALLS } from "./manifest.generated.ts";
export type { Member, SyscallEntry } from "./manifest.ts";
export type { BodyReader, Fetch, FetchResponse } from "./request.ts";
export type { StreamItem } from "./stream-items.ts";
export type { Approval, LogEvent, Session } from "./types.generated.ts";
