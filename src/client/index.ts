export {
  type CallName,
  type CallOptions,
  type Client,
  type ClientOptions,
  createClient,
  type InputOf,
  type OutputOf,
  type StreamName,
  type SyscallName,
} from "./client.ts";
export { ClientError, catalogued, type ErrorMembers } from "./client-error.ts";
export type { StreamOptions } from "./follow.ts";
export { ERRORS, SYSCALLS } from "./manifest.generated.ts";
export type { CatalogueEntry, Member, SyscallEntry } from "./manifest.ts";
export { type BodyReader, entryOf, type Fetch, type FetchInit, type FetchResponse } from "./request.ts";
export type { StreamItem } from "./stream-items.ts";
export type * from "./types.generated.ts";
