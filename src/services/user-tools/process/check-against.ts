import type { Json } from "../../../kernel/index.ts";

/**
 * What of a JSON schema a call is held to, in the tool's own process: a pattern of the file's author must not keep the
 * daemon busy. Keywords that are not known here hold nothing. Null: it fits.
 */
export function checkAgainst(schema: Json, value: Json, at: string): string | null {
  if (!isObject(schema)) return null;
  return (
    checkType(schema, value, at) ??
    checkChoice(schema, value, at) ??
    (typeof value === "string" ? checkText(schema, value, at) : null) ??
    (typeof value === "number" ? checkNumber(schema, value, at) : null) ??
    (Array.isArray(value) ? checkItems(schema, value, at) : null) ??
    (isObject(value) ? checkMembers(schema, value, at) : null)
  );
}

type Members = { readonly [key: string]: Json };

function isObject(value: Json | undefined): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function checkType({ type }: Members, value: Json, at: string): string | null {
  const wanted = Array.isArray(type) ? type : [type];
  if (type === undefined || wanted.some((one) => typeof one === "string" && isOf(one, value))) return null;
  return `${at} is not of the type ${wanted.join(" or ")}`;
}

function isOf(type: string, value: Json): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function checkChoice(schema: Members, value: Json, at: string): string | null {
  const text = JSON.stringify(value);
  const choices = schema["const"] === undefined ? schema["enum"] : [schema["const"]];
  if (Array.isArray(choices) && !choices.some((one) => JSON.stringify(one) === text))
    return `${at} is none of ${choices.map((one) => JSON.stringify(one)).join(", ")}`;
  const either = schema["anyOf"] ?? schema["oneOf"];
  if (!Array.isArray(either)) return null;
  const problems = either.map((one: Json) => checkAgainst(one, value, at));
  return problems.includes(null) ? null : (problems[0] ?? null);
}

function checkText(schema: Members, value: string, at: string): string | null {
  const { minLength, maxLength, pattern } = schema;
  if (typeof minLength === "number" && value.length < minLength) return `${at} has less than ${minLength} characters`;
  if (typeof maxLength === "number" && value.length > maxLength) return `${at} has more than ${maxLength} characters`;
  if (typeof pattern === "string" && !new RegExp(pattern, "u").test(value)) return `${at} does not match ${pattern}`;
  return null;
}

function checkNumber({ minimum, maximum }: Members, value: number, at: string): string | null {
  if (typeof minimum === "number" && value < minimum) return `${at} is less than ${minimum}`;
  return typeof maximum === "number" && value > maximum ? `${at} is more than ${maximum}` : null;
}

function checkItems({ items = null, minItems, maxItems }: Members, value: readonly Json[], at: string): string | null {
  if (typeof minItems === "number" && value.length < minItems) return `${at} has less than ${minItems} items`;
  if (typeof maxItems === "number" && value.length > maxItems) return `${at} has more than ${maxItems} items`;
  return firstOf(value.map((item, index) => checkAgainst(items, item, `${at}[${index}]`)));
}

function checkMembers(schema: Members, value: Members, at: string): string | null {
  const { properties = {}, required = [], additionalProperties = true } = schema;
  const missing = Array.isArray(required) ? required.find((name) => !Object.hasOwn(value, String(name))) : undefined;
  if (missing !== undefined) return `${at} has no ${String(missing)}`;
  const known: Members = isObject(properties) ? properties : {};
  return firstOf(
    Object.entries(value).map(([name, member]) => {
      const of = Object.hasOwn(known, name) ? known[name] : additionalProperties;
      return of === false ? `${at} has an unknown member ${name}` : checkAgainst(of ?? null, member, `${at}.${name}`);
    }),
  );
}

function firstOf(problems: readonly (string | null)[]): string | null {
  return problems.find((problem) => problem !== null) ?? null;
}
