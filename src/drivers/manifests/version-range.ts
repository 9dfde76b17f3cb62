/** Whether a version is in a range such as `>=1.2.0 <2.0.0`; a plain version matches only itself. */
export function inRange(version: string, range: string): boolean {
  return range
    .split(/\s+/)
    .filter(Boolean)
    .every((part) => {
      const [, sign = "", wanted = ""] = /^(>=|<=|>|<|=)?(.+)$/.exec(part) ?? [];
      const order = compare(version, wanted);
      switch (sign) {
        case ">=":
          return order >= 0;
        case "<=":
          return order <= 0;
        case ">":
          return order > 0;
        case "<":
          return order < 0;
        default:
          return order === 0;
      }
    });
}

/** The first part of a text that looks like a version. */
export function versionIn(text: string): string | null {
  return /\d+\.\d+(?:\.\d+)?/.exec(text)?.[0] ?? null;
}

function compare(a: string, b: string): number {
  const [left, right] = [numbers(a), numbers(b)];
  for (const at of [0, 1, 2]) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function numbers(version: string): readonly number[] {
  return version
    .split(/[.\-+]/)
    .slice(0, 3)
    .map((part) => Number.parseInt(part, 10) || 0);
}
