import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { CopyButton, reachable } from "../../parts/index.ts";
import { cutAt } from "../cut-text.ts";
import { More } from "../pieces.tsx";
import { SafeRuns } from "../safe/safe-text.tsx";
import { still } from "../still.tsx";
import { useParsed } from "../thread/use-parsed.ts";
import { type CodeLine, mayHighlight, plainLines } from "./code-lines.ts";
import { grammarNamed, grammarOfFile } from "./languages.ts";
import "./code.css";

export interface CodeProps {
  readonly text: string;
  /** As behind a code fence: `ts`, `python`. */
  readonly language?: string;
  /** Where the text comes from; gives the language if none is named. */
  readonly path?: string;
  /** For commands that somebody decides about: look-alikes are marked, and long lines wrap, so that no end is out of sight. */
  readonly strict?: boolean;
}

/** Lines that are laid out at first, and with each press of the button. */
const LINES_SHOWN = 400;
/** A longer line goes on in the next one, so that one press never lays out megabytes. */
const LINE_CHARS_MAX = 10_000;

/** Code with colours, and a button to copy it as it is. */
export const Code = still(({ text, language, path, strict = false }: CodeProps): VNode => {
  const grammar = language === undefined ? grammarOfFile(path ?? "") : grammarNamed(language);
  const ask = grammar === null || !mayHighlight(text) ? null : ({ what: "code", text, grammar } as const);
  const { value, isCurrent } = useParsed(ask);
  const plain = useMemo(() => shortened(plainLines(text.replace(/\n$/, ""))), [text]);
  const lines = value !== null && isCurrent ? value : plain;
  const [shown, setShown] = useState(LINES_SHOWN);
  const end = text.endsWith("\n") && lines === value ? lines.length - 1 : lines.length;
  const hidden = Math.max(0, end - shown);
  return (
    <figure class={strict ? "code code-strict" : "code"}>
      <figcaption class="code-head">
        {language !== undefined && (
          <span class="code-language">
            <SafeRuns text={language} />
          </span>
        )}
        <CopyButton text={text} />
      </figcaption>
      <pre class="code-text" dir="ltr" ref={(element) => reachable(element)}>
        <code>
          {lines.slice(0, Math.min(end, shown)).map((line, at) => (
            <CodeLineView key={at} line={line} strict={strict} />
          ))}
        </code>
      </pre>
      {hidden > 0 && <More what={`${hidden.toLocaleString("en")} more lines`} onMore={() => setShown(shown * 2)} />}
    </figure>
  );
});

function CodeLineView({ line, strict }: { readonly line: CodeLine; readonly strict: boolean }): VNode {
  return (
    <span class="code-line">
      {line.map(([kind, text], at) =>
        kind === "" ? (
          <SafeRuns key={at} text={text} strict={strict} />
        ) : (
          <span key={at} class={`hl-${kind}`}>
            <SafeRuns text={text} strict={strict} />
          </span>
        ),
      )}
      {"\n"}
    </span>
  );
}

function shortened(lines: readonly CodeLine[]): readonly CodeLine[] {
  return lines.flatMap((line): readonly CodeLine[] => {
    const text = line[0]?.[1] ?? "";
    if (text.length <= LINE_CHARS_MAX) return [line];
    const parts: CodeLine[] = [];
    for (let at = 0; at < text.length; ) {
      const part = text.slice(at, at + cutAt(text.slice(at, at + LINE_CHARS_MAX + 1), LINE_CHARS_MAX));
      parts.push([["", part]]);
      at += part.length;
    }
    return parts;
  });
}
