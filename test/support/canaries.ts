import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";

/** A secret made for one test, and what would betray it in a file. */
export interface Canary {
  readonly value: string;
  /** Its letters and digits as they are, as hex and base64, and with every character escaped. */
  readonly traces: readonly string[];
}

/** Two plain halves with characters between them that every encoding spells in its own way. */
export function newCanary(): Canary {
  const halves = [newHalf(), newHalf()];
  return { value: halves.join(` '"\\&<%ü/+\n`), traces: halves.flatMap(tracesOf) };
}

/** One that can stand in a name, an address or a line. */
export function newPlainCanary(): Canary {
  const half = newHalf();
  return { value: half, traces: tracesOf(half) };
}

function newHalf(): string {
  return `Cn${randomBytes(15).toString("base64").replace(/[+/]/g, "x")}`;
}

function tracesOf(half: string): readonly string[] {
  const inBase64 = [0, 1, 2].map((shift) => {
    const encoded = Buffer.from("?".repeat(shift) + half).toString("base64");
    // The first and the last group depend on the neighbours.
    return encoded.slice(shift === 0 ? 0 : 4, Math.floor((encoded.length - 4) / 4) * 4);
  });
  const hex = Buffer.from(half).toString("hex");
  const pairs = hex.match(/../g) ?? [];
  const escaped = (before: string, after = "") => pairs.map((pair) => `${before}${pair}${after}`).join("");
  return [
    half,
    // Spellings of single characters, as URLs, JSON, C, HTML and dumps have them.
    ...[escaped("%"), escaped("%").toUpperCase(), escaped("\\u00"), escaped("\\\\u00"), escaped("\\x")],
    ...[escaped("&#x", ";"), [...half].map((one) => `&#${one.charCodeAt(0)};`).join("")],
    ...[pairs.join(":"), pairs.join(" ")],
    hex,
    hex.toUpperCase(),
    ...inBase64,
    ...inBase64.map((text) => text.replace(/\+/g, "-").replace(/\//g, "_")),
  ];
}

/** Files below a folder that betray a canary, by name or by content; what is packed is unpacked. */
export async function betrayedBelow(folder: string, canaries: readonly Canary[]): Promise<readonly string[]> {
  const traces = canaries.flatMap(({ traces: all }) => all);
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const shown = path.slice(folder.length);
    const contents = [Buffer.from(entry.name), ...(entry.isFile() ? contentsOf(await readFile(path)) : [])];
    for (const trace of traces) if (contents.some((bytes) => bytes.includes(trace))) found.push(`${shown}: ${trace}`);
  }
  return found;
}

const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** Bytes, not text: the file of a long log is longer than a string may be. */
function contentsOf(bytes: Buffer): readonly Buffer[] {
  return bytes.subarray(0, 4).equals(ZSTD) ? [bytes, zstdDecompressSync(bytes)] : [bytes];
}
