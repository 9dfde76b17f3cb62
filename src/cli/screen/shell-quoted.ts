const PLAIN = /^[\w@%+:,./-]+$/;

/** A word that is safe to paste into a POSIX shell. Plain words stay as they are. */
export function shellQuoted(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
