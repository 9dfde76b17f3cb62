import type { IncomingMessage } from "node:http";
import { pipeline, type Readable, Transform } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import { NomosError } from "../../../contract/index.ts";

/** The body, unpacked. Stops with `web_too_large` as soon as one byte more than the limit came, packed or unpacked. */
export async function readBody(response: IncomingMessage, bytesMax: number, signal: AbortSignal): Promise<Buffer> {
  if (Number(response.headers["content-length"] ?? 0) > bytesMax) throw tooLarge(bytesMax);
  const chunks: Buffer[] = [];
  for await (const chunk of unpacked(response, bytesMax, signal)) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function unpacked(response: IncomingMessage, bytesMax: number, signal: AbortSignal): Readable {
  const steps = decoders(response.headers["content-encoding"] ?? "");
  // Also in between: what a decoder never gives back would otherwise be read without an end.
  const through = [bounded(bytesMax), ...steps.flatMap((step) => [step, bounded(bytesMax)])];
  const last = through.at(-1) ?? response;
  pipeline([response, ...through], (thrown) => {
    if (thrown && !last.destroyed) last.destroy(thrown);
  });
  signal.addEventListener("abort", () => last.destroy(new Error("aborted")), { once: true });
  return last;
}

/** One coding at most: a second one only hides how much the first unpacks to. */
function decoders(encoding: string): Transform[] {
  const names = encoding
    .toLowerCase()
    .split(",")
    .flatMap((name) => name.trim() || []);
  const real = names.filter((name) => name !== "identity");
  if (real.length > 1) throw unknownEncoding(encoding);
  return real.map((name) => {
    switch (name) {
      case "gzip":
      case "x-gzip":
        return createGunzip();
      case "deflate":
        return createInflate();
      case "br":
        return createBrotliDecompress();
      case "zstd":
        return createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } });
      default:
        throw unknownEncoding(encoding);
    }
  });
}

/** 8 MB: what RFC 9659 allows on the web. */
const ZSTD_WINDOW_LOG = 23;

function bounded(bytesMax: number): Transform {
  let bytes = 0;
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      bytes += chunk.length;
      if (bytes > bytesMax) done(tooLarge(bytesMax));
      else done(null, chunk);
    },
  });
}

function tooLarge(bytesMax: number): NomosError {
  const message = `The answer is too large: it has more than ${Math.floor(bytesMax / 1024)} KB.`;
  return new NomosError("web_too_large", { bytesMax }, { message });
}

function unknownEncoding(encoding: string): NomosError {
  const message = `The server packed its answer in a way that was not asked for: ${encoding.slice(0, 40)}.`;
  return new NomosError("web_answer_invalid", { encoding: encoding.slice(0, 40) }, { message });
}
