/** Undefined where the text is no JSON: each case says what it expected instead. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
