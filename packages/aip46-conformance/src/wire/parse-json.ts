/** Undefined when the text is not JSON; each case then reports what it expected. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
