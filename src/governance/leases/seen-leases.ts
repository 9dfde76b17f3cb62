import { compareLeases, type Lease, parseLease } from "../../domains/index.ts";
import { isRefusal } from "../../kernel/index.ts";
import type { LocalRefs, RefMovement } from "../refs/local-refs.ts";
import type { SharedPlace } from "../refs/ref-documents.ts";
import { refOf, seenRefOf } from "../refs/ref-names.ts";

type Place = Pick<SharedPlace, "repository">;

/** What the clone's own refs say of a ticket. */
export interface SeenLease {
  readonly oid: string | null;
  readonly seenOid: string | null;
  readonly seen: Lease | null;
  readonly newest: Lease | null;
  readonly newestOid: string | null;
  readonly isDamaged: boolean;
}

/** Leases as this clone has seen them last. */
export interface SeenLeases {
  /** Null where it is no lease of this ticket. */
  readonly readable: (place: Place, ticketId: string, oid: string | null) => Promise<Lease | null>;
  readonly look: (place: Place, ticketId: string) => Promise<SeenLease>;
  /** Until the clone has seen this record, or a newer one. `move`: one that was prepared for it. */
  readonly settle: (place: Place, lease: Lease, to: string, move?: LocalRefs["move"]) => Promise<void>;
}

export function createSeenLeases(local: LocalRefs): SeenLeases {
  const readable: SeenLeases["readable"] = async (place, ticketId, oid) => {
    const text = oid === null ? null : await local.textOf(place.repository, oid);
    const lease = text === null ? null : parseLease(text);
    return lease === null || isRefusal(lease) || lease.ticketId !== ticketId ? null : lease;
  };

  const look: SeenLeases["look"] = async (place, ticketId) => {
    const { repository } = place;
    const [oid, seenOid] = await Promise.all([
      local.oidOf(repository, refOf("leases", ticketId)),
      local.oidOf(repository, seenRefOf(ticketId)),
    ]);
    const [lease, seen] = [await readable(place, ticketId, oid), await readable(place, ticketId, seenOid)];
    const isDamaged = lease === null && seen === null && (oid !== null || seenOid !== null);
    // A ref that was moved back, or damaged, is not believed.
    const isSeenNewer = seen !== null && (lease === null || compareLeases(seen, lease) > 0);
    const newestOid = isSeenNewer ? seenOid : oid;
    return { oid, seenOid, seen, newest: isSeenNewer ? seen : lease, newestOid, isDamaged };
  };
  return {
    readable,
    look,
    settle: async (place, lease, to, prepared = local.move) => {
      for (let move = prepared; ; move = local.move) {
        const found = await look(place, lease.ticketId);
        if (found.newest !== null && compareLeases(found.newest, lease) >= 0) return;
        if (await move(place.repository, movesTo(lease, to, found))) return;
      }
    },
  };
}

/**
 * A heartbeat is not remembered apart: what was seen is there to notice fences and releases that go back. A record of
 * ExoProtocol is no state of our ref.
 */
export function movesTo(lease: Lease, to: string, { oid, seenOid, seen }: SeenLease): readonly RefMovement[] {
  const isBeat = seen !== null && seen.fence === lease.fence && seen.nonce === lease.nonce && lease.releasedMs === null;
  return [
    ...(isTheirs(lease) ? [] : [{ ref: refOf("leases", lease.ticketId), from: oid, to }]),
    ...(isBeat ? [] : [{ ref: seenRefOf(lease.ticketId), from: seenOid, to }]),
  ];
}

/** Written by ExoProtocol. */
export const isTheirs = ({ clone }: Lease): boolean => clone === null;
