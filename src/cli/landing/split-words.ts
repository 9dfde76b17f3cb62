/**
 * The words of a command line as a POSIX shell splits them: blanks, both kinds of quotes, backslashes. Nothing is expanded
 * and nothing runs. Null when a quote is left open.
 */
export function splitWords(line: string): readonly string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] ?? "";
    if (character === "'" || character === '"') {
      const quoted = quotedFrom(line, at + 1, character);
      if (quoted === null) return null;
      word = (word ?? "") + quoted.text;
      at = quoted.end;
    } else if (/\s/.test(character)) {
      if (word !== null) words.push(word);
      word = null;
    } else if (character === "\\" && at + 1 < line.length) {
      at += 1;
      word = (word ?? "") + line[at];
    } else word = (word ?? "") + character;
  }
  return word === null ? words : [...words, word];
}

function quotedFrom(line: string, from: number, quote: string): { readonly text: string; readonly end: number } | null {
  let text = "";
  for (let at = from; at < line.length; at += 1) {
    const character = line[at] ?? "";
    if (character === quote) return { text, end: at };
    const escaped = quote === '"' && character === "\\" && /["\\$`]/.test(line[at + 1] ?? "");
    if (escaped) at += 1;
    text += escaped ? line[at] : character;
  }
  return null;
}
