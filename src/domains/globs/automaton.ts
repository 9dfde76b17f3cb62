/**
 * The patterns of a list as one automaton that reads a path letter by letter. It is made deterministic only as far as it
 * is walked. States are numbers: `NOWHERE` matches nothing any more, `EVERYWHERE` matches whatever follows.
 */
export interface Automaton {
  readonly start: number;
  readonly step: (state: number, letter: string) => number;
  /** Whether a path that ends here is matched. */
  readonly covers: (state: number) => boolean;
  /** The letters that this state tells from all others. */
  readonly letters: (state: number) => readonly string[];
}

export const NOWHERE = 0;
export const EVERYWHERE = 1;

/** What all automata of one search may still cost. */
export interface Effort {
  left: number;
}

type Token =
  | { readonly is: "char"; readonly char: string }
  /** `from`: what is reached from there on, before this token, matches nothing that this token does not match. */
  | { readonly is: "star"; readonly from: number; readonly isLast: boolean }
  /** At the beginning of a segment that `**` may skip, and inside of one. */
  | { readonly is: "deep" | "skip"; readonly from: number }
  | { readonly is: "end"; readonly isLast: boolean };

interface State {
  /** Indices of tokens, the highest first. */
  readonly at: readonly number[];
  readonly next: Map<string, number>;
  readonly letters: readonly string[];
  readonly covers: boolean;
}

export function createAutomaton(patterns: readonly string[], effort: Effort): Automaton {
  const tokens: Token[] = [];
  const starts = patterns.map((pattern) => {
    const start = tokens.length;
    return addTokens(pattern, tokens) ? start : EVERYTHING;
  });
  const nowhere: State = { at: [], next: new Map(), letters: [], covers: false };
  const states: State[] = [nowhere, { ...nowhere, covers: true }];
  const known = new Map<string, number>([["", NOWHERE]]);

  const enter = (reached: ReadonlySet<number>): number => {
    const at = closure(reached, tokens);
    if (at === EVERYTHING) return EVERYWHERE;
    effort.left -= at.length;
    const key = at.join(" ");
    const id = known.get(key) ?? states.length;
    if (id === states.length) {
      known.set(key, id);
      states.push({ at, next: new Map(), ...readOff(at, tokens) });
    }
    return id;
  };

  const move = ({ at }: State, letter: string): number => {
    const reached = new Set<number>();
    for (const index of at) {
      const to = follow(tokens, index, letter);
      if (to === EVERYTHING) return EVERYWHERE;
      if (to !== null) reached.add(to);
    }
    effort.left -= at.length;
    return enter(reached);
  };

  return {
    start: starts.includes(EVERYTHING) ? EVERYWHERE : enter(new Set(starts)),
    step: (state, letter) => {
      const from = states[state];
      if (state <= EVERYWHERE || from === undefined) return state;
      // All letters that the state does not know lead to the same place.
      const sort = letter === "/" || from.letters.includes(letter) ? letter : "";
      const to = from.next.get(sort) ?? move(from, letter);
      from.next.set(sort, to);
      return to;
    },
    covers: (state) => states[state]?.covers ?? false,
    letters: (state) => states[state]?.letters ?? [],
  };
}

const EVERYTHING = -1;

/** False when the pattern matches every path, so that it needs no tokens. */
function addTokens(pattern: string, tokens: Token[]): boolean {
  const from = tokens.length;
  // What a pattern matches it also covers below, so a `**` at its end says nothing.
  const segments = pattern.replace(/(?:(?:^|\/)\*\*)+$/, "").split("/");
  if (segments.join("") === "") return false;
  segments.forEach((segment, at) => {
    if (segment === "**") {
      if (segments[at - 1] !== "**") tokens.push({ is: "deep", from }, { is: "skip", from });
      return;
    }
    const isLast = at === segments.length - 1;
    const begin = tokens.length;
    const chars = [...segment.replace(/\*+/g, "*")];
    chars.forEach((char, place) => {
      const star: Token = { is: "star", from: begin, isLast: isLast && place === chars.length - 1 };
      tokens.push(char === "*" ? star : { is: "char", char });
    });
    tokens.push({ is: "end", isLast });
  });
  return true;
}

/** Where a token leads on a letter; null when it does not match. */
function follow(tokens: readonly Token[], index: number, letter: string): number | null {
  const token = tokens[index];
  switch (token?.is) {
    case "char":
      return token.char === letter ? index + 1 : null;
    case "star":
      return letter === "/" ? null : index;
    case "deep":
      return letter === "/" ? null : index + 1;
    case "skip":
      return letter === "/" ? index - 1 : index;
    case "end":
      if (letter !== "/") return null;
      return token.isLast ? EVERYTHING : index + 1;
    default:
      return null;
  }
}

/** Adds what is reached without a letter, and drops what adds nothing. */
function closure(reached: ReadonlySet<number>, tokens: readonly Token[]): readonly number[] | typeof EVERYTHING {
  const all = new Set(reached);
  for (const index of all) {
    const token = tokens[index];
    if (token?.is === "star") {
      if (token.isLast) return EVERYTHING;
      all.add(index + 1);
    } else if (token?.is === "deep") all.add(index + 2);
  }
  let dropFrom = Number.POSITIVE_INFINITY;
  return [...all]
    .toSorted((a, b) => b - a)
    .filter((index) => {
      if (index >= dropFrom) return false;
      const token = tokens[index];
      if (token !== undefined && "from" in token) dropFrom = token.from;
      return true;
    });
}

function readOff(at: readonly number[], tokens: readonly Token[]): Pick<State, "letters" | "covers"> {
  const found = at.map((index) => tokens[index]);
  const chars = found.flatMap((token) => (token?.is === "char" ? [token.char] : []));
  return {
    letters: [...new Set(chars)].toSorted(),
    covers: found.some((token) => token?.is === "end" && token.isLast),
  };
}
