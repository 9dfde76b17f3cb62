import { gatherBytes, NomosError } from "../../contract/index.ts";
import type { Actor } from "../../domains/index.ts";
import { parseJsonBytes } from "../json-bytes.ts";
import type { BodyRoom } from "./body-room.ts";

/** This much of a body that is too large is still read, so that its sender gets the refusal and not a broken pipe. */
const DISCARD_FACTOR = 4;

export interface BodyBounds {
  readonly maxBytes: number;
  readonly room: BodyRoom;
  readonly actor: Actor;
}

/** Reads the body and counts bytes as they arrive; the announced length is not trusted. */
export async function readBytes(
  body: AsyncIterable<Uint8Array>,
  { maxBytes, room, actor }: BodyBounds,
): Promise<Uint8Array> {
  const discardBytesMax = maxBytes * DISCARD_FACTOR;
  const kept = gatherBytes();
  const share = room.open(actor);
  let size = 0;
  try {
    for await (const part of body) {
      size += part.length;
      if (size <= maxBytes) {
        share.hold(part.length);
        kept.add(part);
      } else {
        kept.take();
        share.close();
      }
      if (size > discardBytesMax) break;
    }
  } finally {
    share.close();
  }
  if (size > maxBytes) throw new NomosError("body_too_large", { maxBytes });
  return kept.take();
}

export function parseBody(bytes: Uint8Array): Record<string, unknown> {
  if (bytes.length === 0) return {};
  const value = parseJsonBytes(bytes);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new NomosError("invalid_request", { expected: "a JSON object" });
  return { ...value };
}
