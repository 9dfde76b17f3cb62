/** With more typing errors than this it counts as another word. */
const SLIPS_MAX = 3;

/** The most similar word; null when none is similar enough. */
export function nearest(given: string, words: readonly string[]): string | null {
  const ranked = words
    .map((word) => ({ word, slips: word.startsWith(given) && given !== "" ? 0 : slipsBetween(given, word) }))
    .sort((one, other) => one.slips - other.slips);
  const best = ranked[0];
  return best !== undefined && best.slips <= Math.min(SLIPS_MAX, Math.ceil(given.length / 2)) ? best.word : null;
}

/** A question to add to a refusal: " Did you mean `claude`?"; empty when no name is similar enough. */
export function didYouMean(given: string, names: readonly string[]): string {
  const meant = nearest(given, names);
  return meant === null ? "" : ` Did you mean \`${meant}\`?`;
}

/** The number of letters to add, drop, change or swap to turn one word into the other. */
function slipsBetween(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, at) => at)];
  const cell = (row: number, column: number): number => rows[row]?.[column] ?? 0;
  for (let row = 1; row <= from.length; row += 1) {
    const next = [row];
    rows.push(next);
    for (let column = 1; column <= to.length; column += 1) {
      const change = from[row - 1] === to[column - 1] ? 0 : 1;
      const swap = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      next.push(
        Math.min(
          cell(row - 1, column) + 1,
          (next[column - 1] ?? 0) + 1,
          cell(row - 1, column - 1) + change,
          swap ? cell(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return cell(from.length, to.length);
}
