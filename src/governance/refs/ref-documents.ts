import { NomosError } from "../../contract/index.ts";
import type { LocalRefs } from "./local-refs.ts";
import { idIn, type RefKind, refOf } from "./ref-names.ts";
import type { RefPlace } from "./ref-place.ts";
import { type RemoteRefs, remoteFailed } from "./remote-refs.ts";

/** A text that is kept for a ticket under a ref: its status, or the evidence that it is done. */
export interface RefDocument {
  readonly id: string;
  /** The commit. Names this state for `swap`. */
  readonly oid: string;
  readonly text: string;
}

/** Where a repository shares its refs: a remote's name, or null for this clone alone. */
export interface SharedPlace {
  readonly repository: RefPlace;
  readonly remote: string | null;
}

export type DocumentKind = Exclude<RefKind, "leases">;

/** Documents with compare and swap. With a remote, it decides; the refs of the clone show what was last seen there. */
export interface RefDocuments {
  /** As this clone knows it. Null when there is none. */
  readonly read: (place: SharedPlace, kind: DocumentKind, id: string) => Promise<RefDocument | null>;
  readonly list: (place: SharedPlace, kind: DocumentKind) => Promise<readonly RefDocument[]>;
  /** `from`: the state that the new text is made for, null for none. Refused where somebody was faster. */
  readonly swap: (
    place: SharedPlace,
    kind: DocumentKind,
    id: string,
    change: { readonly from: string | null; readonly text: string },
  ) => Promise<Swapped>;
  /** Brings what the remote has. Does nothing without one. */
  readonly refresh: (place: SharedPlace, kind: DocumentKind) => Promise<void>;
}

export type Swapped =
  | { readonly swapped: true; readonly document: RefDocument }
  | { readonly swapped: false; readonly now: RefDocument | null };

const TEXT_BYTES_MAX = 1_000_000;
const PUSHES_MAX = 3;

export function createRefDocuments(local: LocalRefs, remote: RemoteRefs): RefDocuments {
  const documentAt = async (repository: RefPlace, id: string, oid: string | null): Promise<RefDocument | null> => {
    if (oid === null) return null;
    const text = await local.textOf(repository, oid);
    return text === null ? null : { id, oid, text };
  };
  const read: RefDocuments["read"] = async ({ repository }, kind, id) =>
    documentAt(repository, id, await local.oidOf(repository, refOf(kind, id)));
  /** Null: pushed. Otherwise where the ref is there. */
  const share = async (
    repository: RefPlace,
    to: string,
    { ref, from: first, oid }: { readonly ref: string; readonly from: string | null; readonly oid: string },
  ): Promise<string | null> => {
    let from = first;
    for (let pushes = 1; ; pushes++) {
      const words = await remote.push(repository, to, [{ ref, from, to: oid }]);
      if (words === null) return null;
      const there = (await remote.look(repository, to, [ref])).get(ref) ?? null;
      if (there === oid) return null;
      if (there !== null && there !== from) return there;
      if (pushes === PUSHES_MAX) throw remoteFailed(to, words);
      // Null where it was written before there was a remote, or somebody deleted it there.
      from = there;
    }
  };
  const swapShared = async (
    place: SharedPlace,
    to: string,
    {
      kind,
      id,
      from,
      oid,
    }: { readonly kind: DocumentKind; readonly id: string; readonly from: string | null; readonly oid: string },
  ): Promise<RefDocument | null | "swapped"> => {
    const { repository } = place;
    const ref = refOf(kind, id);
    if ((await local.oidOf(repository, ref)) !== from) return read(place, kind, id);
    const there = await share(repository, to, { ref, from, oid });
    // Where another process of this clone was faster, it has seen a newer state than this one.
    await local.move(repository, [{ ref, from, to: there ?? oid }]);
    return there === null ? "swapped" : documentAt(repository, id, there);
  };
  return {
    read,
    list: async ({ repository }, kind) => {
      const refs = await local.list(repository, `refs/nomos/${kind}/`);
      const texts = await local.textsOf(
        repository,
        refs.map(({ oid }) => oid),
      );
      return refs.flatMap(({ ref, oid }) => {
        const [id, text] = [idIn(ref, kind), texts.get(oid) ?? null];
        return id === null || text === null ? [] : [{ id, oid, text }];
      });
    },
    swap: async (place, kind, id, { from, text }) => {
      const { repository } = place;
      const ref = refOf(kind, id);
      const bytes = Buffer.byteLength(text);
      if (bytes > TEXT_BYTES_MAX) throw new NomosError("body_too_large", { bytes, bytesMax: TEXT_BYTES_MAX });
      const oid = await local.write(repository, text, from === null ? [] : [from], {
        isFlushed: place.remote === null,
      });
      const document = { id, oid, text };
      if (place.remote === null) {
        const isMoved = await local.move(repository, [{ ref, from, to: oid }]);
        return isMoved ? { swapped: true, document } : { swapped: false, now: await read(place, kind, id) };
      }
      const now = await swapShared(place, place.remote, { kind, id, from, oid });
      return now === "swapped" ? { swapped: true, document } : { swapped: false, now };
    },
    refresh: async ({ repository, remote: from }, kind) => {
      if (from === null) return;
      const here = new Map((await local.list(repository, `refs/nomos/${kind}/`)).map(({ ref, oid }) => [ref, oid]));
      const there = await remote.lookAll(repository, from, [`refs/nomos/${kind}/*`]);
      const moves = [...there]
        .filter(([ref, oid]) => idIn(ref, kind) !== null && here.get(ref) !== oid)
        .map(([ref, oid]) => ({ ref, from: here.get(ref) ?? null, to: oid }));
      if (moves.length === 0 || (await local.move(repository, moves))) return;
      // Some of them moved meanwhile: those are newer here.
      for (const move of moves) await local.move(repository, [move]);
    },
  };
}
