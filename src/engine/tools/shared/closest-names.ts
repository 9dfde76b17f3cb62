/** Up to five names that somebody may have meant, the closest first. */
export function closestNames(wanted: string, names: readonly string[]): readonly string[] {
  const low = wanted.toLowerCase();
  return names
    .slice(0, NAMES_MAX)
    .map((name) => ({ name, score: likeness(low, name.toLowerCase()) }))
    .filter(({ score }) => score >= SCORE_MIN)
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
    .slice(0, SHOWN_MAX)
    .map(({ name }) => name);
}

/** 1 for equal texts, 0 for texts without two neighbouring characters in common (Dice's coefficient). */
export function likeness(a: string, b: string): number {
  if (a === b) return 1;
  if (a.length < 2 || b.length < 2) return 0;
  const pairs = new Map<string, number>();
  for (let at = 0; at < a.length - 1; at++) {
    const pair = a.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  let shared = 0;
  for (let at = 0; at < b.length - 1; at++) {
    const pair = b.slice(at, at + 2);
    const left = pairs.get(pair) ?? 0;
    if (left === 0) continue;
    pairs.set(pair, left - 1);
    shared += 1;
  }
  return (2 * shared) / (a.length + b.length - 2);
}

const NAMES_MAX = 5000;
const SHOWN_MAX = 5;
const SCORE_MIN = 0.45;
