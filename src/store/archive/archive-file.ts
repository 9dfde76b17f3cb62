import { createHash, randomBytes } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createZstdCompress, createZstdDecompress } from "node:zlib";
import type { ArchiveRef } from "../../kernel/index.ts";
import { FILE_MODE, flushFiles } from "../backup/flush-files.ts";
import { failure, flushFolder, isErrno, makeFolder, translated } from "../files/durable-file.ts";
import { type RawEvent, StoreError } from "../port.ts";

/**
 * The format of an archive: compressed lines of JSON. The first line describes the archive. Then come the events in
 * export form (header, salt and data can be hashed and compared with the log), then the blobs they name.
 */
export type ArchiveLine =
  | { readonly kind: "event"; readonly event: ArchivedEvent }
  | { readonly kind: "blob"; readonly blob: string; readonly bytes: Uint8Array };

export type ArchivedEvent = Omit<RawEvent, "salt" | "data"> & { readonly salt: Uint8Array; readonly data: Uint8Array };

const FORMAT = 1;
export const ARCHIVE = /^[0-9a-f-]{36}\.jsonl\.zst$/;

/** Writes a temporary file, flushes it and renames it over `path`. An existing archive stays until then. */
export async function writeArchive(
  path: string,
  session: string,
  lines: AsyncIterable<ArchiveLine>,
): Promise<Omit<ArchiveRef, "file">> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  const hash = createHash("sha256");
  let bytes = 0;
  const counting = new Transform({
    transform: (chunk: Uint8Array, _encoding, done) => {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  async function* text(): AsyncGenerator<string> {
    yield `${JSON.stringify({ nomos: "archive", format: FORMAT, session })}\n`;
    for await (const line of lines) yield textOf(line);
  }
  try {
    await translated(async () => {
      await makeFolder(dirname(path));
      const file = createWriteStream(temporary, { flags: "wx", mode: FILE_MODE });
      await pipeline(Readable.from(text()), createZstdCompress(), counting, file);
      await flushFiles([temporary]);
      await rename(temporary, path);
      await flushFolder(dirname(path));
    });
  } catch (cause) {
    await rm(temporary, { force: true });
    throw cause;
  }
  return { sha256: hash.digest("hex"), bytes };
}

/** Reads an archive line by line. An unreadable line throws an error with its line number; none is skipped. */
export async function* readArchive(path: string): AsyncGenerator<ArchiveLine> {
  let at = 0;
  const source = createReadStream(path);
  const unpacked = createZstdDecompress();
  const fail = (cause: Error): void => void unpacked.destroy(cause);
  source.on("error", fail);
  const bounded = refuseEndless((problem) => damaged(path, at + 1, problem));
  unpacked.on("error", (cause) => void bounded.destroy(cause));
  source.pipe(unpacked).pipe(bounded);
  try {
    for await (const text of createInterface({ input: bounded, crlfDelay: Number.POSITIVE_INFINITY })) {
      at += 1;
      if (at === 1) checkFirst(path, text);
      else yield lineOf(path, at, text);
    }
  } catch (cause) {
    throw readFailure(path, at, cause);
  } finally {
    source.destroy();
    unpacked.destroy();
    bounded.destroy();
  }
  if (at === 0) throw damaged(path, 1, "it is empty");
}

/** More than the longest line and the largest unpacked archive that we write. */
const LINE_BYTES_MAX = 500_000_000;
const UNPACKED_BYTES_MAX = 274_877_906_944;

/** Stops unpacking when a line or the whole archive is too long: a small file could unpack without end. */
function refuseEndless(refusal: (problem: string) => StoreError): Transform {
  let [inLine, all] = [0, 0];
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      all += chunk.length;
      const lastBreak = chunk.lastIndexOf(NEWLINE);
      inLine = lastBreak < 0 ? inLine + chunk.length : chunk.length - lastBreak;
      if (inLine > LINE_BYTES_MAX) return done(refusal(`the line has more than ${LINE_BYTES_MAX} bytes`));
      if (all > UNPACKED_BYTES_MAX) return done(refusal(`it unpacks to more than ${UNPACKED_BYTES_MAX} bytes`));
      done(null, chunk);
    },
  });
}

const NEWLINE = 0x0a;

/** The sha256 of the whole file. */
export async function hashFile(path: string): Promise<Omit<ArchiveRef, "file">> {
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(path)) {
      hash.update(chunk);
      bytes += chunk.length;
    }
  } catch (cause) {
    throw readFailure(path, 0, cause);
  }
  return { sha256: hash.digest("hex"), bytes };
}

export function damaged(path: string, line: number, problem: string, cause?: unknown): StoreError {
  return new StoreError("archive_invalid", { path, line, problem }, cause);
}

function readFailure(path: string, line: number, cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  if (isErrno(cause, "ENOENT")) return new StoreError("archive_not_found", { path }, cause);
  if (isErrno(cause, "EACCES", "EIO", "EMFILE")) return failure(cause);
  return damaged(path, line + 1, "it does not unpack", cause);
}

function textOf(line: ArchiveLine): string {
  if (line.kind === "blob") return `${JSON.stringify({ blob: line.blob, bytes: base64(line.bytes) })}\n`;
  const { seq, prev, header, hash, salt, data, blobs } = line.event;
  const text = { seq, prev: hex(prev), header: utf8(header), hash: hex(hash), salt: hex(salt), data: base64(data) };
  return `${JSON.stringify(blobs.length === 0 ? text : { ...text, blobs })}\n`;
}

function checkFirst(path: string, text: string): void {
  const first = parsed(text);
  if (first["nomos"] !== "archive") throw damaged(path, 1, "it is no archive");
  if (first["format"] !== FORMAT) throw damaged(path, 1, `its format is ${String(first["format"])}, not ${FORMAT}`);
}

function lineOf(path: string, at: number, text: string): ArchiveLine {
  const { blob, bytes, seq, prev, header, hash, salt, data, blobs } = parsed(text);
  if (typeof blob === "string" && typeof bytes === "string")
    return { kind: "blob", blob, bytes: Buffer.from(bytes, "base64") };
  const texts = [prev, header, hash, salt, data].filter((value) => typeof value === "string");
  const [a = "", b = "", c = "", d = "", e = ""] = texts;
  if (typeof seq !== "number" || texts.length !== 5) throw damaged(path, at, "the line is not readable");
  const event = {
    seq,
    prev: Buffer.from(a, "hex"),
    header: Buffer.from(b),
    hash: Buffer.from(c, "hex"),
    salt: Buffer.from(d, "hex"),
    data: Buffer.from(e, "base64"),
    blobs: Array.isArray(blobs) ? blobs.filter((name) => typeof name === "string") : [],
  };
  return { kind: "event", event };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);
const hex = (bytes: Uint8Array): string => asBuffer(bytes).toString("hex");
const base64 = (bytes: Uint8Array): string => asBuffer(bytes).toString("base64");
const utf8 = (bytes: Uint8Array): string => asBuffer(bytes).toString("utf8");
