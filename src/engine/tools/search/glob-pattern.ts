/**
 * A glob over paths with `/`: `*`, `?`, `[a-z]`, `{a,b}`, and `**` for any number of directories. A pattern without a
 * slash is about the name alone, at any depth. Matching takes time proportional to pattern times path, whatever a model
 * writes; node's `matchesGlob` takes minutes for a handful of stars.
 */
export function globPattern(pattern: string): GlobPattern | { readonly problem: string } {
  const plain = pattern.replace(/^(?:\.\/)+/, "").replace(/^\/+/, "");
  if (plain.split("/").includes("..")) return { problem: '".." cannot be part of the pattern; set path instead' };
  const words = expandBraces(plain);
  if (words === null) return { problem: `{…} stands for more than ${WORDS_MAX} alternatives` };
  const patterns = words.map((word) => {
    const parts = word.split("/").filter((part) => part !== "");
    if (parts.at(-1) === ANY_FOLDERS) return [...parts, ANY_NAME];
    return parts.length === 1 ? [ANY_FOLDERS, ...parts] : parts;
  });
  if (patterns.some((parts) => parts.length === 0)) return { problem: "the pattern is empty" };
  const compiled = patterns.map((parts) => parts.map(compilePart));
  return {
    matches: (path) => {
      const names = path.split("/");
      return compiled.some((parts) => matchParts(parts, names));
    },
    folder: commonFolder(patterns),
    names: namesOf(patterns),
  };
}

export interface GlobPattern {
  readonly matches: (path: string) => boolean;
  /** All matches lie below this folder; "" when that cannot be told. */
  readonly folder: string;
  /** Simple globs, one of which every matching file's name fits; null when that cannot be told. */
  readonly names: readonly string[] | null;
}

const WORDS_MAX = 64;
const ANY_FOLDERS = "**";
const ANY_NAME = "*";

/** `a{b,c}` is `ab` and `ac`. A brace without a comma or an end is a plain character. */
function expandBraces(pattern: string): readonly string[] | null {
  let words: readonly string[] = [pattern];
  for (;;) {
    const next = words.map(expandFirst);
    if (next.every((list) => list.length === 1)) return words;
    words = next.flat();
    if (words.length > WORDS_MAX) return null;
  }
}

/** The innermost alternatives: a pair of braces without others inside. */
function expandFirst(word: string): readonly string[] {
  const found = /\{([^{}]*,[^{}]*)\}/.exec(word);
  if (found === null) return [word];
  const [whole, inside = ""] = found;
  const [before, after] = [word.slice(0, found.index), word.slice(found.index + whole.length)];
  return inside.split(",").map((choice) => before + choice + after);
}

type Part = typeof ANY_FOLDERS | readonly Token[];
type Token = "*" | ((char: string) => boolean);

function compilePart(part: string): Part {
  if (part === ANY_FOLDERS) return ANY_FOLDERS;
  const chars = [...part];
  const tokens: Token[] = [];
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at] ?? "";
    const close = char === "[" ? chars.indexOf("]", at + 2) : -1;
    if (char === "*") tokens.push("*");
    else if (char === "?") tokens.push(() => true);
    else if (close !== -1) {
      tokens.push(charClass(chars.slice(at + 1, close)));
      at = close;
    } else {
      const literal = char === "\\" && at + 1 < chars.length ? (chars[++at] ?? "") : char;
      tokens.push((other) => other === literal);
    }
  }
  return tokens;
}

function charClass(chars: readonly string[]): (char: string) => boolean {
  const isNegated = chars[0] === "!" || chars[0] === "^";
  const inside = isNegated ? chars.slice(1) : chars;
  const ranges: [string, string][] = [];
  for (let at = 0; at < inside.length; at++) {
    const from = inside[at] ?? "";
    const to = inside[at + 1] === "-" ? inside[at + 2] : undefined;
    ranges.push([from, to ?? from]);
    if (to !== undefined) at += 2;
  }
  return (char) => ranges.some(([from, to]) => char >= from && char <= to) !== isNegated;
}

function matchParts(parts: readonly Part[], names: readonly string[]): boolean {
  return matchWithStars(parts, names, {
    isStar: (part) => part === ANY_FOLDERS,
    fits: (part, name) => part !== ANY_FOLDERS && matchWithStars(part, [...name], CHARS),
  });
}

const CHARS = {
  isStar: (token: Token): boolean => token === "*",
  fits: (token: Token, char: string): boolean => token !== "*" && token(char),
};

/** Only the last star is ever tried again: an earlier one that took more could not match anything else. */
function matchWithStars<Item>(
  pattern: readonly Item[],
  text: readonly string[],
  rules: { readonly isStar: (item: Item) => boolean; readonly fits: (item: Item, one: string) => boolean },
): boolean {
  let [at, in_, star, taken] = [0, 0, -1, 0];
  while (in_ < text.length) {
    const item = pattern[at];
    const one = text[in_] ?? "";
    if (item !== undefined && rules.isStar(item)) [star, taken, at] = [at, in_, at + 1];
    else if (item !== undefined && rules.fits(item, one)) [at, in_] = [at + 1, in_ + 1];
    else if (star === -1) return false;
    else [at, taken, in_] = [star + 1, taken + 1, taken + 1];
  }
  return pattern.slice(at).every(rules.isStar);
}

/** Characters without a meaning in any program's globs, so that the text is also the name. */
const PLAIN = /^[\p{L}\p{N}_.+@ -]+$/u;
const SIMPLE = /^[\p{L}\p{N}_.+@ *?-]+$/u;

function commonFolder(patterns: readonly (readonly string[])[]): string {
  const folders = patterns.map((parts) => {
    const wild = parts.findIndex((part) => !PLAIN.test(part));
    return parts.slice(0, Math.min(wild === -1 ? parts.length : wild, parts.length - 1));
  });
  const [first = []] = folders;
  const end = first.findIndex((part, index) => folders.some((folder) => folder[index] !== part));
  return (end === -1 ? first : first.slice(0, end)).join("/");
}

function namesOf(patterns: readonly (readonly string[])[]): readonly string[] | null {
  const names = patterns.map((parts) => parts.at(-1) ?? "");
  return names.every((name) => SIMPLE.test(name) && name !== ANY_NAME) ? [...new Set(names)] : null;
}
