const SHOWN_CHARS_MAX = 300;
/** A shorter secret would tear ordinary words apart. */
const SECRET_CHARS_MIN = 6;

/** Key-shaped words of the known vendors, also when they are partly masked: `sk-ab***yz`. */
const KEY_SHAPES =
  /\b(?:sk|pk|rk|gsk|xai|ghu|gho|ghp|ghs|tid)[-_=][\w*.-]{6,}|\bAIza[\w-]{20,}|\bya29\.[\w.-]+|\b(?:AKIA|ASIA)[A-Z0-9]{12,}|\b(?:Bearer|Basic|token)\s+[\w.~+/=-]{8,}/gi;

/** A provider's words as one line for a person, without anything that looks like a key. */
export function scrub(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) if (secret.length >= SECRET_CHARS_MIN) clean = clean.replaceAll(secret, "[key]");
  clean = clean
    .replace(KEY_SHAPES, "[key]")
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();
  return clean.length <= SHOWN_CHARS_MAX ? clean : `${clean.slice(0, SHOWN_CHARS_MAX - 1)}…`;
}
