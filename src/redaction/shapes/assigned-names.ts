/**
 * The names that something at `at` is assigned to: `MY_DATADOG_API_KEY="` gives `mydatadogapikey`, `datadogapikey`, `apikey`
 * and `key`, the longest first. None when there is no sign of an assignment before it.
 */
export function assignedNames(text: Uint8Array, at: number): readonly string[] {
  let end = at;
  while (end > 0 && at - end < SIGNS_MAX_BYTES && isSign(text[end - 1] ?? 0)) end -= 1;
  if (end === at) return NONE;
  const names: string[] = [];
  let name = "";
  for (let i = end - 1; i >= 0 && end - i <= NAME_MAX_BYTES; i -= 1) {
    const byte = text[i] ?? 0;
    if (isMark(byte)) {
      if (name !== "") names.push(name);
    } else if (isAlphanumeric(byte)) {
      name = String.fromCharCode(byte | 0x20) + name;
      if (isUpper(byte) && !isUpper(text[i - 1] ?? 0)) names.push(name);
    } else break;
  }
  if (name !== "") names.push(name);
  return names.reverse();
}

const NONE: readonly string[] = [];
/** `": "`, ` => '`, `\": \"`. */
const SIGNS_MAX_BYTES = 8;
const NAME_MAX_BYTES = 48;

function isSign(byte: number): boolean {
  return SIGNS.includes(byte);
}

const SIGNS = [...Buffer.from(" \t\"'`:=>,\\(")];

/** `_`, `-` and `.` between the words of a name. */
function isMark(byte: number): boolean {
  return byte === 0x5f || byte === 0x2d || byte === 0x2e;
}

function isUpper(byte: number): boolean {
  return byte >= 0x41 && byte <= 0x5a;
}

function isAlphanumeric(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a);
}
