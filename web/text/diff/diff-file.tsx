import { Fragment, type VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { CodeLine } from "../code/code-lines.ts";
import { More } from "../pieces.tsx";
import { SafeRuns, SafeText } from "../safe/safe-text.tsx";
import { DiffRowView } from "./diff-row.tsx";
import { type DiffRow, linesIn, rowsOf } from "./diff-rows.ts";
import type { DiffFile, DiffLine } from "./parse-diff.ts";
import { useDiffColors } from "./use-diff-colors.ts";

export interface DiffFileProps {
  readonly file: DiffFile;
  readonly sideBySide: boolean;
  readonly strict: boolean;
}

/** Rows that are laid out at first; each press of the button doubles them. */
const ROWS_SHOWN = 300;
const NOTES_SHOWN = 50;

export function DiffFileView({ file, sideBySide: isWide, strict }: DiffFileProps): VNode {
  // A new or removed file has one side only.
  const sideBySide = isWide && file.oldPath !== null && file.newPath !== null;
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [shown, setShown] = useState(ROWS_SHOWN);
  const rows = useMemo(() => rowsOf(file, { sideBySide, opened }), [file, sideBySide, opened]);
  const hidden = rows.slice(shown).reduce((sum, row) => sum + linesIn(row), 0);
  const colors = useDiffColors(file);
  return (
    <section class="diff-file">
      <DiffHead file={file} strict={strict} />
      {file.notes.length > 0 && (
        <pre class="diff-notes" dir="auto">
          <SafeText text={notesText(file)} strict={strict} />
        </pre>
      )}
      {rows.length > 0 && (
        <DiffTable
          rows={rows.slice(0, shown)}
          sideBySide={sideBySide}
          strict={strict}
          colors={colors}
          onOpen={(key) => setOpened(new Set([...opened, key]))}
        />
      )}
      {hidden > 0 && <More what={`${hidden.toLocaleString("en")} more lines`} onMore={() => setShown(shown * 2)} />}
    </section>
  );
}

interface TableProps {
  readonly rows: readonly DiffRow[];
  readonly sideBySide: boolean;
  readonly strict: boolean;
  readonly colors: (line: DiffLine) => CodeLine;
  readonly onOpen: (key: string) => void;
}

function DiffTable({ rows, sideBySide, strict, colors, onOpen }: TableProps): VNode {
  return (
    <table class={sideBySide ? "diff-table diff-sides" : "diff-table"} dir="ltr">
      <colgroup>
        <col class="diff-number" />
        <col class={sideBySide ? "" : "diff-number"} />
        {sideBySide && <col class="diff-number" />}
        <col />
      </colgroup>
      <thead class="safe-spoken">
        <tr>
          <th scope="col">Old line</th>
          <th scope="col">{sideBySide ? "Before" : "New line"}</th>
          {sideBySide && <th scope="col">New line</th>}
          <th scope="col">{sideBySide ? "After" : "Text"}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          <DiffRowView key={at} row={row} sideBySide={sideBySide} strict={strict} colors={colors} onOpen={onOpen} />
        ))}
      </tbody>
    </table>
  );
}

function DiffHead({ file, strict }: { readonly file: DiffFile; readonly strict: boolean }): VNode {
  const { added, removed } = counts(file);
  return (
    <header class="diff-head">
      <bdi class="diff-path" dir="ltr">
        {pathsOf(file).map((path, at) => (
          <Fragment key={path}>
            {at > 0 && <span class="diff-arrow"> → </span>}
            <SafeRuns text={path} strict={strict} />
          </Fragment>
        ))}
      </bdi>
      {whatOf(file).map((what) => (
        <span key={what} class="diff-what">
          <SafeRuns text={what} />
        </span>
      ))}
      {(added > 0 || removed > 0) && (
        <span class="diff-counts">
          <span class="diff-plus">+{added}</span>
          <span class="safe-spoken"> lines added, </span> <span class="diff-minus">−{removed}</span>
          <span class="safe-spoken"> lines removed</span>
        </span>
      )}
    </header>
  );
}

function pathsOf({ oldPath, newPath }: DiffFile): readonly string[] {
  const paths = [...new Set([oldPath, newPath].filter((path) => path !== null))];
  return paths.length === 0 ? ["(no name)"] : paths;
}

/** What happened to the file besides its lines. */
function whatOf({ oldPath, newPath, oldMode, newMode, isBinary }: DiffFile): readonly string[] {
  const isNew = oldPath === null && newPath !== null;
  const isDeleted = newPath === null && oldPath !== null;
  return [
    isNew ? "new" : "",
    isDeleted ? "deleted" : "",
    oldPath !== null && newPath !== null && oldPath !== newPath ? "renamed" : "",
    oldMode !== null && newMode !== null ? `mode ${oldMode} → ${newMode}` : "",
    isNew && newMode !== null && newMode !== "100644" ? `mode ${newMode}` : "",
    isBinary ? "binary" : "",
  ].filter((what) => what !== "");
}

function counts({ hunks }: DiffFile): { readonly added: number; readonly removed: number } {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return {
    added: lines.filter(({ sign }) => sign === "+").length,
    removed: lines.filter(({ sign }) => sign === "-").length,
  };
}

function notesText({ notes, isBinary }: DiffFile): string {
  const shown = notes.slice(0, isBinary ? 1 : NOTES_SHOWN);
  const left = notes.length - shown.length;
  return left === 0 ? shown.join("\n") : `${shown.join("\n")}\n… ${left} more lines`;
}
