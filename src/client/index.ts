export { type Client, createClient, type InputOf, type OutputOf } from "./client.ts";
export { ClientError, catalogued, errorIn } from "./client-error.ts";
export { loadEntries, SHORT_NAMES, SYSCALL_NAMES } from "./entries.ts";
export { ERRORS } from "./errors.generated.ts";
export type { Member, SyscallEntry } from "./manifest.ts";
export { type Connect, createNomos, isMissing } from "./nomos.ts";
export type { BodyReader, Fetch, FetchResponse } from "./request.ts";
export type { StreamItem } from "./stream-items.ts";
export type { Approval, LogEvent, Session } from "./types.generated.ts";
