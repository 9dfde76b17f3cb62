import { isRefusal } from "../../kernel/index.ts";
import { compileScope, parseScope } from "../scope/scope.ts";

/** What the text of a ticket's boundary says of paths. */
export interface Boundary {
  readonly forbidden: readonly string[];
  /** Not empty: nothing else may be changed. */
  readonly only: readonly string[];
}

const TEXT_CHARS_MAX = 65_536;
const PATTERNS_MAX = 64;
/** After these words paths are allowed, after those they are forbidden again. */
const ONLY = /^(?:only|just|solely)$/i;
const NOT = /^(?:not|never|no|don['’]?t|without|except|avoid|nor)$/i;

/**
 * Words with a `/` or a `*` are patterns, whatever stands around them: "do not touch infra/**, please" forbids
 * `infra/**`. Behind "only" they are what may be changed, until the sentence ends or forbids something.
 */
export function parseBoundary(text: string): Boundary {
  const found = { forbidden: new Set<string>(), only: new Set<string>() };
  let kind: keyof typeof found = "forbidden";
  for (const word of text.slice(0, TEXT_CHARS_MAX).split(/[\s,]+/)) {
    const plain = word.replace(EDGES, "");
    if (ONLY.test(plain)) kind = "only";
    else if (NOT.test(plain)) kind = "forbidden";
    const pattern = patternIn(plain);
    if (pattern !== null && found[kind].size < PATTERNS_MAX) found[kind].add(pattern);
    if (/[.;!?]$/.test(word)) kind = "forbidden";
  }
  return { forbidden: [...found.forbidden], only: [...found.only] };
}

/** Quotes, brackets and points around a word; a point before a name belongs to it. */
const EDGES = /^["'`’“”«»()[\]{}<>:;!?]+|["'`’“”«»()[\]{}<>.:;!?]+$/g;

function patternIn(word: string): string | null {
  if (!/[/*]/.test(word) || word.includes("://")) return null;
  const parsed = parseScope({ allow: [word.replace(/^(?:\.?\/)+/, "")] });
  return isRefusal(parsed) ? null : (parsed.allow[0] ?? null);
}

/** The changed paths that the boundary forbids. */
export function boundaryHits(paths: readonly string[], { forbidden, only }: Boundary): readonly string[] {
  if (forbidden.length + only.length === 0) return [];
  const rule = { allow: only.length === 0 ? ["**"] : only, deny: forbidden };
  const isAllowed = compileScope(rule);
  return paths.filter((path) => !isAllowed(path));
}
