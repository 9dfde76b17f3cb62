import { type ByteName, byteNameOf } from "./byte-path.ts";

/** A rule without a slash matches a name anywhere; one with a slash matches a path from the top. */
export function leaveOutRule({
  root,
  leaveOut,
  hidden,
}: {
  readonly root: string;
  readonly leaveOut: readonly string[];
  readonly hidden: readonly string[];
}): (name: ByteName, path: ByteName) => boolean {
  const top = byteNameOf(root);
  const covered = new Set(hidden.map(byteNameOf));
  const patterns = leaveOut.map(byteNameOf);
  const [byPath, byName] = [patterns.filter((one) => one.includes("/")), patterns.filter((one) => !one.includes("/"))];
  const [pathRule, nameRule] = [ruleOf(byPath), ruleOf(byName)];
  return (name, path) =>
    nameRule?.test(name) === true ||
    pathRule?.test(path) === true ||
    (covered.size > 0 && covered.has(top === "/" ? `/${path}` : `${top}/${path}`));
}

function ruleOf(patterns: readonly ByteName[]): RegExp | null {
  if (patterns.length === 0) return null;
  const escaped = patterns.map((one) =>
    one
      .replace(/^\.?\/|\/$/g, "")
      .replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&")
      .replaceAll("*", "[^/]*"),
  );
  return new RegExp(`^(?:${escaped.join("|")})$`, "s");
}
