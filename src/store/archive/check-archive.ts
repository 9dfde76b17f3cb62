import { hashData, hashEvent, hex, sameBytes } from "../../domains/index.ts";
import type { Json } from "../../kernel/index.ts";
import { digest } from "../files/blobs.ts";
import { parseHeader } from "../log/encoding.ts";
import { sha256 } from "../log/sha256.ts";
import type { RecordedEvent, Store } from "../port.ts";
import { type ArchivedEvent, damaged, readArchive } from "./archive-file.ts";

/**
 * The events of an archive with their data. Each is verified against the log, which still holds its header: the bytes
 * must have the recorded hash. Blobs are verified by their names.
 */
export async function* provedEvents(
  store: Pick<Store, "event">,
  stream: string,
  path: string,
): AsyncGenerator<RecordedEvent> {
  let line = 1;
  for await (const found of readArchive(path)) {
    line += 1;
    if (found.kind === "event") yield await proved(store, stream, path, line, found.event);
    else if (digest(found.bytes) !== found.blob) throw damaged(path, line, "a blob is not what it is called");
  }
}

async function proved(
  store: Pick<Store, "event">,
  stream: string,
  path: string,
  line: number,
  { prev, header, hash, salt, data }: ArchivedEvent,
): Promise<RecordedEvent> {
  const text = Buffer.from(header).toString("utf8");
  const said = parseHeader(text);
  const known = said === null ? null : await store.event(said.id);
  if (said === null || known === null || known.stream !== stream)
    throw damaged(path, line, "the log has no such event of this session");
  if (known.hash !== hex(hash) || !sameBytes(hashEvent(sha256, prev, text), hash))
    throw damaged(path, line, "the event is another one than the log's");
  if (hashData(sha256, salt, data) !== said.dataHash) throw damaged(path, line, "the data is not what was written");
  const value: Json = JSON.parse(Buffer.from(data).toString("utf8"));
  return { ...known, data: value };
}
