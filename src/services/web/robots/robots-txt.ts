/** One line of the group that applies: the longest pattern decides, and `allow` where two are as long. */
export interface RobotsRule {
  readonly allow: boolean;
  readonly pattern: string;
}

const RULES_MAX = 2_000;
const PATTERN_CHARS_MAX = 1_000;

/** The rules for a crawler of this name, by RFC 9309. Groups for `*` apply when none names it. */
export function rulesFor(text: string, product: string): readonly RobotsRule[] {
  const named: RobotsRule[] = [];
  const general: RobotsRule[] = [];
  let isNamed = false;
  let isForMe = false;
  let isForAll = false;
  let isHead = false;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, key = "", value = ""] = /^\s*([A-Za-z-]{1,30})\s*:\s*([^#]*)/.exec(line) ?? [];
    const given = value.trim();
    const name = key.toLowerCase();
    if (name === "user-agent") {
      if (!isHead) [isForMe, isForAll, isHead] = [false, false, true];
      const agent = given.toLowerCase();
      if (agent === product.toLowerCase()) [isForMe, isNamed] = [true, true];
      if (agent === "*") isForAll = true;
    } else if (name === "allow" || name === "disallow") {
      isHead = false;
      if (given === "" || given.length > PATTERN_CHARS_MAX) continue;
      const rule = { allow: name === "allow", pattern: given };
      if (isForMe && named.length < RULES_MAX) named.push(rule);
      if (isForAll && general.length < RULES_MAX) general.push(rule);
    }
  }
  return isNamed ? named : general;
}

export function isAllowed(rules: readonly RobotsRule[], path: string): boolean {
  const asked = normal(path);
  let best: RobotsRule | null = null;
  for (const rule of rules) {
    if (!matches(normal(rule.pattern), asked)) continue;
    const longer = rule.pattern.length - (best?.pattern.length ?? -1);
    if (best === null || longer > 0 || (longer === 0 && rule.allow)) best = rule;
  }
  return best?.allow ?? true;
}

/** One spelling of percent-encoding: what needs none has none, and the rest is in upper case. */
function normal(path: string): string {
  return path.replace(/%[0-9a-fA-F]{2}/g, (code) => {
    const char = String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return /[\w.~-]/.test(char) ? char : code.toUpperCase();
  });
}

/** `*` is any text, `$` at the end is the end. Each piece is taken where it comes first: linear in the path. */
function matches(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith("$");
  const pieces = (isWhole ? pattern.slice(0, -1) : pattern).split("*");
  const [first = "", ...rest] = pieces;
  if (!path.startsWith(first)) return false;
  let at = first.length;
  const last = isWhole ? rest.pop() : undefined;
  for (const piece of rest) {
    const found = path.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  if (!isWhole) return true;
  return last === undefined ? at === path.length : path.length - last.length >= at && path.endsWith(last);
}
