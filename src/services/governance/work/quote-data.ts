const MARK = "| ";
/** Characters that nobody sees, that end a line for some readers, or that turn a text around. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Text of others, for an agent: every line begins with a mark, so none of it can pass for a line of ours, whatever it
 * says or closes.
 */
export function quoteData(text: string, charsMax: number): readonly string[] {
  const cut = cutText(text, charsMax);
  return cut.split(/\r\n|[\n\r\u0085\u2028\u2029]/).map((line) => `${MARK}${plain(line)}`.trimEnd());
}

/** A name on one line, in quotes. */
export function quoteName(name: string, charsMax = 200): string {
  return plain(JSON.stringify(cutText(name, charsMax)));
}

function cutText(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax)}… [${text.length - charsMax} characters left out]`;
}

const plain = (line: string): string =>
  line.replace(UNSEEN, (one) => (one === "\t" ? "\t" : `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`));
