const TYPE = /"type":"([^"]+)"/;
const BLOB = /^[0-9a-f]{64}$/;
export const NAMES_BLOB = Buffer.from('"blob":"');

/** Types that hold foreign JSON. A member `blob` in it does not name a blob of ours. */
const FOREIGN: readonly string[] = ["effect.intended@1", "approval.requested@1"];

/** The blobs that an event's data names: its members `blob`, at any depth. Data that is not JSON names none. */
export function namedBlobs(header: Uint8Array, data: Uint8Array): readonly string[] {
  if (!asBuffer(data).includes(NAMES_BLOB)) return [];
  const type = TYPE.exec(asBuffer(header).toString("utf8"))?.[1] ?? "";
  if (type.startsWith("x.") || FOREIGN.includes(type)) return [];
  const found = new Set<string>();
  visit(parsed(asBuffer(data).toString("utf8")), found);
  return [...found];
}

function visit(value: unknown, found: Set<string>): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    if (key === "blob" && typeof member === "string" && BLOB.test(member)) found.add(member);
    else visit(member, found);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
