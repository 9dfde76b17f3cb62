import { encode } from "uqr";
import { onPaper, type Text } from "../screen/styled.ts";

/** Scanners want an empty frame around the code. */
const FRAME_MODULES = 2;
/** By whether the upper and the lower module are dark: two modules share a character, which is twice as high as wide. */
const BLOCKS = [
  [" ", "▄"],
  ["▀", "█"],
] as const;

/** A QR code for a terminal, dark on light in every colour scheme. */
export function qrLines(text: string): readonly Text[] {
  const { data } = encode(text, { ecc: "L", border: FRAME_MODULES });
  return data.flatMap((upper, at) => (at % 2 === 0 ? [onPaper(blocks(upper, data[at + 1] ?? []))] : []));
}

function blocks(upper: readonly boolean[], lower: readonly boolean[]): string {
  return upper.map((isDark, at) => BLOCKS[isDark ? 1 : 0][lower[at] === true ? 1 : 0]).join("");
}
