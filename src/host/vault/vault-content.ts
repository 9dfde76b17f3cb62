import { readSmallFile } from "../files/small-file.ts";
import { sealFor, unsealWith } from "./age.ts";

export type VaultValues = ReadonlyMap<string, string>;

/** `newer`: a later version of Nomos wrote it. */
export type VaultFault = "missing" | "no_match" | "damaged" | "newer";

const FORMAT = "nomos-vault";
const VERSION = 1;
/** Room for all values, their spelling in JSON and what age adds. */
const FILE_BYTES_MAX = 268_435_456;
const AGE_V1 = "age-encryption.org/v1\n";
const AGE = "age-encryption.org/v";

export async function readVault(path: string, keys: readonly string[]): Promise<VaultValues | VaultFault> {
  const text = await readSmallFile(path, FILE_BYTES_MAX, "latin1").catch(() => "");
  if (text === null) return "missing";
  if (!text.startsWith(AGE_V1)) return text.startsWith(AGE) ? "newer" : "damaged";
  if (keys.length === 0) return "no_match";
  const opened = await unsealWith(keys, Buffer.from(text, "latin1"));
  return typeof opened === "string" ? opened : parsed(Buffer.from(opened).toString("utf8"));
}

export function sealVault(values: VaultValues, key: string): Promise<Uint8Array> {
  const content = { format: FORMAT, version: VERSION, values: Object.fromEntries(values) };
  return sealFor(key, Buffer.from(JSON.stringify(content)));
}

/** Only a key holder could write it, so a wrong shape is damage or another version. */
function parsed(text: string): VaultValues | VaultFault {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return "damaged";
  }
  if (typeof content !== "object" || content === null || !("format" in content) || content.format !== FORMAT)
    return "damaged";
  if (!("version" in content) || typeof content.version !== "number") return "damaged";
  if (content.version > VERSION) return "newer";
  if (!("values" in content) || typeof content.values !== "object" || content.values === null) return "damaged";
  const entries = Object.entries(content.values);
  const isWhole = entries.every((entry): entry is [string, string] => typeof entry[1] === "string");
  return isWhole ? new Map(entries) : "damaged";
}
