/** Reads members of data that somebody else's program wrote. What is of another type is as if it were not there. */
export interface ExoValue {
  readonly text: (key: string) => string;
  readonly count: (key: string) => number | null;
  readonly texts: (key: string) => readonly string[];
  readonly items: (key: string) => readonly ExoValue[];
  readonly in: (key: string) => ExoValue;
  readonly keys: readonly string[];
}

export function exoValue(given: unknown): ExoValue {
  const members: Readonly<Record<string, unknown>> =
    typeof given === "object" && given !== null && !Array.isArray(given) ? { ...given } : {};
  const listed = (key: string): readonly unknown[] => {
    const value = members[key];
    return Array.isArray(value) ? value : [];
  };
  return {
    text: (key) => (typeof members[key] === "string" ? members[key] : ""),
    count: (key) => {
      const value = members[key];
      return typeof value === "number" && Number.isInteger(value) && value > 0 ? value : null;
    },
    texts: (key) => listed(key).filter((one) => typeof one === "string"),
    items: (key) => listed(key).map(exoValue),
    in: (key) => exoValue(members[key]),
    keys: Object.keys(members),
  };
}

/** What was not taken over, and why. */
export interface LeftOut {
  readonly what: string;
  readonly reason: string;
}
