/** A value that the redactor has to find. */
export interface KnownValue {
  readonly value: string;
}

/** A value, and each of its lines: a text that numbers lines or shows some of them splits it. */
export function knownValue(value: string | undefined): readonly KnownValue[] {
  if (value === undefined) return [];
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  const telling = lines.length === 1 ? [] : lines.filter((line) => line.length >= LINE_CHARS_MIN && !isRule(line));
  return [value, ...new Set(telling)].map((one) => ({ value: one }));
}

/** A shorter line may stand in any text. */
const LINE_CHARS_MIN = 20;

/** `-----BEGIN PRIVATE KEY-----` is in every such file. */
function isRule(line: string): boolean {
  return /^-{3,}/.test(line);
}
