import { type ComponentChildren, Fragment, type VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { piecesOf } from "./cut-text.ts";
import "./pieces.css";

export interface PiecesProps {
  readonly text: string;
  readonly children: (piece: string, at: number) => ComponentChildren;
}

/** Characters of plain text that are laid out at once. */
const PIECE_CHARS = 32_768;

/** A long text, piece by piece: a browser that lays out 10 MB at once stands still. */
export function Pieces({ text, children }: PiecesProps): VNode {
  const [shown, setShown] = useState(1);
  const pieces = useMemo(() => (text.length <= PIECE_CHARS ? [text] : piecesOf(text, PIECE_CHARS)), [text]);
  const rest = pieces.slice(shown).reduce((sum, { length }) => sum + length, 0);
  return (
    <Fragment>
      {pieces.slice(0, shown).map((piece, at) => (
        <Fragment key={at}>{children(piece, at)}</Fragment>
      ))}
      {rest > 0 && <More what={`${rest.toLocaleString("en")} more characters`} onMore={() => setShown(shown + 1)} />}
    </Fragment>
  );
}

/** The button under a text that is not shown to its end. */
export function More({ what, onMore }: { readonly what: string; readonly onMore: () => void }): VNode {
  return (
    <button type="button" class="text-more" onClick={onMore}>
      Show more <span class="text-more-rest">({what})</span>
    </button>
  );
}
