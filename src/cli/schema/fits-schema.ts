/**
 * Whether a value fits a JSON schema, by the keywords that schemas of answers use. Unknown keywords say nothing. Written
 * here because the command line loads no library for it.
 */
export function schemaProblem(schema: unknown, value: unknown): string | null {
  return problemAt({ root: schema, depth: 0 }, schema, value, "$");
}

interface Place {
  readonly root: unknown;
  readonly depth: number;
}
type Keywords = Readonly<Record<string, unknown>>;
type Check = (keywords: Keywords, value: unknown, path: string, place: Place) => string | null;

const DEPTH_MAX = 100;

function problemAt(place: Place, schema: unknown, value: unknown, path: string): string | null {
  if (schema === true) return null;
  if (schema === false) return `${path} is not allowed`;
  if (!isObject(schema)) return `the schema of ${path} is neither an object nor true or false`;
  if (place.depth > DEPTH_MAX) return `${path} is nested too deep for the schema`;
  const deeper = { ...place, depth: place.depth + 1 };
  for (const check of CHECKS) {
    const problem = check(schema, value, path, deeper);
    if (problem !== null) return problem;
  }
  return null;
}

const reference: Check = ({ $ref }, value, path, place) => {
  if (typeof $ref !== "string") return null;
  const target = targetOf(place.root, $ref);
  return target === undefined
    ? `the schema refers to ${$ref}, which it does not have`
    : problemAt(place, target, value, path);
};

const kinds: Check = ({ type }, value, path) => {
  const wanted = Array.isArray(type) ? type : type === undefined ? [] : [type];
  if (wanted.length === 0 || wanted.some((one) => isOf(String(one), value))) return null;
  return `${path} is ${kindOf(value)}, not ${wanted.join(" or ")}`;
};

const values: Check = (keywords, value, path) => {
  const { enum: listed } = keywords;
  if (Array.isArray(listed) && !listed.some((one) => isSame(one, value)))
    return `${path} is ${short(value)}, not one of ${listed.map(short).join(", ")}`;
  if ("const" in keywords && !isSame(keywords["const"], value)) return `${path} is not ${short(keywords["const"])}`;
  return null;
};

const numbers: Check = (keywords, value, path) => {
  if (typeof value !== "number") return null;
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = keywords;
  if (typeof minimum === "number" && value < minimum) return `${path} is less than ${minimum}`;
  if (typeof maximum === "number" && value > maximum) return `${path} is more than ${maximum}`;
  if (typeof exclusiveMinimum === "number" && value <= exclusiveMinimum)
    return `${path} is not above ${exclusiveMinimum}`;
  if (typeof exclusiveMaximum === "number" && value >= exclusiveMaximum)
    return `${path} is not below ${exclusiveMaximum}`;
  if (typeof multipleOf === "number" && multipleOf > 0 && !isWhole(value / multipleOf))
    return `${path} is no multiple of ${multipleOf}`;
  return null;
};

/** 0.07 / 0.01 is 7.000000000000001. */
function isWhole(quotient: number): boolean {
  return Math.abs(quotient - Math.round(quotient)) <= 1e-9 * Math.max(1, Math.abs(quotient));
}

const texts: Check = ({ minLength, maxLength, pattern }, value, path) => {
  if (typeof value !== "string") return null;
  const { length } = [...value];
  if (typeof minLength === "number" && length < minLength) return `${path} has less than ${minLength} characters`;
  if (typeof maxLength === "number" && length > maxLength) return `${path} has more than ${maxLength} characters`;
  if (typeof pattern === "string" && expression(pattern)?.test(value) === false)
    return `${path} does not match ${pattern}`;
  return null;
};

const lists: Check = (keywords, value, path, place) => {
  if (!Array.isArray(value)) return null;
  const { minItems, maxItems, uniqueItems, contains } = keywords;
  if (typeof minItems === "number" && value.length < minItems) return `${path} has less than ${minItems} items`;
  if (typeof maxItems === "number" && value.length > maxItems) return `${path} has more than ${maxItems} items`;
  if (uniqueItems === true && new Set(value.map(canonical)).size < value.length) return `${path} has an item twice`;
  if (contains !== undefined && !value.some((item) => problemAt(place, contains, item, path) === null))
    return `${path} has no item that fits \`contains\``;
  const { first, rest } = itemSchemas(keywords);
  for (const [at, item] of value.entries()) {
    const schema: unknown = at < first.length ? first[at] : rest;
    const problem = schema === undefined ? null : problemAt(place, schema, item, `${path}[${at}]`);
    if (problem !== null) return problem;
  }
  return null;
};

