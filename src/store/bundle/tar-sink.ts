import { type FileHandle, open, rm } from "node:fs/promises";
import { type BundleSink, FILE_MODE, openLineFile } from "./sink.ts";

const BLOCK_BYTES = 512;
const COPY_BYTES = 1_048_576;
/** The largest size that eleven octal digits can hold. Larger numbers are written in binary, as GNU tar does. */
const OCTAL_MAX = 8 ** 11 - 1;

/**
 * Writes a bundle as one tar file (ustar). A tar entry starts with its size, so the lines are collected in a temporary
 * file until their size is known. Blobs are added at once.
 */
export async function openTarSink(path: string, nowSeconds: number): Promise<BundleSink> {
  const linesPath = `${path}.lines`;
  const tar = await open(path, "wx", FILE_MODE);
  const events = await openLineFile(linesPath);
  const put = async (name: string, bytes: Uint8Array): Promise<void> => {
    await tar.writeFile(header(name, bytes.length, nowSeconds));
    await tar.writeFile(bytes);
    await tar.writeFile(padding(bytes.length));
  };
  return {
    lines: events.write,
    blob: (sha256, bytes) => put(`blobs/${sha256}`, bytes),
    finish: async (files) => {
      const size = await events.end();
      await tar.writeFile(header("events.jsonl", size, nowSeconds));
      await copy(linesPath, tar);
      await tar.writeFile(padding(size));
      for (const [name, text] of files) await put(name, Buffer.from(text));
      await tar.writeFile(Buffer.alloc(2 * BLOCK_BYTES));
      await tar.sync();
      await tar.close();
      await rm(linesPath);
    },
    abandon: async () => {
      await events.abandon();
      await tar.close();
    },
  };
}

async function copy(from: string, to: FileHandle): Promise<void> {
  await using file = await open(from, "r");
  const buffer = Buffer.allocUnsafe(COPY_BYTES);
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
    if (bytesRead === 0) return;
    await to.writeFile(buffer.subarray(0, bytesRead));
  }
}

function header(name: string, size: number, nowSeconds: number): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES);
  const octal = (value: number, at: number, width: number): void => {
    block.write(`${value.toString(8).padStart(width - 1, "0")}\0`, at, "latin1");
  };
  block.write(name, 0, "latin1");
  octal(FILE_MODE, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  if (size <= OCTAL_MAX) octal(size, 124, 12);
  else {
    block[124] = 0x80;
    block.writeBigUInt64BE(BigInt(size), 128);
  }
  octal(nowSeconds, 136, 12);
  block.write("        0", 148, "latin1");
  block.write("ustar\0" + "00", 257, "latin1");
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}

function padding(size: number): Buffer {
  return Buffer.alloc((BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES);
}
