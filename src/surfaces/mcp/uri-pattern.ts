/** URIs of resources: `{id}` is one segment, `{+path}` may contain slashes. */
export interface UriPattern {
  readonly template: string;
  readonly isFixed: boolean;
  readonly names: readonly string[];
  /** The members in a URI; null when it does not match. */
  readonly match: (uri: string) => Readonly<Record<string, string>> | null;
}

const PLACE = /\{(\+?)(\w+)\}/g;

export function uriPattern(template: string): UriPattern {
  const names = [...template.matchAll(PLACE)].map(([, , name = ""]) => name);
  const literal = template.split(/\{\+?\w+\}/).map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const groups = [...template.matchAll(PLACE)].map(([, plus]) => (plus === "+" ? "(.+)" : "([^/]+)"));
  const form = new RegExp(`^${literal.map((text, at) => text + (groups[at] ?? "")).join("")}$`);
  return {
    template,
    isFixed: names.length === 0,
    names,
    match: (uri) => {
      const values = form.exec(uri)?.slice(1).map(decoded);
      if (values === undefined || values.includes(null)) return null;
      return Object.fromEntries(names.map((name, at) => [name, values[at] ?? ""]));
    },
  };
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
