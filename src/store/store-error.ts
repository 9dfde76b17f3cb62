import type { Json } from "../kernel/index.ts";

export class StoreError extends Error {
  readonly code: StoreErrorCode;
  readonly details: { readonly [key: string]: Json };
  constructor(code: StoreErrorCode, details: { readonly [key: string]: Json } = {}, cause?: unknown) {
    super(`${code} ${JSON.stringify(details)}`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
  }
}

export const STORE_ERROR_CODES = [
  "archive_invalid",
  "archive_not_found",
  "backup_exists",
  "backup_invalid",
  "backup_newer",
  "blob_missing",
  "checkpoint_invalid",
  "disk_full",
  "event_not_found",
  "export_exists",
  "home_in_use",
  "home_not_empty",
  "idempotency_key_reused",
  "log_corrupt",
  "log_newer",
  "log_rolled_back",
  "overloaded",
  "payload_too_large",
  "quota_exceeded",
  "stale_fence",
  "stale_version",
  "store_closed",
  "store_failed",
  "store_read_only",
  "store_unreachable",
  "store_unsuitable",
  "tile_missing",
  "tile_not_found",
] as const;
export type StoreErrorCode = (typeof STORE_ERROR_CODES)[number];
