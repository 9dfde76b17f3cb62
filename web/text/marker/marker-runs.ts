export interface MarkerRun {
  /** Exactly as in the input: all runs joined are the input. */
  readonly text: string;
  /** Null: ordinary text. */
  readonly marker: { readonly kind: string; readonly fingerprint: string } | null;
}

/** The kind of a marker for a value of the vault; every other kind is the shape of a well-known key. */
export const VAULT_KIND = "vault";

const OPENING = "[redacted:";
const MARKER = /\[redacted:([a-z0-9-]{2,48}):([0-9a-f]{12})\]/g;

/** Most texts have none, so this is asked first. */
export function hasMarkers(text: string): boolean {
  return text.includes(OPENING);
}

/** Splits a text at what the daemon's redactor wrote in the place of secrets. */
export function markerRuns(text: string): readonly MarkerRun[] {
  const runs: MarkerRun[] = [];
  let at = 0;
  for (const found of text.matchAll(MARKER)) {
    const [whole, kind = "", fingerprint = ""] = found;
    if (found.index > at) runs.push({ text: text.slice(at, found.index), marker: null });
    runs.push({ text: whole, marker: { kind, fingerprint } });
    at = found.index + whole.length;
  }
  if (at < text.length || runs.length === 0) runs.push({ text: text.slice(at), marker: null });
  return runs;
}
