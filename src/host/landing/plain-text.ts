/** Characters that a terminal obeys, or that show text in another order than it has. */
const OBEYED = /[[\p{Cc}\u202a-\u202e\u2066-\u2069]--[\n\r\t]]/gv;

/** What a commit may say of itself: whoever reads its history reads what is there. */
export function plainText(text: string): string {
  return text.replaceAll(OBEYED, "");
}
