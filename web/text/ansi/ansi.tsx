import type { VNode } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { SafeRuns } from "../safe/safe-text.tsx";
import { still } from "../still.tsx";
import { type AnsiLine, type AnsiReader, createAnsiReader } from "./ansi-reader.ts";
import type { AnsiColor, AnsiStyle } from "./ansi-style.ts";
import "./ansi.css";

export interface AnsiProps {
  readonly text: string;
}

/** Lines that are laid out at first, and with each press of the button. */
const LINES_SHOWN = 300;
const READ_CHARS_MAX = 2_000_000;

/** Terminal output with its colours. The last lines are shown first; more of them on request. */
export const Ansi = still(({ text }: AnsiProps): VNode => {
  const { lines, dropped } = useAnsi(text);
  const [shown, setShown] = useState(LINES_SHOWN);
  const hidden = Math.max(0, lines.length - shown);
  return (
    <div class="ansi" dir="ltr">
      {dropped > 0 && <p class="ansi-note">The first {dropped.toLocaleString("en")} lines are not kept here.</p>}
      {hidden > 0 && (
        <button type="button" class="text-more" onClick={() => setShown(shown + LINES_SHOWN)}>
          Show earlier lines <span class="text-more-rest">({hidden.toLocaleString("en")})</span>
        </button>
      )}
      <pre class="ansi-lines">
        {lines.slice(hidden).map((line, at) => (
          <Line key={hidden + at + dropped} line={line} />
        ))}
      </pre>
    </div>
  );
});

/** Reads only what was added since the last time, as long as the text grows. */
function useAnsi(text: string): { readonly lines: readonly AnsiLine[]; readonly dropped: number } {
  const held = useRef<{ reader: AnsiReader; text: string; skipped: number } | null>(null);
  return useMemo(() => {
    const before = held.current;
    const isLonger = before !== null && text.length >= before.text.length && text.startsWith(before.text);
    const from = isLonger ? before.text.length : startOfRest(text);
    const skipped = isLonger ? before.skipped : linesIn(text, from);
    const reader = isLonger ? before.reader : createAnsiReader();
    reader.write(from === 0 ? text : text.slice(from));
    held.current = { reader, text, skipped };
    return { lines: reader.lines(), dropped: skipped + reader.dropped() };
  }, [text]);
}

/** Where the part begins that is read at once. What lies before would be dropped anyway, but for the colours it leaves on. */
function startOfRest(text: string): number {
  const from = Math.max(0, text.length - READ_CHARS_MAX);
  return from === 0 ? 0 : text.indexOf("\n", from) + 1 || from;
}

function linesIn(text: string, end: number): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < end; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}

/** A finished line keeps its identity, so it is drawn once. */
const Line = still(
  ({ line }: { readonly line: AnsiLine }): VNode => (
    <span class="ansi-line" dir="auto">
      {line.spans.map(({ text, style }, at) => (
        <span key={at} class={classOf(style)} style={colorsOf(style)}>
          <SafeRuns text={text} />
        </span>
      ))}
      {"\n"}
    </span>
  ),
);

function classOf(style: AnsiStyle): string | undefined {
  const { fg, bg } = sidesOf(style);
  const classes = [
    colorClass("fg", fg),
    colorClass("bg", bg),
    style.inverse && fg === null && bg === null ? "ansi-inverse" : "",
    ...(["bold", "dim", "italic", "underline", "struck"] as const).map((name) => (style[name] ? `ansi-${name}` : "")),
  ].filter((name) => name !== "");
  return classes.length === 0 ? undefined : classes.join(" ");
}

/** Mixed colours are handed to the style sheet, which gives them a lightness that can be read in the theme. */
function colorsOf(style: AnsiStyle): Readonly<Record<string, string>> | undefined {
  const { fg, bg } = sidesOf(style);
  const colors: Record<string, string> = {};
  if (typeof fg === "string") colors["--ansi-fg"] = fg;
  if (typeof bg === "string") colors["--ansi-bg"] = bg;
  return Object.keys(colors).length === 0 ? undefined : colors;
}

function sidesOf({ fg, bg, inverse }: AnsiStyle): { readonly fg: AnsiColor | null; readonly bg: AnsiColor | null } {
  return inverse ? { fg: bg, bg: fg } : { fg, bg };
}

function colorClass(side: "fg" | "bg", color: AnsiColor | null): string {
  if (color === null) return "";
  return typeof color === "number" ? `ansi-${side}-${color}` : `ansi-${side}-mixed`;
}
