import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type ArchiveRef, sessionStream } from "../../kernel/index.ts";
import { type ArchiveLine, hashFile, type RawEvent, readArchive, type Store, writeArchive } from "../../store/index.ts";

const PAGE_EVENTS = 500;

/** The events of a session that can leave the log: erasable ones that still have their data. */
export async function* erasableOf(
  store: Pick<Store, "rawStream" | "definitions">,
  id: string,
): AsyncGenerator<Erasable> {
  for (let version = 0; ; ) {
    const page = await store.rawStream(sessionStream(id), version, PAGE_EVENTS);
    if (page.length === 0) return;
    for (const event of page) {
      version += 1;
      const { salt, data } = event;
      const { id: eventId, type } = headerOf(event);
      if (salt !== null && data !== null && store.definitions.isErasable(type))
        yield { id: eventId, type, event: { ...event, salt, data } };
    }
  }
}

export interface Erasable {
  readonly id: string;
  readonly type: string;
  readonly event: RawEvent & { readonly salt: Uint8Array; readonly data: Uint8Array };
}

/** Includes what an interrupted earlier run archived: the new file takes it over. */
export async function archiveSessionData(
  store: Pick<Store, "rawStream" | "blob" | "definitions">,
  folder: string,
  id: string,
): Promise<ArchiveRef> {
  const file = `${id}.jsonl.zst`;
  const path = join(folder, file);
  async function* lines(): AsyncGenerator<ArchiveLine> {
    const seqs = new Set<number>();
    const blobs = new Set<string>();
    if (existsSync(path))
      for await (const line of readArchive(path)) {
        if (line.kind === "event") seqs.add(line.event.seq);
        else blobs.add(line.blob);
        yield line;
      }
    for await (const { event } of erasableOf(store, id)) {
      if (seqs.has(event.seq)) continue;
      yield { kind: "event", event };
      for (const blob of event.blobs) {
        if (blobs.has(blob)) continue;
        blobs.add(blob);
        const bytes = await store.blob(blob);
        if (bytes !== null) yield { kind: "blob", blob, bytes };
      }
    }
  }
  return { file, ...(await writeArchive(path, id, lines())) };
}

/** The archive of an earlier run, when nothing is left to add to it. */
export async function archiveThere(folder: string, id: string): Promise<ArchiveRef | null> {
  const file = `${id}.jsonl.zst`;
  return existsSync(join(folder, file)) ? { file, ...(await hashFile(join(folder, file))) } : null;
}

/** Removes partly written files of a killed run. The caller ensures that no archive is being written now. */
export async function removeTorn(folder: string): Promise<void> {
  const names = existsSync(folder) ? await readdir(folder) : [];
  for (const name of names) if (name.endsWith(".tmp")) await rm(join(folder, name), { force: true });
}

function headerOf({ header }: RawEvent): { readonly id: string; readonly type: string } {
  const { id, type }: { readonly id: string; readonly type: string } = JSON.parse(Buffer.from(header).toString("utf8"));
  return { id, type };
}
