/**
 * The first entries of a list that fit into an event, limited by count and by encoded bytes. JSON encodes a control
 * character in six bytes, and an event that is too large could not be recorded.
 */
export function fitting<T>(
  items: readonly T[],
  max: { readonly count: number; readonly bytes: number },
): { readonly listed: readonly T[]; readonly more: number } {
  let bytes = 0;
  let count = 0;
  for (const item of items) {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1;
    if (count >= max.count || bytes > max.bytes) break;
    count += 1;
  }
  return { listed: items.slice(0, count), more: items.length - count };
}
