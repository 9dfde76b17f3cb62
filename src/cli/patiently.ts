import type { CallProgress } from "../client/index.ts";
import { spellDuration } from "./print/spell.ts";
import type { Terminal } from "./terminal.ts";
import { createStatusLine, type StatusLine } from "./transcript/status-line.ts";

type Report = (progress: CallProgress) => void;

/** Calls that are answered sooner show nothing. */
const SILENT_MS = 1_000;

/** Shows what a slow call does: how far it is and what is left where the daemon knows, else how long it has taken. */
export async function patiently<T>(
  terminal: Terminal,
  text: string,
  call: (report: Report | undefined) => Promise<T>,
): Promise<T> {
  if (!terminal.hasCursor) return call(undefined);
  const sinceMs = Date.now();
  let line: StatusLine | null = null;
  let shown = text;
  const measure = createMeasure();
  const timer = setTimeout(() => {
    line = createStatusLine(terminal);
    line.set({ text: shown, sinceMs });
  }, SILENT_MS);
  const close = (): void => {
    clearTimeout(timer);
    line?.close();
  };
  return call((progress) => {
    shown = `${text} ${measure(progress, Date.now(), terminal.columns)}`;
    line?.set({ text: shown, sinceMs });
  }).finally(close);
}

const WIDE_COLUMNS = 70;
/** Before this the pace says little. */
const ESTIMATE_AFTER_MS = 2_000;

/** Spells progress: a bar, the percentage, what is done, and an estimate from the pace of this part of the work. */
export function createMeasure(): (progress: CallProgress, nowMs: number, columns: number) => string {
  let part: { readonly message: string; readonly sinceMs: number; readonly from: number } | null = null;
  return ({ message, done, total }, nowMs, columns) => {
    if (done === undefined || total === undefined || total <= 0) return message;
    if (part?.message !== message) part = { message, sinceMs: nowMs, from: done };
    const share = Math.min(1, Math.max(0, done / total));
    const cells = columns >= WIDE_COLUMNS ? 20 : 10;
    const full = Math.round(share * cells);
    const bar = `${"█".repeat(full)}${"░".repeat(cells - full)}`;
    const passedMs = nowMs - part.sinceMs;
    const pace = (done - part.from) / passedMs;
    const left =
      passedMs < ESTIMATE_AFTER_MS || pace <= 0 ? "" : `, about ${spellDuration((total - done) / pace)} left`;
    return `${bar} ${Math.floor(share * 100)}% ${message}${left}`;
  };
}
