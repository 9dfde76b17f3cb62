/** Where a text stops being JSON; lines and columns count from 1. */
export interface JsonFault {
  readonly line: number;
  readonly column: number;
}

/** Null when the text is JSON. `JSON.parse` names the place only sometimes. */
export function jsonFault(text: string): JsonFault | null {
  const at = faultAt(text);
  if (at === null) return null;
  const before = text.slice(0, at).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

const TOKEN =
  /[ \t\n\r]*(?:([{}[\],:])|("(?:[ !#-[\]-\u{10ffff}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|true|false|null))/uy;

/** What may come next: a value, a name, the colon after it, or what follows a value. */
type Expected = "value" | "value or ]" | "name" | "name or }" | ":" | "end";

function faultAt(text: string): number | null {
  const open: string[] = [];
  let expected: Expected = "value";
  let at = 0;
  for (;;) {
    TOKEN.lastIndex = at;
    const start = at + (/^[ \t\n\r]*/.exec(text.slice(at, at + SPACE_MAX))?.[0].length ?? 0);
    const found = TOKEN.exec(text);
    if (found === null)
      return expected === "end" && open.length === 0 && text.slice(start).trim() === "" ? null : start;
    const [, sign, name] = found;
    const next = after(expected, sign, name !== undefined, open);
    if (next === null) return start;
    expected = next;
    at = TOKEN.lastIndex;
  }
}

const SPACE_MAX = 100_000;

/** What may follow a token; null when the token itself is wrong there. */
function after(expected: Expected, sign: string | undefined, isText: boolean, open: string[]): Expected | null {
  const top = open.at(-1);
  if (expected === ":") return sign === ":" ? "value" : null;
  if (sign === "}" || sign === "]") {
    const mayClose = expected === "end" || expected === (sign === "}" ? "name or }" : "value or ]");
    if (!mayClose || top !== (sign === "}" ? "{" : "[")) return null;
    open.pop();
    return "end";
  }
  if (expected === "end") return sign !== "," || top === undefined ? null : top === "{" ? "name" : "value";
  if (expected === "name" || expected === "name or }") return isText ? ":" : null;
  if (sign === undefined) return "end";
  if (sign !== "{" && sign !== "[") return null;
  open.push(sign);
  return sign === "{" ? "name or }" : "value or ]";
}
