import { expression, targetOf } from "./fits-schema.ts";

/**
 * What is wrong with a JSON schema itself, or null. A model could never meet such a schema, so it is told before anything
 * runs. Keywords that are not checked say nothing here either.
 */
export function schemaFault(schema: unknown): string | null {
  return faultAt(schema, schema, "the schema", 0);
}

type Keywords = Readonly<Record<string, unknown>>;
type IsFine = (value: unknown, root: unknown) => boolean;

const DEPTH_MAX = 100;
const TYPES: readonly unknown[] = ["object", "array", "string", "number", "integer", "boolean", "null"];

const isType: IsFine = (value) => TYPES.includes(value);
const isNumber: IsFine = (value) => typeof value === "number";
const isCount: IsFine = (value) => typeof value === "number" && Number.isInteger(value) && value >= 0;
const isNames: IsFine = (value) => Array.isArray(value) && value.every((one) => typeof one === "string");

/** What each keyword has to be, in words and as a check. */
const VALUES: { readonly [keyword: string]: readonly [string, IsFine] } = {
  type: [
    `one of ${TYPES.join(", ")}, or a list of them`,
    (value, root) => isType(value, root) || (Array.isArray(value) && value.length > 0 && value.every(isType)),
  ],
  enum: ["a list of values", (value) => Array.isArray(value) && value.length > 0],
  required: ["a list of names", isNames],
  pattern: ["a regular expression", (value) => typeof value === "string" && expression(value) !== null],
  $ref: [
    "a place in this schema, such as #/$defs/name",
    (value, root) => typeof value === "string" && targetOf(root, value) !== undefined,
  ],
  ...Object.fromEntries(
    ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"].map((name) => [name, ["a number", isNumber]]),
  ),
  multipleOf: ["a number above 0", (value) => typeof value === "number" && value > 0],
  ...Object.fromEntries(
    ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"].map((name) => [
      name,
      ["a whole number", isCount],
    ]),
  ),
};

const ONE: readonly string[] = [
  ...["items", "additionalItems", "additionalProperties", "propertyNames", "contains"],
  ...["not", "if", "then", "else"],
];
const LISTS: readonly string[] = ["allOf", "anyOf", "oneOf", "prefixItems"];
const BY_NAME: readonly string[] = ["properties", "patternProperties", "$defs", "definitions"];

function faultAt(root: unknown, schema: unknown, path: string, depth: number): string | null {
  if (typeof schema === "boolean") return null;
  if (!isObject(schema)) return `${path} is neither an object nor true or false`;
  if (depth > DEPTH_MAX) return `${path} is nested too deep`;
  for (const [keyword, value] of Object.entries(schema)) {
    const [words, isFine] = Object.hasOwn(VALUES, keyword) ? (VALUES[keyword] ?? []) : [];
    if (isFine?.(value, root) === false) return `\`${keyword}\` of ${path} is not ${words}`;
    const inner = innerSchemas(keyword, value);
    if (inner === null) return `\`${keyword}\` of ${path} holds no schemas`;
    for (const [name, one] of inner) {
      const fault = faultAt(root, one, `${path}/${name}`, depth + 1);
      if (fault !== null) return fault;
    }
  }
  return null;
}

/** The schemas in a keyword, each with its place; null where there should be some. */
function innerSchemas(keyword: string, value: unknown): readonly (readonly [string, unknown])[] | null {
  if (LISTS.includes(keyword) || (keyword === "items" && Array.isArray(value)))
    return Array.isArray(value) ? value.map((one, at) => [`${keyword}/${at}`, one]) : null;
  if (ONE.includes(keyword)) return [[keyword, value]];
  if (!BY_NAME.includes(keyword)) return [];
  return isObject(value) ? Object.entries(value).map(([name, one]) => [`${keyword}/${name}`, one]) : null;
}

function isObject(value: unknown): value is Keywords {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
