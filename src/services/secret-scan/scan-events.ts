import type { FoundSecret } from "../../domains/index.ts";
import { blobsIn, type EventPage, type EventQuery, type RecordedEvent, StoreError } from "../../store/index.ts";
import type { Look, Seen } from "./look.ts";
import type { PlacedSecret } from "./tally.ts";

/** A log that is looked through page by page: that of the home, or of a backup. */
export interface EventSource {
  readonly page: (query: EventQuery) => Promise<EventPage> | EventPage;
  readonly blob: (sha256: string) => Promise<Uint8Array | null>;
}

export interface EventSight {
  readonly event: RecordedEvent;
  readonly found: readonly PlacedSecret[];
}

export interface SightNotes {
  readonly unread: (as: string, name: string) => void;
  readonly looked: (more: { readonly events?: number; readonly blobs?: number; readonly bytes?: number }) => void;
}

const PAGE_EVENTS = 100;
/** Results of blobs that are remembered, because many events may name one. */
const BLOBS_KNOWN_MAX = 10_000;

/** Every event after a seq and up to another that is wanted, with what was found in it. */
export async function* lookThrough(
  source: EventSource,
  look: Look,
  { after, upTo }: { readonly after: number; readonly upTo: number },
  isWanted: (stream: string) => boolean,
  notes: SightNotes,
): AsyncGenerator<EventSight> {
  const blobs = createBlobLook(source, look, notes);
  for (let from: number | null = after; from !== null && from < upTo; ) {
    const page: EventPage = await source.page({ after: from, before: upTo + 1, limit: PAGE_EVENTS });
    for (const event of page.events) {
      if (!isWanted(event.stream)) continue;
      notes.looked({ events: 1 });
      yield { event, found: [...inHeader(look, event), ...inData(look, event), ...(await inBlobs(blobs, event))] };
      await look.breathe();
    }
    from = page.next;
  }
}

/** The name of a stream, of an actor or of a custom type may hold one: such a header stays for ever. */
function inHeader(look: Look, { stream, actor, type }: RecordedEvent): readonly PlacedSecret[] {
  return placed(look.data([stream, actor, type]), "header");
}

function inData(look: Look, { data }: RecordedEvent): readonly PlacedSecret[] {
  return data === null ? [] : placed(look.data(data), "data");
}

type BlobLook = (sha256: string, eventId: string) => Promise<readonly FoundSecret[]>;

async function inBlobs(blobs: BlobLook, { id, data }: RecordedEvent): Promise<readonly PlacedSecret[]> {
  const found: PlacedSecret[] = [];
  for (const blob of blobsIn(data)) found.push(...placed(await blobs(blob, id), "blob"));
  return found;
}

function placed(found: readonly FoundSecret[], where: PlacedSecret["where"]): readonly PlacedSecret[] {
  return found.map((one) => ({ ...one, where }));
}

function createBlobLook({ blob }: EventSource, look: Look, notes: SightNotes): BlobLook {
  const known = new Map<string, Seen["found"]>();
  return async (sha256, eventId) => {
    const before = known.get(sha256);
    if (before !== undefined) return before;
    const bytes = await blob(sha256).catch(ifDamaged);
    const name = `blob ${sha256} of event ${eventId}`;
    if (bytes === null || bytes === "damaged") notes.unread(bytes ?? "missing", name);
    const seen = typeof bytes === "string" || bytes === null ? NOTHING : await look.bytes(bytes);
    if (seen.unread !== null) notes.unread(seen.unread, name);
    notes.looked({ blobs: 1, bytes: seen.bytes });
    if (known.size >= BLOBS_KNOWN_MAX) known.clear();
    known.set(sha256, seen.found);
    return seen.found;
  };
}

const NOTHING: Seen = { found: [], unread: null, bytes: 0 };

/** One damaged blob does not end the scan: `nomos doctor` is for that. */
function ifDamaged(thrown: unknown): "damaged" {
  if (thrown instanceof StoreError && thrown.code === "log_corrupt") return "damaged";
  throw thrown;
}
