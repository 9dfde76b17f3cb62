import { NomosError, refusalError } from "../../contract/index.ts";
import { compareLeases, type Lease, parseLease, writeLease } from "../../domains/index.ts";
import { isRefusal } from "../../kernel/index.ts";
import type { LocalRefs, RefMovement } from "../refs/local-refs.ts";
import type { SharedPlace } from "../refs/ref-documents.ts";
import { LEASE_PATTERNS, leasedIn, refOf, seenRefOf, theirRefOf } from "../refs/ref-names.ts";
import { type RemoteRefs, remoteFailed } from "../refs/remote-refs.ts";
import { createSeenLeases, isTheirs, movesTo, type SeenLease } from "./seen-leases.ts";

/** The records of one ticket that count, and where the refs are, for compare and swap. */
export interface KnownLeases {
  readonly all: readonly Lease[];
  readonly newest: Lease | null;
  /** Our ref and ExoProtocol's: at the remote where there is one. */
  readonly ours: string | null;
  readonly theirs: string | null;
}

/** Leases as refs. With a remote it decides, and the clone's refs show what was last seen there. */
export interface LeaseRefs {
  /** The newest record that this clone has seen. Null also where it cannot be read. */
  readonly lastSeen: (place: Pick<SharedPlace, "repository">, ticketId: string) => Promise<Lease | null>;
  /** As this clone knows it. Without a remote, a record that cannot be read is refused: nothing would mend it. */
  readonly here: (place: SharedPlace, ticketId: string) => Promise<KnownLeases>;
  /** As the remote has it now; the clone's refs follow. */
  readonly there: (place: SharedPlace, remote: string, ticketId: string) => Promise<KnownLeases>;
  /** False where a ref is no longer as it was known. */
  readonly write: (place: SharedPlace, known: KnownLeases, lease: Lease) => Promise<boolean>;
  /** Brings what the remote has of all tickets. What cannot be read or went back is left for whoever asks for it. */
  readonly refresh: (place: SharedPlace, remote: string) => Promise<void>;
  /** All tickets that this clone knows a lease of. */
  readonly list: (place: Pick<SharedPlace, "repository">) => Promise<readonly Lease[]>;
}

/** A remote refuses a push also for a moment: two pushes lock the same ref. */
const PUSHES_MAX = 3;

