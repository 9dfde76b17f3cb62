const TOKEN = /[\p{L}\p{N}\p{Co}]+/gu;
/** PostgreSQL limits a lexeme to 2 KB. */
const TOKEN_CHARS_MAX = 256;
const TOKENS_MAX = 16_000;
const SNIPPET_WORDS = 12;
const WORDS_BEFORE = 4;

/**
 * Splits text into words here, not in PostgreSQL, so that results do not depend on the server's locale. Letters and
 * digits count; case and accents do not.
 */
export function tsvectorOf(text: string): string {
  return tokensOf(text)
    .slice(0, TOKENS_MAX)
    .map((token, at) => `'${token}':${at + 1}`)
    .join(" ");
}

/** Every word must occur, and the last one may be a prefix. A word with punctuation inside is a phrase. */
export function tsqueryOf(text: string): string | null {
  const phrases = text
    .split(/\s+/)
    .map(tokensOf)
    .filter((tokens) => tokens.length > 0)
    .map((tokens) => tokens.map((token) => `'${token}'`).join(" <-> "));
  return phrases.length === 0 ? null : `${phrases.join(" & ")}:*`;
}

/** A few words around the first match. */
export function snippetOf(text: string, wanted: string): string {
  const terms = tokensOf(wanted);
  const words = text.split(/\s+/).filter((word) => word !== "");
  const at = words.findIndex((word) => tokensOf(word).some((token) => terms.some((term) => token.startsWith(term))));
  const from = Math.max(0, at - WORDS_BEFORE);
  const shown = words.slice(from, from + SNIPPET_WORDS).join(" ");
  return `${from > 0 ? "…" : ""}${shown}${from + SNIPPET_WORDS < words.length ? "…" : ""}`;
}

function tokensOf(text: string): readonly string[] {
  const plain = text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return (plain.match(TOKEN) ?? []).map((token) => token.slice(0, TOKEN_CHARS_MAX));
}