/** Older drafts write a list in `items` for what is `prefixItems` now. */
function itemSchemas({ prefixItems, items, additionalItems }: Keywords): {
  readonly first: readonly unknown[];
  readonly rest: unknown;
} {
  if (Array.isArray(items)) return { first: items, rest: additionalItems };
  return { first: Array.isArray(prefixItems) ? prefixItems : [], rest: items };
}

const names: Check = ({ propertyNames, dependentRequired }, value, path, place) => {
  if (!isObject(value)) return null;
  for (const name of Object.keys(value)) {
    const problem =
      propertyNames === undefined ? null : problemAt(place, propertyNames, name, `the name ${path}.${name}`);
    if (problem !== null) return problem;
    const needed = isObject(dependentRequired) && Object.hasOwn(dependentRequired, name) ? dependentRequired[name] : [];
    const missing = Array.isArray(needed) ? needed.find((one) => !Object.hasOwn(value, String(one))) : undefined;
    if (missing !== undefined) return `${path}.${String(missing)} is missing beside ${name}`;
  }
  return null;
};

const members: Check = (keywords, value, path, place) => {
  if (!isObject(value)) return null;
  const { required, properties, patternProperties, additionalProperties, minProperties, maxProperties } = keywords;
  const missing = Array.isArray(required) ? required.find((name) => !Object.hasOwn(value, String(name))) : undefined;
  if (missing !== undefined) return `${path}.${String(missing)} is missing`;
  const count = Object.keys(value).length;
  if (typeof minProperties === "number" && count < minProperties)
    return `${path} has less than ${minProperties} members`;
  if (typeof maxProperties === "number" && count > maxProperties)
    return `${path} has more than ${maxProperties} members`;
  const patterns = isObject(patternProperties) ? Object.entries(patternProperties) : [];
  for (const [name, member] of Object.entries(value)) {
    const own = isObject(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [];
    const matching = patterns.filter(([pattern]) => expression(pattern)?.test(name) === true).map(([, one]) => one);
    const known = [...own, ...matching];
    const schemas = known.length === 0 && additionalProperties !== undefined ? [additionalProperties] : known;
    for (const schema of schemas) {
      const problem = problemAt(place, schema, member, `${path}.${name}`);
      if (problem !== null) return problem;
    }
  }
  return null;
};

const combined: Check = (keywords, value, path, place) => {
  const { allOf, anyOf, oneOf, not } = keywords;
  const fits = (schema: unknown): boolean => problemAt(place, schema, value, path) === null;
  for (const schema of Array.isArray(allOf) ? allOf : []) {
    const problem = problemAt(place, schema, value, path);
    if (problem !== null) return problem;
  }
  if (Array.isArray(anyOf) && !anyOf.some(fits)) return `${path} fits none of the schemas of anyOf`;
  if (Array.isArray(oneOf) && oneOf.filter(fits).length !== 1)
    return `${path} does not fit exactly one schema of oneOf`;
  if (not !== undefined && fits(not)) return `${path} fits what \`not\` excludes`;
  const next = "if" in keywords ? keywords[fits(keywords["if"]) ? "then" : "else"] : undefined;
  return next === undefined ? null : problemAt(place, next, value, path);
};

const CHECKS: readonly Check[] = [reference, kinds, values, numbers, texts, lists, names, members, combined];

/** Only places in the schema itself: nothing is fetched. */
export function targetOf(root: unknown, ref: string): unknown {
  if (!ref.startsWith("#")) return undefined;
  const names = ref
    .slice(1)
    .split("/")
    .filter((name) => name !== "");
  return names.reduce<unknown>((at, name) => {
    const key = unescaped(name);
    return typeof at === "object" && at !== null && Object.hasOwn(at, key) ? Reflect.get(at, key) : undefined;
  }, root);
}

function isObject(value: unknown): value is Keywords {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

function isOf(type: string, value: unknown): boolean {
  return type === "integer" ? Number.isInteger(value) : kindOf(value) === type;
}

function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, at) => isSame(item, other[at]));
  if (isObject(one) && isObject(other)) {
    const keys = Object.keys(one);
    return keys.length === Object.keys(other).length && keys.every((key) => isSame(one[key], other[key]));
  }
  return one === other;
}

const SHORT_CHARS = 60;

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > SHORT_CHARS ? `${text.slice(0, SHORT_CHARS)}…` : text;
}

/** Null for a pattern that JavaScript does not have. Many schemas escape what needs none, which `u` refuses. */
export function expression(pattern: string): RegExp | null {
  for (const flags of ["u", ""])
    try {
      return new RegExp(pattern, flags);
    } catch {
      // The next one, or none.
    }
  return null;
}

/** The same text for values that are the same, whatever the order of their members. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) =>
    isObject(one) ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))) : one,
  );
}

function unescaped(name: string): string {
  const plain = name.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}
