/** A pattern of a rule: from the repository's root, or absolute; `~/` stands for the person's home. */
const PATTERN_CHARS_MAX = 1024;

/** Why it is no pattern; null when it is one. The same characters as in a scope are understood. */
export function patternFault(pattern: string): string | null {
  if (pattern.length > PATTERN_CHARS_MAX) return "it is too long";
  if (/[?[\]{}]|^!/.test(pattern)) return "only * and ** are understood";
  return isPathBelow(spelledPattern(pattern).replace(/^(~\/|\/)/, "")) ? null : "it is no path";
}

/** Without the slash at its end: a pattern covers everything below it anyway. */
export const spelledPattern = (pattern: string): string => pattern.replace(/(?<=.)\/$/, "");

/** No empty part, `.` or `..`, and no character that some system takes for a separator or an end. */
export function isPathBelow(path: string): boolean {
  return path.split("/").every((part) => part !== "" && part !== "." && part !== ".." && isName(part));
}

const isName = (part: string): boolean => !/[\\\p{Cc}]/u.test(part) && part.isWellFormed();

/**
 * One spelling for all that some file system takes for the same name: case, composition, compatibility forms, characters
 * that are not shown, and dots or spaces at an end. It may take more names for the same than any one system does: it
 * serves denials only.
 */
export function alike(path: string): string {
  return (ASCII.test(path) ? path.toLowerCase() : caseless(path)).replace(ENDINGS, "");
}

/** Up and down again, because some letters have a partner in one direction only; a final sigma is a sigma. */
function caseless(path: string): string {
  const plain = path.replace(UNSEEN, "").normalize("NFKC").toLowerCase().toUpperCase().toLowerCase();
  return plain.replaceAll("ς", "σ").normalize("NFC");
}

const ASCII = /^[ -~]*$/;
const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu;
/** Windows drops these at the end of a name. */
const ENDINGS = /(?<=[^./ ])[. ]+(?=\/|$)/g;
