import { sameBytes } from "../../../domains/index.ts";
import { bytes, idBytes } from "../../log/encoding.ts";
import { checkExpected, type WritePart, type WriteReply, type WriteRequest } from "../../log/write-request.ts";
import type { DoomedBlobs } from "./doomed-blobs.ts";
import type { Heads } from "./heads.ts";
import type { UsageBooks } from "./usage.ts";
import type { WriteStatements } from "./write-statements.ts";

export interface CheckDeps {
  readonly sql: WriteStatements;
  readonly heads: Pick<Heads, "of">;
  readonly usage: Pick<UsageBooks, "check">;
  readonly doomed: Pick<DoomedBlobs, "isGone">;
  /** The log's current fence. */
  readonly fence: () => number;
}

/** For a stream without a number: it uses nothing. Numbers start at 1, and 0 is the whole log. */
const NO_STREAM = -1;

/** Checks all conditions of a request before its first insert. Null means that it may be written. */
export function createChecks({ sql, heads, usage, doomed, fence }: CheckDeps) {
  const versionOf = (stream: string): number => heads.of(stream)?.version ?? 0;

  const checkFence = (request: WriteRequest): WriteReply | null => {
    const current = fence();
    const taken = request.parts.flatMap((part) => part.events).find((event) => event.takesFence !== null)?.takesFence;
    return request.fence !== (taken ?? current) || (taken != null && taken <= current)
      ? { refused: "stale_fence", details: { fence: request.fence, current } }
      : null;
  };

  const checkCall = ({ call }: WriteRequest): WriteReply | null => {
    const known = call === null ? undefined : sql.call.get(Buffer.from(call.key, "hex"));
    if (known === undefined) return null;
    const same = sameBytes(bytes(known["request"]), Buffer.from(call?.request ?? "", "hex"));
    return same
      ? { refused: "stale_version", details: { reason: "this call has already run" } }
      : { refused: "idempotency_key_reused", details: {} };
  };

  const checkErasure = ({ erase }: WriteRequest): WriteReply | null => {
    const unknown = erase?.events.find(({ id }) => sql.seqOf.get(idBytes(id), erase.stream) === undefined);
    return unknown === undefined ? null : { refused: "event_not_found", details: { id: unknown.id } };
  };

  const checkPart = ({ stream, expectedVersion, continues, events }: WritePart): WriteReply | null => {
    if (continues !== null && sql.hashAt.get(continues.stream, continues.version) === undefined)
      return { refused: "event_not_found", details: { ...continues } };
    const head = heads.of(stream);
    if (head?.isWhole === false)
      return { refused: "log_corrupt", details: { stream, version: head.version, problem: "hash_mismatch" } };
    const found = head?.version ?? 0;
    if (found !== expectedVersion)
      return { refused: "stale_version", details: { stream, expected: expectedVersion, found } };
    const blob = events.flatMap(({ blobs }) => blobs).find(doomed.isGone);
    return blob === undefined ? null : { refused: "blob_missing", details: { blob } };
  };

  const checkParts = ({ parts }: WriteRequest): WriteReply | null => {
    for (const part of parts) {
      const refusal = checkPart(part);
      if (refusal !== null) return refusal;
    }
    return null;
  };

  const checkQuota = ({ quota, parts }: WriteRequest): WriteReply | null =>
    quota === null ? null : usage.check(quota, parts, (stream) => heads.of(stream)?.no ?? NO_STREAM);

  return {
    versionOf,
    check: (request: WriteRequest): WriteReply | null =>
      checkFence(request) ??
      checkCall(request) ??
      checkErasure(request) ??
      checkParts(request) ??
      checkExpected(request.expect, versionOf) ??
      checkQuota(request),
  };
}
