import { gatherBytes, NomosError } from "../../contract/index.ts";
import type { Actor } from "../../kernel/index.ts";
import { parseJsonBytes } from "../json-bytes.ts";
import type { BodyRoom } from "./body-room.ts";

/** What is read of a body that is too large, so that its sender hears why it was refused instead of a broken pipe. */
const DISCARD_FACTOR = 4;

export interface BodyBounds {
  readonly maxBytes: number;
  readonly room: BodyRoom;
  readonly actor: Actor;
}

/** The bytes of a request, counted as they come, whatever length was announced. */
export async function readBytes(request: Request, { maxBytes, room, actor }: BodyBounds): Promise<Uint8Array> {
  const discardBytesMax = maxBytes * DISCARD_FACTOR;
  const kept = gatherBytes();
  const share = room.open(actor);
  let size = 0;
  try {
    for await (const part of request.body ?? []) {
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
