import { join } from "node:path";
import { hex } from "../../domains/index.ts";
import type { Json } from "../../kernel/index.ts";
import { readIfThere } from "../files/durable-file.ts";
import { blobsIn } from "../log/prepare-append.ts";
import { type RecordedEvent, type Store, StoreError } from "../port.ts";
import { openSqliteStore } from "../sqlite/store.ts";
import { readKept, type SignedCheckpoint } from "../tree/checkpoint-keeper.ts";
import { type LogKey, openLogKey } from "../tree/log-key.ts";
import { rootOfLog } from "../tree/walk-log.ts";
import { invalid, type Manifest } from "./manifest.ts";

export interface VerifiedBackup {
  readonly key: LogKey;
  readonly kept: SignedCheckpoint;
}

/**
 * Verifies all that a backup promises: every event and its chain, the checkpoint signed by the log's key, no missing
 * events at the end, no missing data except erased data, and every named blob.
 */
export async function verifyBackup(from: string, folder: string, manifest: Manifest): Promise<VerifiedBackup> {
  try {
    const store = await openSqliteStore({ home: folder, onFatal: () => undefined });
    return await verify(from, folder, manifest, store).finally(store.close);
  } catch (cause) {
    if (!(cause instanceof StoreError) || !DAMAGE.includes(cause.code)) throw cause;
    throw invalid(from, "it holds what was never written", { ...cause.details }, cause);
  }
}

const DAMAGE: readonly string[] = [
  "log_corrupt",
  "checkpoint_invalid",
  "log_rolled_back",
  "tile_missing",
  "blob_missing",
];

async function verify(from: string, folder: string, manifest: Manifest, store: Store): Promise<VerifiedBackup> {
  if ((await readIfThere(join(folder, "keys", "log.key"))) === null) throw invalid(from, "the log's key is missing");
  const key = await openLogKey(join(folder, "keys"));
  const kept = await readKept(join(folder, "checkpoint"), key);
  if (kept === null) throw invalid(from, "the checkpoint is missing");
  const size = await store.lastSeq();
  if (size !== kept.size || size !== manifest.size)
    throw invalid(from, "the log is not as long as it was", { events: size, signed: kept.size, said: manifest.size });
  const { ok, problems } = await store.verify();
  if (!ok) throw invalid(from, "an event is not what was written", { ...problems[0] });
  const root = hex(await rootOfLog(store, size));
  if (root !== hex(kept.root) || root !== manifest.root)
    throw invalid(from, "the log does not come to the root that was signed", { root, signed: hex(kept.root) });
  await checkData(from, manifest, store);
  return { key, kept };
}

const PAGE = 500;

async function checkData(from: string, { missingBlobs }: Manifest, store: Store): Promise<void> {
  const blank = new Map<string, string>();
  const seen = new Set<string>(missingBlobs);
  const check = async ({ id, stream, type, data }: RecordedEvent): Promise<void> => {
    if (data === null) blank.set(id, stream);
    if (type === "data.erased@1") for (const gone of erasedBy(data)) if (blank.get(gone) === stream) blank.delete(gone);
    for (const blob of data === null ? [] : blobsIn(data)) {
      if (seen.has(blob)) continue;
      if ((await store.blob(blob)) === null && isOurs(type)) throw invalid(from, "a blob is missing", { blob });
      seen.add(blob);
    }
  };
  for (let after: number | null = 0; after !== null; ) {
    const page = await store.readAll({ after, limit: PAGE });
    for (const event of page.events) await check(event);
    after = page.next;
  }
  const [first] = blank;
  if (first !== undefined)
    throw invalid(from, "an event's data is gone and nothing says that it was erased", {
      event: first[0],
      stream: first[1],
    });
}

/** False for types that hold foreign JSON: it may name blobs that we never stored. */
function isOurs(type: string): boolean {
  return !type.startsWith("x.") && type !== "effect.intended@1" && type !== "approval.requested@1";
}

function erasedBy(data: Json): readonly string[] {
  const events = typeof data === "object" && data !== null && "events" in data ? data["events"] : [];
  return Array.isArray(events) ? events.filter((id) => typeof id === "string") : [];
}
