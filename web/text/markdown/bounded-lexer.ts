import { Lexer, type Token, Tokenizer, type Tokens } from "marked";

/** Containers and emphasis in each other; deeper ones are text. */
const DEPTH_MAX = 16;
/** A longer paragraph is text: emphasis and links are searched for in time that grows with its square. */
const INLINE_CHARS_MAX = 16_384;
/** A table with more cells is text. Rows are filled up to the width of the head, so few characters make many cells. */
const CELLS_MAX = 5_000;
/** After this time what is left of paragraphs stays text. */
const INLINE_TIME_MS = 500;

/** Parses Markdown within limits of depth, width and time. Beyond them a text stays text. */
export function lexMarkdown(text: string, nowMs: () => number): readonly Token[] {
  const lexer = new Lexer({ gfm: true, breaks: true, tokenizer: new BoundedTokenizer() });
  lexer.blockTokens(text.replace(/\r\n?/g, "\n"), lexer.tokens);
  const untilMs = nowMs() + INLINE_TIME_MS;
  for (const { src, tokens } of lexer.inlineQueue) {
    if (src.length > INLINE_CHARS_MAX || nowMs() > untilMs) tokens.push({ type: "text", raw: src, text: src });
    else lexer.inlineTokens(src, tokens);
  }
  return lexer.tokens;
}

class BoundedTokenizer extends Tokenizer {
  #depth = 0;

  override blockquote(src: string): Tokens.Blockquote | undefined {
    return this.#within(() => super.blockquote(src));
  }

  override list(src: string): Tokens.List | undefined {
    return this.#within(() => super.list(src));
  }

  override table(src: string): Tokens.Table | undefined {
    return cellsIn(src) > CELLS_MAX ? undefined : super.table(src);
  }

  override emStrong(src: string, maskedSrc: string, prevChar?: string): Tokens.Em | Tokens.Strong | undefined {
    return this.#within(() => super.emStrong(src, maskedSrc, prevChar));
  }

  override del(src: string, maskedSrc: string, prevChar?: string): Tokens.Del | undefined {
    return this.#within(() => super.del(src, maskedSrc, prevChar));
  }

  override link(src: string): Tokens.Link | Tokens.Image | undefined {
    return this.#within(() => super.link(src));
  }

  #within<T>(parse: () => T | undefined): T | undefined {
    if (this.#depth >= DEPTH_MAX) return undefined;
    this.#depth += 1;
    try {
      return parse();
    } finally {
      this.#depth -= 1;
    }
  }
}

/** The cells of a table that starts here, at most: the columns of its first line times its lines. */
function cellsIn(src: string): number {
  const end = src.indexOf("\n");
  if (end === -1 || !/^[ |:-]*-[ |:-]*$/.test(src.slice(end + 1, src.indexOf("\n", end + 1) >>> 0))) return 0;
  const columns = src.slice(0, end).split("|").length;
  let lines = 1;
  for (let at = end; at !== -1 && src[at + 1] !== "\n" && lines * columns <= CELLS_MAX; at = src.indexOf("\n", at + 1))
    lines += 1;
  return lines * columns;
}
