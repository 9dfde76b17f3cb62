const PLAIN = /^[\w@%+=:,./-]+$/;
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/**
 * A word that is safe to read and to paste into a shell. Plain words stay as they are; invisible characters are
 * escaped.
 */
export function shellQuoted(word: string): string {
  if (PLAIN.test(word)) return word;
  if (!HIDDEN.test(word)) return `'${word.replaceAll("'", "'\\''")}'`;
  return `$'${[...word].map(spelled).join("")}'`;
}

function spelled(character: string): string {
  if (character === "'" || character === "\\") return `\\${character}`;
  if (!HIDDEN.test(character)) return character;
  return [...Buffer.from(character)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
}