export function createLeaseRefs(local: LocalRefs, remote: RemoteRefs): LeaseRefs {
  const { readable, look, settle } = createSeenLeases(local);
  const lookHere = async (place: SharedPlace, ticketId: string): Promise<SeenLease> => {
    const found = await look(place, ticketId);
    if (found.isDamaged && place.remote === null) throw damaged(ticketId, null);
    return found;
  };

  const there: LeaseRefs["there"] = async (place, from, ticketId) => {
    const [ourRef, theirRef] = [refOf("leases", ticketId), theirRefOf(ticketId)];
    const found = await remote.look(place.repository, from, [ourRef, theirRef]);
    const [ours, theirs] = [found.get(ourRef) ?? null, found.get(theirRef) ?? null];
    const [our, their] = [await readable(place, ticketId, ours), await readable(place, ticketId, theirs)];
    if (ours !== null && our === null) throw damaged(ticketId, { remote: from, ref: ourRef });
    if (theirs !== null && their === null) throw damaged(ticketId, { remote: from, ref: theirRef });
    const { newest, newestOid } = await look(place, ticketId);
    if (our !== null && newest !== null && !isTheirs(newest) && our.fence < newest.fence)
      throw rewound(from, our, newest);
    if (our !== null && newest !== null && newestOid !== null && isCutOff(newest, our)) {
      const isShared = await share(place, from, { ours, theirs }, { lease: newest, oid: newestOid });
      return isShared ? knownOf([newest], newestOid, newestOid) : there(place, from, ticketId);
    }
    if (our !== null && ours !== null) await settle(place, our, ours);
    if (their !== null && theirs !== null && theirs !== ours) await settle(place, their, theirs);
    return knownOf([remembered(newest, newestOid === theirs, our), our, their], ours, theirs);
  };

  const share = async (
    place: SharedPlace,
    to: string,
    known: Pick<KnownLeases, "ours" | "theirs">,
    made: Made,
  ): Promise<boolean> => {
    const { ticketId } = made.lease;
    const moves: readonly RefMovement[] = [
      { ref: refOf("leases", ticketId), from: known.ours, to: made.oid },
      { ref: theirRefOf(ticketId), from: known.theirs, to: made.oid },
    ];
    for (let pushes = 1; ; pushes++) {
      const words = await remote.push(place.repository, to, moves);
      if (words === null) return true;
      // What a cut connection did, only the remote knows.
      const found = await remote.look(
        place.repository,
        to,
        moves.map(({ ref }) => ref),
      );
      const now = moves.map(({ ref }) => found.get(ref) ?? null);
      if (now[0] === made.oid) return true;
      if (now.some((oid, at) => oid !== moves[at]?.from)) return false;
      if (pushes === PUSHES_MAX) throw remoteFailed(to, words);
    }
  };

  return {
    there,
    lastSeen: async (place, ticketId) => (await look(place, ticketId)).newest,
    here: async (place, ticketId) => {
      const { newest, newestOid } = await lookHere(place, ticketId);
      return knownOf([newest], newestOid, newestOid);
    },
    write: async (place, known, given) => {
      const lease = { ...given, remote: place.remote };
      const text = writeLease(lease);
      if (isRefusal(text)) throw refusalError(text);
      const parents = [known.ours, known.theirs].filter((oid) => oid !== null);
      const oid = await local.write(place.repository, text, parents, { isFlushed: place.remote === null });
      // A release is known here before others can claim: whoever is killed in between leaves no holder behind.
      const isFirstHere = place.remote === null || lease.releasedMs !== null;
      if (isFirstHere && !(await moveHere(place, known, { lease, oid }))) return false;
      if (place.remote === null) return true;
      // Git starts while the remote takes its time, and is told afterwards what to move.
      const prepared = await local.prepare(place.repository);
      try {
        if (!(await share(place, place.remote, known, { lease, oid }))) return false;
        await settle(place, lease, oid, prepared.move);
        return true;
      } finally {
        await prepared.drop();
      }
    },
    refresh: async (place, from) => {
      const { repository } = place;
      const here = new Map((await local.list(repository, "refs/nomos/")).map(({ ref, oid }) => [ref, oid]));
      for (const [ref, oid] of await remote.lookAll(repository, from, LEASE_PATTERNS)) {
        const ticketId = leasedIn(ref);
        if (ticketId === null || here.get(seenRefOf(ticketId)) === oid || here.get(refOf("leases", ticketId)) === oid)
          continue;
        const lease = await readable(place, ticketId, oid);
        if (lease !== null) await settle(place, lease, oid);
      }
    },
    list: async ({ repository }) => {
      const refs = await local.list(repository, "refs/nomos/leases/");
      const texts = await local.textsOf(
        repository,
        refs.map(({ oid }) => oid),
      );
      return refs.flatMap(({ oid }) => {
        const lease = parseLease(texts.get(oid) ?? "");
        return isRefusal(lease) ? [] : [lease];
      });
    },
  };

  async function moveHere(place: SharedPlace, known: KnownLeases, { lease, oid: to }: Made): Promise<boolean> {
    const found = await lookHere(place, lease.ticketId);
    return found.newestOid === known.ours && local.move(place.repository, movesTo(lease, to, found));
  }
}

interface Made {
  readonly lease: Lease;
  readonly oid: string;
}

function knownOf(records: readonly (Lease | null)[], ours: string | null, theirs: string | null): KnownLeases {
  const all = records.filter((one) => one !== null);
  return { all, newest: all.toSorted(compareLeases).at(-1) ?? null, ours, theirs };
}

/** A release that this clone has written, and whoever wrote it was killed before it was shared. */
function isCutOff(seen: Lease, our: Lease): boolean {
  return seen.nonce === our.nonce && seen.fence === our.fence && compareLeases(seen, our) > 0;
}

/**
 * What this clone has seen, where it still counts beside what the remote has. ExoProtocol releases by deleting its ref:
 * of such a lease only the fence counts. Another claim with the same fence was forged, or its ref moved by hand.
 */
function remembered(seen: Lease | null, isThere: boolean, our: Lease | null): Lease | null {
  if (seen === null || isThere) return seen;
  if (isTheirs(seen)) return { ...seen, releasedMs: seen.updatedMs };
  return our !== null && (seen.fence < our.fence || seen.nonce === our.nonce) ? null : seen;
}

function damaged(ticket: string, at: { readonly remote: string; readonly ref: string } | null): NomosError {
  const ref = at?.ref ?? refOf("leases", ticket);
  const remedy =
    at === null
      ? `Look at it with \`git log ${ref}\`; \`git update-ref -d ${ref}\` removes it.`
      : `Look at it with \`git ls-remote ${at.remote} ${ref}\`; \`git push ${at.remote} :${ref}\` removes it.`;
  return new NomosError("lease_damaged", { ticket, ref, remote: at?.remote ?? null }, { remedy });
}

function rewound(remote: string, now: Lease, seen: Lease): NomosError {
  const ref = refOf("leases", now.ticketId);
  return new NomosError(
    "lease_rewound",
    { ticket: now.ticketId, remote, ref, fence: now.fence, seenFence: seen.fence, owner: now.owner },
    { remedy: `Ask who moved it back; \`git push --force ${remote} ${seenRefOf(now.ticketId)}:${ref}\` restores it.` },
  );
}
