import type { Clock } from "../../../host/index.ts";

/** A fetched and readable page. */
export interface Page {
  /** Where it was found, after redirects. */
  readonly url: string;
  readonly status: number;
  /** `Name: value` lines, without the URL. */
  readonly head: readonly string[];
  readonly text: string;
}

/** Pages that were fetched a moment ago, so that a second part is of the same page. */
export interface RecentPages {
  readonly get: (key: string) => Page | null;
  readonly keep: (key: string, page: Page) => void;
}

const KEPT_MS = 600_000;
const KEPT_MAX = 64;
const KEPT_CHARS_MAX = 16_777_216;

export function recentPages(clock: Pick<Clock, "steadyMs">): RecentPages {
  const kept = new Map<string, { readonly page: Page; readonly atMs: number }>();
  const drop = (): void => {
    const [oldest] = kept.keys();
    if (oldest !== undefined) kept.delete(oldest);
  };
  const chars = () => [...kept.values()].reduce((sum, { page }) => sum + page.text.length, 0);
  return {
    get: (key) => {
      const found = kept.get(key);
      return found === undefined || clock.steadyMs() - found.atMs > KEPT_MS ? null : found.page;
    },
    keep: (key, page) => {
      kept.delete(key);
      if (page.text.length > KEPT_CHARS_MAX) return;
      kept.set(key, { page, atMs: clock.steadyMs() });
      while (kept.size > KEPT_MAX || chars() > KEPT_CHARS_MAX) drop();
    },
  };
}

export interface Part {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  readonly total: number;
}

/** A part of a text, in characters. A character that takes two units is never cut: it is in the earlier part. */
export function partOf(text: string, offset: number, limit: number): Part {
  const total = text.length;
  const from = wholeAt(text, Math.min(offset, total));
  const to = wholeAt(text, Math.min(from + limit, total));
  return { text: text.slice(from, to), from, to, total };
}

function wholeAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return at > 0 && unit >= 0xdc00 && unit <= 0xdfff ? at + 1 : at;
}
