import { rm } from "node:fs/promises";
import { join } from "node:path";
import { gatherBytes, NomosError } from "../../contract/index.ts";
import { type Catalogue, readCatalogue } from "../../engine/index.ts";
import { readSmallFile, writeFileAtomic } from "../../host/index.ts";

/** Limits and prices of models that replace the built-in ones: `models.json` of the home. */
export interface CatalogueFile {
  /** Null: there is none, or it cannot be used; the built-in data applies. */
  readonly read: () => Promise<Catalogue | null>;
  readonly replace: (from: { readonly file: string } | { readonly url: string }) => Promise<Catalogue>;
  /** The built-in data applies again. */
  readonly reset: () => Promise<void>;
}

export type Fetch = (url: string, options: RequestInit) => Promise<Response>;

/** As much as `readCatalogue` takes. */
const CATALOGUE_BYTES_MAX = 4 * 1024 * 1024;
const FILE_MODE = 0o600;
const FETCH_MS_MAX = 30_000;

export function openCatalogueFile(
  home: string,
  log: (message: string, details: object) => void,
  fetch: Fetch = globalThis.fetch,
): CatalogueFile {
  const path = join(home, "models.json");
  return {
    read: async () => {
      const text = await readSmallFile(path, CATALOGUE_BYTES_MAX).catch((thrown: unknown) => {
        log("models.json cannot be read; the built-in catalogue applies", { reason: String(thrown) });
        return null;
      });
      if (text === null) return null;
      const read = readCatalogue(Buffer.from(text));
      if (read.ok) return read.catalogue;
      log("models.json cannot be used; the built-in catalogue applies", { reason: read.problem });
      return null;
    },
    replace: async (from) => {
      const bytes = "file" in from ? await bytesOfFile(from.file) : await bytesOfUrl(from.url, fetch);
      const read = readCatalogue(bytes);
      if (!read.ok) throw unusable(read.problem, from);
      await writeFileAtomic(path, bytes, { mode: FILE_MODE });
      return read.catalogue;
    },
    reset: () => rm(path, { force: true }),
  };
}

async function bytesOfFile(file: string): Promise<Uint8Array> {
  const text = await readSmallFile(file, CATALOGUE_BYTES_MAX).catch((thrown: unknown) => {
    throw unusable(thrown instanceof Error ? thrown.message : String(thrown), { file });
  });
  if (text === null) throw unusable(`There is no file ${file}.`, { file });
  return Buffer.from(text);
}

async function bytesOfUrl(url: string, fetch: Fetch): Promise<Uint8Array> {
  if (!isSafe(url)) throw unusable("The address has to begin with https://; http:// only on this machine.", { url });
  try {
    const response = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(FETCH_MS_MAX) });
    if (!response.ok) throw unusable(`The server answers with ${response.status}.`, { url });
    return await bounded(response, url);
  } catch (thrown) {
    if (thrown instanceof NomosError) throw thrown;
    const reason = thrown instanceof Error && thrown.name === "TimeoutError" ? "in time" : "at all";
    throw unusable(`The address does not answer ${reason}.`, { url }, thrown);
  }
}

/** A server may say any length, or none. */
async function bounded(response: Response, url: string): Promise<Uint8Array> {
  const gathered = gatherBytes();
  for await (const piece of response.body ?? []) {
    gathered.add(piece);
    if (gathered.size() > CATALOGUE_BYTES_MAX)
      throw unusable(`The answer is larger than ${CATALOGUE_BYTES_MAX} bytes.`, { url });
  }
  return gathered.take();
}

const LOOPBACK = ["127.0.0.1", "[::1]", "localhost"];

function isSafe(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === "https:" || (protocol === "http:" && LOOPBACK.includes(hostname));
}

/** An address may carry a token in its query: only its host is repeated. */
function unusable(
  problem: string,
  from: { readonly file: string } | { readonly url: string },
  cause?: unknown,
): NomosError {
  const where = "file" in from ? { file: from.file } : { host: URL.canParse(from.url) ? new URL(from.url).host : "" };
  const message = `This is no catalogue of models: ${problem}`;
  return new NomosError("catalogue_invalid", where, { message, ...(cause === undefined ? {} : { cause }) });
}
