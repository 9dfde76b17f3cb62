/** Masks what differs from run to run without meaning: ids, names, times, hashes, secrets, paths. */
export type Mask = (value: unknown) => unknown;

const FORMS: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "id"],
  [/\b[a-z]+-[a-z]+-[0-9a-f]{2}\b/g, "name"],
  [/\b(?:TKT|INT)-\d{8}-\d{6}-[A-Z0-9]{4}(?:-EPIC)?\b/g, "ticket"],
];
const FIXED: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3}Z|\+00:00)/g, "<time>"],
  [/\bnomos-\d{8}T\d+Z/g, "<export>"],
  [/\bpid:\d+\b/g, "<pid>"],
  [/nm[lopt]_[0-9a-f]{48,}/g, "<secret>"],
  [/\b[0-9a-f]{64}\b/g, "<hash>"],
  [/\b[0-9a-f]{48}\b/g, "<ticket>"],
  [/\b[0-9a-f]{40}\b/g, "<commit>"],
  [/^[0-9a-f]{12}$/g, "<repository>"],
  [/\bnomos\/[0-9a-f]{8}\+[0-9a-f]{8}\+[A-Za-z0-9+/=]{44}/g, "<signer>"],
];
/** Members whose number varies by chance. */
const LUCKY: ReadonlySet<string> = new Set([
  "seq",
  "next",
  "id#",
  "pid",
  "port",
  "uptimeMs",
  "ms",
  "checkMs",
  "startTime",
  "expiresAtMs",
  "tookMs",
  "storedBytes",
]);
/** Members in which every number varies: usage depends on name lengths and on the machine. */
const LUCKY_PARTS: ReadonlySet<string> = new Set(["usage", "disk", "machine", "wal", "snapshots", "fingerprint"]);
/** Members that change while a session starts. */
const VOLATILE: ReadonlySet<string> = new Set(["status", "state", "busy", "queued", "head", "lastOutputAt"]);

/**
 * One thing has one mark everywhere, so that two things are never confused. Marks are numbered in order of appearance.
 */
export function createMask(places: Readonly<Record<string, string>>, options: { readonly numbered: boolean }): Mask {
  const marks = new Map<string, string>();
  const mark = (kind: string, given: string): string => {
    if (!options.numbered) return `<${kind}>`;
    const known = marks.get(given) ?? `<${kind} ${marks.size + 1}>`;
    marks.set(given, known);
    return known;
  };
  const maskText = (text: string): string => {
    let masked = text;
    for (const [place, name] of Object.entries(places)) masked = masked.replaceAll(place, name);
    for (const [form, name] of FIXED) masked = masked.replace(form, name);
    for (const [form, kind] of FORMS) masked = masked.replace(form, (found) => mark(kind, found));
    return masked;
  };
  const mask = (value: unknown): unknown => {
    if (typeof value === "string") return maskText(value);
    if (Array.isArray(value)) return value.map(mask);
    if (typeof value !== "object" || value === null) return value;
    const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
    return Object.fromEntries(
      members.map(([name, member]) => [
        name,
        LUCKY_PARTS.has(name)
          ? shapeOf(member)
          : typeof member === "number" && (LUCKY.has(name) || LUCKY.has(`${name}#`))
            ? "<number>"
            : mask(member),
      ]),
    );
  };
  return mask;
}

export function withoutVolatile(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !VOLATILE.has(name)));
}

export function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])];
  if (typeof value !== "object" || value === null) return value === null ? null : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]));
}
