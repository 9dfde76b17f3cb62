import { Fragment, type VNode } from "preact";
import { useMemo } from "preact/hooks";
import { type CodeLine, HIGHLIGHT_LINE_CHARS_MAX } from "../code/code-lines.ts";
import { Pieces } from "../pieces.tsx";
import { SafeRuns } from "../safe/safe-text.tsx";
import { changedWords, type Range } from "./changed-words.ts";
import type { DiffRow } from "./diff-rows.ts";
import { markedPieces } from "./line-pieces.ts";
import type { DiffLine } from "./parse-diff.ts";

export interface DiffRowProps {
  readonly row: DiffRow;
  readonly sideBySide: boolean;
  readonly strict: boolean;
  readonly colors: (line: DiffLine) => CodeLine;
  readonly onOpen: (key: string) => void;
}

export function DiffRowView({ row, sideBySide, strict, colors, onOpen }: DiffRowProps): VNode {
  const columns = sideBySide ? 4 : 3;
  switch (row.is) {
    case "heading":
      return (
        <tr class="diff-heading">
          <td colSpan={columns}>
            <SafeRuns text={row.text} strict={strict} />
          </td>
        </tr>
      );
    case "fold":
      return (
        <tr class="diff-fold">
          <td colSpan={columns}>
            <button type="button" onClick={() => onOpen(row.key)}>
              Show {row.lines.length} unchanged {row.lines.length === 1 ? "line" : "lines"}
            </button>
          </td>
        </tr>
      );
    case "line":
      return <Line line={row.line} other={row.other} strict={strict} colors={colors} />;
    case "pair":
      return <Pair old={row.old} now={row.now} strict={strict} colors={colors} />;
  }
}

type Look = Pick<DiffRowProps, "strict" | "colors">;

function Line({ line, other, ...look }: Look & { readonly line: DiffLine; readonly other: DiffLine | null }): VNode {
  const changed = useChanged(line.sign === "-" ? line : other, line.sign === "-" ? other : line);
  return (
    <tr class={classOf(line)}>
      <td class="diff-number">{line.oldNumber}</td>
      <td class="diff-number">{line.newNumber}</td>
      <Text line={line} ranges={line.sign === "-" ? changed.old : changed.now} {...look} />
    </tr>
  );
}

function Pair({ old, now, ...look }: Look & { readonly old: DiffLine | null; readonly now: DiffLine | null }): VNode {
  const isSame = old === now;
  const changed = useChanged(isSame ? null : old, isSame ? null : now);
  return (
    <tr>
      <td class={`diff-number ${classOf(old)}`}>{old?.oldNumber}</td>
      <Text line={old} ranges={changed.old} {...look} />
      <td class={`diff-number ${classOf(now)}`}>{now?.newNumber}</td>
      <Text line={now} ranges={changed.now} {...look} />
    </tr>
  );
}

function useChanged(old: DiffLine | null, now: DiffLine | null): { old: readonly Range[]; now: readonly Range[] } {
  return useMemo(() => {
    const found = old === null || now === null ? null : changedWords(old.text, now.text);
    return found ?? { old: [], now: [] };
  }, [old, now]);
}

type TextProps = Look & { readonly line: DiffLine | null; readonly ranges: readonly Range[] };

function Text({ line, ranges, strict, colors }: TextProps): VNode {
  if (line === null) return <td class="diff-text diff-none" />;
  return (
    <td class={`diff-text ${classOf(line)}`}>
      <span class="diff-sign" aria-hidden="true">
        {line.sign === "-" ? "−" : line.sign}
      </span>
      {line.sign !== " " && <span class="safe-spoken">{line.sign === "+" ? "added: " : "removed: "}</span>}
      <bdi class="diff-content" dir="ltr">
        {line.text.length > HIGHLIGHT_LINE_CHARS_MAX ? (
          <Pieces text={line.text}>{(piece) => <SafeRuns text={piece} strict={strict} />}</Pieces>
        ) : (
          markedPieces(colors(line), ranges).map(({ kind, text, isChanged }, at) => {
            const inside = <SafeRuns text={text} strict={strict} />;
            if (kind === "" && !isChanged) return <Fragment key={at}>{inside}</Fragment>;
            const Tag = isChanged ? "mark" : "span";
            return (
              <Tag key={at} class={kind === "" ? "" : `hl-${kind}`}>
                {inside}
              </Tag>
            );
          })
        )}
      </bdi>
      {line.endsBare === true && <span class="diff-bare"> (no line feed at the end)</span>}
    </td>
  );
}

function classOf(line: DiffLine | null): string {
  if (line === null || line.sign === " ") return "";
  return line.sign === "+" ? "diff-added" : "diff-removed";
}
