import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { ClientError } from "../../client/index.ts";
import { usageError } from "../arguments.ts";

/** Reads a stream to its end, or refuses it as soon as it is too large: a pipe may never end. */
export async function readLimited(stream: Readable, bytesMax: number, what: string): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of stream) {
    const piece = Buffer.from(part);
    bytes += piece.length;
    if (bytes > bytesMax) {
      stream.destroy();
      throw tooLarge(what, bytesMax);
    }
    parts.push(piece);
  }
  return Buffer.concat(parts).toString("utf8");
}

export async function readFileLimited(path: string, bytesMax: number, what: string): Promise<string> {
  try {
    const file = await open(path, "r");
    return await readLimited(file.createReadStream(), bytesMax, what);
  } catch (cause) {
    if (cause instanceof ClientError) throw cause;
    throw usageError(`${what} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}.`);
  }
}

function tooLarge(what: string, bytesMax: number): ClientError {
  return new ClientError("payload_too_large", {
    message: `${what} is larger than ${bytesMax} bytes, so it was not read to its end.`,
    remedy: "Give a smaller text, or put it into a file of the directory and let the agent read it.",
    details: { bytesMax },
  });
}
