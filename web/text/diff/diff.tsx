import type { VNode } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { More } from "../pieces.tsx";
import { still } from "../still.tsx";
import { DiffFileView } from "./diff-file.tsx";
import { parseDiff } from "./parse-diff.ts";
import { useWide } from "./use-wide.ts";
import "./diff.css";

export interface DiffProps {
  /** A unified diff, of one file or several. */
  readonly patch: string;
  /** For changes that somebody decides about: look-alikes are marked. */
  readonly strict?: boolean;
}

/** Two columns of code need this much room. */
const SIDE_BY_SIDE_PX = 900;
/** Files that are laid out at first, and with each press of the button. */
const FILES_SHOWN = 20;

/** What changed, file by file: side by side where there is room. */
export const Diff = still(({ patch, strict = false }: DiffProps): VNode => {
  const { files, cutLines } = useMemo(() => parseDiff(patch), [patch]);
  const box = useRef<HTMLDivElement>(null);
  const isWide = useWide(box, SIDE_BY_SIDE_PX);
  const [shown, setShown] = useState(FILES_SHOWN);
  const hidden = files.length - shown;
  return (
    <div class="diff" ref={box}>
      {files.slice(0, shown).map((file, at) => (
        <DiffFileView key={`${at} ${file.newPath ?? file.oldPath}`} file={file} sideBySide={isWide} strict={strict} />
      ))}
      {files.length === 0 && <p class="diff-note">No changes.</p>}
      {hidden > 0 && <More what={`${hidden} more files`} onMore={() => setShown(shown + FILES_SHOWN)} />}
      {cutLines > 0 && (
        <p class="diff-note diff-cut">
          The diff was cut: {cutLines.toLocaleString("en")} more {cutLines === 1 ? "line is" : "lines are"} not here.
        </p>
      )}
    </div>
  );
});
