/** Where a text can be cut at or before `max`: after a line if one ends near, never inside of a character. */
export function cutAt(text: string, max: number): number {
  if (text.length <= max) return text.length;
  const line = text.lastIndexOf("\n", max - 1) + 1;
  if (line > max / 2) return line;
  const unit = text.charCodeAt(max - 1);
  const next = text.charCodeAt(max);
  const isPair = unit >= 0xd800 && unit <= 0xdbff && next >= 0xdc00 && next <= 0xdfff;
  const isLineEnd = unit === 0x0d && next === 0x0a;
  return (isPair || isLineEnd) && max > 1 ? max - 1 : max;
}

/** A text as pieces of at most `max` characters. Joined they are the text. */
export function piecesOf(text: string, max: number): readonly string[] {
  const pieces: string[] = [];
  let at = 0;
  while (at < text.length) {
    const window = text.slice(at, at + max + 1);
    const piece = window.slice(0, cutAt(window, max));
    pieces.push(piece);
    at += piece.length;
  }
  return pieces;
}
