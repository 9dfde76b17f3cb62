const SHOWN_MAX = 3;
const COMPARED_MAX = 2000;

/** The known names that look most like the wanted one, best first. */
export function nearestNames(wanted: string, known: readonly string[]): readonly string[] {
  const target = wanted.toLowerCase();
  return known
    .slice(0, COMPARED_MAX)
    .map((name) => ({
      name,
      distance: distance(target, name.toLowerCase()) - sharedStart(target, name.toLowerCase()) / 2,
    }))
    .filter(({ name, distance: far }) => far < Math.max(target.length, name.length) * 0.75)
    .sort((a, b) => a.distance - b.distance || a.name.localeCompare(b.name))
    .slice(0, SHOWN_MAX)
    .map(({ name }) => name);
}

function sharedStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

/** Levenshtein's, with one row. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_unused, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, change));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
