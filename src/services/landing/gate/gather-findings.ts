import type { Finding, LandingRule } from "../../../domains/index.ts";

/** Findings of one landing, each once, in the order they were found. */
export interface Gathered {
  readonly add: (rule: LandingRule, found: Omit<Finding, "rule">) => void;
  readonly list: () => readonly Finding[];
  /** Whether something speaks against this path already. */
  readonly has: (rule: LandingRule, path: string) => boolean;
}

const FINDINGS_MAX = 1000;
const TEXT_CHARS = 2000;

/** Beyond the limit nothing is kept: what is listed is enough to refuse. */
export function gatherFindings(): Gathered {
  const found = new Map<string, Finding>();
  const paths = new Set<string>();
  return {
    add: (rule, { path, message, remedy }) => {
      if (found.size >= FINDINGS_MAX) return;
      const one = { rule, ...(path === undefined ? {} : { path: shownPath(path) }), message: cut(message), remedy };
      const key = JSON.stringify([rule, one.path, one.message]);
      if (path !== undefined) paths.add(`${rule} ${path}`);
      if (!found.has(key)) found.set(key, one);
    },
    list: () => [...found.values()],
    has: (rule, path) => paths.has(`${rule} ${path}`),
  };
}

const cut = (text: string): string => (text.length > TEXT_CHARS ? `${text.slice(0, TEXT_CHARS)}…` : text);

const PATH_CHARS = 1024;

/** Without characters that a terminal obeys or that show something else than what is there. */
export function shownPath(path: string): string {
  const plain = path.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);
  return plain.length > PATH_CHARS ? `${plain.slice(0, PATH_CHARS)}…` : plain;
}
