import { FINGERPRINT_DIGITS } from "./limits.ts";
import { SHAPES } from "./shapes/catalogue/index.ts";

/** What stands in the place of a secret. */
export interface Marker {
  /** `vault`, or the id of a shape. */
  readonly kind: string;
  readonly fingerprint: string;
}

export interface PlacedMarker extends Marker {
  readonly start: number;
  readonly end: number;
}

export const VAULT_KIND = "vault";

export function spellMarker({ kind, fingerprint }: Marker): string {
  return `${OPENING}${kind}:${fingerprint}]`;
}

export function findMarkers(text: string): readonly Marker[] {
  return placedMarkers(text).map(({ kind, fingerprint }) => ({ kind, fingerprint }));
}

/** The markers of a text with their places, in order. Only kinds that exist: a secret cannot pass as one. */
export function placedMarkers(text: string): readonly PlacedMarker[] {
  const found: PlacedMarker[] = [];
  for (let at = text.indexOf(OPENING); at >= 0; at = text.indexOf(OPENING, at + OPENING.length)) {
    const marker = MARKER.exec(text.slice(at, at + MARKER_MAX_CHARS));
    const [whole, kind, fingerprint] = marker ?? [];
    if (whole === undefined || kind === undefined || fingerprint === undefined || !KINDS.has(kind)) continue;
    found.push({ kind, fingerprint, start: at, end: at + whole.length });
  }
  return found;
}

const KINDS: ReadonlySet<string> = new Set([VAULT_KIND, ...SHAPES.map(({ id }) => id)]);
export const OPENING = "[redacted:";
const KIND_MAX_CHARS = 48;
export const MARKER_MAX_CHARS = OPENING.length + KIND_MAX_CHARS + 1 + FINGERPRINT_DIGITS + 1;
const MARKER = new RegExp(`^\\[redacted:([a-z0-9-]{2,${KIND_MAX_CHARS}}):([0-9a-f]{${FINGERPRINT_DIGITS}})\\]`);
