const TAB = "    ";

/** What an agent prints must not steer the screen: control characters are shown, never obeyed. */
export function harmless(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll("\t", TAB)
    .replace(CONTROL, (character) => {
      const code = character.codePointAt(0) ?? 0;
      return code < 0x20 ? String.fromCodePoint(CONTROL_PICTURES + code) : "\ufffd";
    });
}

/** Everything but the line feed; and the marks that turn the direction of writing around. */
const CONTROL = /(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;
const CONTROL_PICTURES = 0x2400;

/** Columns that a text takes: wide characters take two, combining ones none. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += MARK.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

const MARK = /^(?:[\p{Mn}\p{Me}]|\u200b|\u200c|\u200d|\ufe0f)$/u;
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]$/u;

/** Lines that cutTo, broken between words where there are any; what is indented stays so. */
export function wrap(text: string, columns: number): readonly string[] {
  return text.split("\n").flatMap((line) => wrapLine(line, Math.max(10, columns)));
}

function wrapLine(line: string, columns: number): readonly string[] {
  if (widthOf(line) <= columns) return [line];
  const indent = /^\s*(?:[-*•]\s+)?/.exec(line)?.[0].length ?? 0;
  const hanging = " ".repeat(Math.min(indent, Math.floor(columns / 2)));
  const lines: string[] = [];
  let current = "";
  for (const word of line.match(/\s+|\S+/g) ?? []) {
    if (widthOf(current + word) <= columns) {
      current += word;
      continue;
    }
    if (current.trim() !== "") lines.push(current.trimEnd());
    current = current.trim() === "" ? current : hanging;
    if (/^\s+$/.test(word)) continue;
    for (const character of word) {
      if (widthOf(current + character) > columns) {
        lines.push(current);
        current = hanging;
      }
      current += character;
    }
  }
  return current.trim() === "" ? lines : [...lines, current.trimEnd()];
}

/** Cut to a width, with a mark that something is missing. */
export function cutTo(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = "";
  for (const character of text) {
    if (widthOf(kept + character) > columns - 1) break;
    kept += character;
  }
  return `${kept}…`;
}
