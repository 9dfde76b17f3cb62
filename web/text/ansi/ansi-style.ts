/** One colour of a terminal: one of the 16 named ones, or a mix. */
export type AnsiColor = number | string;

/** How a run of text looks. Colours are null where the terminal's own apply. */
export interface AnsiStyle {
  readonly fg: AnsiColor | null;
  readonly bg: AnsiColor | null;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
  readonly inverse: boolean;
  readonly struck: boolean;
}

export const PLAIN_STYLE: AnsiStyle = {
  fg: null,
  bg: null,
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  inverse: false,
  struck: false,
};

/** The style after an SGR sequence, such as `1;31` or `38;2;255;0;0`. Unknown codes change nothing. Concealing is unknown. */
export function styleAfter(style: AnsiStyle, parameters: string): AnsiStyle {
  const codes = parameters.split(/[;:]/, CODES_MAX).map((code) => (code === "" ? 0 : Number(code)));
  let now = style;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 38 || code === 48) {
      const { color, used } = mixedColor(codes.slice(at + 1, at + 6));
      if (color !== null) now = { ...now, [code === 38 ? "fg" : "bg"]: color };
      at += used;
    } else now = afterCode(now, code);
  }
  return now;
}

const CODES_MAX = 32;

function afterCode(style: AnsiStyle, code: number): AnsiStyle {
  if (code === 0) return PLAIN_STYLE;
  if (code >= 30 && code <= 37) return { ...style, fg: code - 30 };
  if (code >= 40 && code <= 47) return { ...style, bg: code - 40 };
  if (code >= 90 && code <= 97) return { ...style, fg: code - 82 };
  if (code >= 100 && code <= 107) return { ...style, bg: code - 92 };
  return { ...style, ...FLAGS[code] };
}

const FLAGS: Readonly<Record<number, Partial<AnsiStyle>>> = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  9: { struck: true },
  21: { underline: true },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { underline: false },
  27: { inverse: false },
  29: { struck: false },
  39: { fg: null },
  49: { bg: null },
};

/** What follows 38 or 48: `5;n` of the 256 colours, or `2;r;g;b`. */
function mixedColor(codes: readonly number[]): { readonly color: AnsiColor | null; readonly used: number } {
  const [how, first = 0, second = 0, third = 0] = codes;
  if (how === 5) return { color: isByte(first) ? indexedColor(first) : null, used: 2 };
  if (how !== 2) return { color: null, used: 0 };
  const isColor = [first, second, third].every(isByte);
  return { color: isColor ? rgb(first, second, third) : null, used: 4 };
}

function isByte(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= 255;
}

/** The 256 colours: 16 named ones, a cube of 6 x 6 x 6, and 24 greys. */
function indexedColor(index: number): AnsiColor {
  if (index < 16) return index;
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return rgb(grey, grey, grey);
  }
  const step = (value: number): number => (value === 0 ? 0 : 55 + value * 40);
  const cube = index - 16;
  return rgb(step(Math.floor(cube / 36)), step(Math.floor(cube / 6) % 6), step(cube % 6));
}

function rgb(red: number, green: number, blue: number): string {
  return `rgb(${red} ${green} ${blue})`;
}
