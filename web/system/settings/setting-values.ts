/** How a value is edited, out of its JSON schema. */
export type Kind =
  | { readonly is: "number"; readonly min: number | null; readonly max: number | null }
  | { readonly is: "switch" | "text" | "list" | "json" }
  | { readonly is: "choice"; readonly options: readonly string[] };

interface Schema {
  readonly type?: unknown;
  readonly enum?: unknown;
  readonly minimum?: unknown;
  readonly maximum?: unknown;
  readonly items?: { readonly type?: unknown };
}

export function kindOf(given: Readonly<Record<string, unknown>>): Kind {
  const { type, enum: options, minimum, maximum, items }: Schema = given;
  if (Array.isArray(options)) return { is: "choice", options: options.map(String) };
  if (type === "boolean") return { is: "switch" };
  if (type === "string") return { is: "text" };
  if (type === "integer" || type === "number") return { is: "number", min: numeric(minimum), max: numeric(maximum) };
  return { is: type === "array" && items?.type === "string" ? "list" : "json" };
}

function numeric(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

/** The value as a field shows it. */
export function inputOf({ is }: Kind, value: unknown): string {
  if (value === null || value === undefined) return "";
  if (is === "list" && Array.isArray(value)) return value.join("\n");
  if (is === "json") return JSON.stringify(value, null, 2);
  return String(value);
}

type Parsed = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string };

/** What a field holds, as the daemon wants it; null: not set. */
export function parsedInput(kind: Kind, text: string): Parsed {
  const trimmed = text.trim();
  if (trimmed === "") return { ok: true, value: null };
  switch (kind.is) {
    case "number":
      return parsedNumber(trimmed, kind.min, kind.max);
    case "switch":
      return { ok: true, value: trimmed === "true" };
    case "list":
      return {
        ok: true,
        value: trimmed
          .split("\n")
          .map((line) => line.trim())
          .filter((line) => line !== ""),
      };
    case "json":
      return parsedJson(trimmed);
    default:
      return { ok: true, value: trimmed };
  }
}

function parsedNumber(text: string, min: number | null, max: number | null): Parsed {
  const value = Number(text.replaceAll("_", ""));
  if (!Number.isFinite(value)) return { ok: false, why: "A number is wanted." };
  if (min !== null && value < min) return { ok: false, why: `At least ${min}.` };
  return max !== null && value > max ? { ok: false, why: `At most ${max}.` } : { ok: true, value };
}

function parsedJson(text: string): Parsed {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (thrown) {
    return { ok: false, why: `This is no JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}` };
  }
}

/** The change of one setting. Members of an object are set with their neighbours, because the daemon replaces it whole. */
export function changeOf(
  config: Readonly<Record<string, unknown>>,
  key: string,
  value: unknown,
): Readonly<Record<string, unknown>> {
  const [top = key, member] = key.split(".");
  if (member === undefined) return { [top]: value };
  if (top === "limits") return { limits: { [member]: value } };
  const before = config[top];
  const neighbours = typeof before === "object" && before !== null ? before : {};
  const after = Object.entries({ ...neighbours, [member]: value }).filter(([, one]) => one !== null);
  return { [top]: after.length === 0 ? null : Object.fromEntries(after) };
}
