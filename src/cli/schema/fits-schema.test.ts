import { expect, test } from "vitest";
import { schemaProblem } from "./fits-schema.ts";
import { schemaFault } from "./schema-fault.ts";

const PERSON = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 1 },
    age: { type: "integer", minimum: 0 },
    tags: { type: "array", items: { $ref: "#/$defs/tag" }, maxItems: 2, uniqueItems: true },
    kind: { enum: ["a", "b"] },
  },
  required: ["name"],
  additionalProperties: false,
  $defs: { tag: { type: "string", pattern: "^[a-z]+$" } },
};

test.each([
  [{ name: "Ada", age: 36, tags: ["x"], kind: "a" }, null],
  [{ age: 1 }, "$.name is missing"],
  [{ name: "" }, "$.name has less than 1 characters"],
  [{ name: "a", age: 1.5 }, "$.age is number, not integer"],
  [{ name: "a", age: -1 }, "$.age is less than 0"],
  [{ name: "a", tags: ["A"] }, "$.tags[0] does not match ^[a-z]+$"],
  [{ name: "a", tags: ["b", "b"] }, "$.tags has an item twice"],
  [{ name: "a", kind: "c" }, '$.kind is "c", not one of "a", "b"'],
  [{ name: "a", other: 1 }, "$.other is not allowed"],
  [[], "$ is array, not object"],
  [null, "$ is null, not object"],
])("%j against a schema of a person", (value, problem) => {
  expect(schemaProblem(PERSON, value)).toBe(problem);
});

test.each([
  [{ anyOf: [{ type: "string" }, { type: "null" }] }, 1, "$ fits none of the schemas of anyOf"],
  [{ oneOf: [{ type: "number" }, { minimum: 1 }] }, 2, "$ does not fit exactly one schema of oneOf"],
  [{ not: { type: "number" } }, 2, "$ fits what `not` excludes"],
  [JSON.parse('{"if":{"type":"number"},"then":{"minimum":3}}'), 2, "$ is less than 3"],
  [{ const: { a: [1] } }, { a: [1] }, null],
  [{ prefixItems: [{ type: "string" }], items: { type: "number" } }, ["a", "b"], "$[1] is string, not number"],
  [
    { patternProperties: { "^x": { type: "number" } }, additionalProperties: false },
    { x1: "a" },
    "$.x1 is string, not number",
  ],
  [{ $ref: "#/$defs/none" }, 1, "the schema refers to #/$defs/none, which it does not have"],
  [
    { $ref: "https://example.org/s.json" },
    1,
    "the schema refers to https://example.org/s.json, which it does not have",
  ],
  [{ pattern: "(" }, "x", null],
  [{ pattern: "^a\\-b$" }, "a_b", "$ does not match ^a\\-b$"],
  [{ multipleOf: 0.01 }, 0.07, null],
  [{ multipleOf: 0.01 }, 0.075, "$ is no multiple of 0.01"],
  [
    { uniqueItems: true },
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    "$ has an item twice",
  ],
  [{ items: [{ type: "string" }], additionalItems: false }, ["a", "b"], "$[1] is not allowed"],
  [{ contains: { const: 1 } }, [2, 3], "$ has no item that fits `contains`"],
  [{ propertyNames: { maxLength: 2 } }, { abc: 1 }, "the name $.abc has more than 2 characters"],
  [{ dependentRequired: { card: ["address"] } }, { card: 1 }, "$.address is missing beside card"],
  [{ type: ["string", "null"] }, null, null],
  [false, 1, "$ is not allowed"],
])("%j against %j", (schema, value, problem) => {
  expect(schemaProblem(schema, value)).toBe(problem);
});

test("a schema that refers to itself ends, and an endless one is a problem", () => {
  const tree = { type: "object", properties: { next: { $ref: "#" } } };
  expect(schemaProblem(tree, { next: { next: {} } })).toBeNull();
  expect(schemaProblem({ $ref: "#" }, 1)).toBe("$ is nested too deep for the schema");
});

test.each([
  [{ type: "bogus" }, "`type` of the schema is not one of object,"],
  [{ type: [] }, "`type` of the schema"],
  [{ properties: { a: { minimum: "1" } } }, "`minimum` of the schema/properties/a is not a number"],
  [{ properties: [] }, "`properties` of the schema holds no schemas"],
  [{ items: "string" }, "the schema/items is neither an object nor true or false"],
  [{ anyOf: { type: "string" } }, "`anyOf` of the schema holds no schemas"],
  [{ required: "name" }, "`required` of the schema is not a list of names"],
  [{ pattern: "(" }, "`pattern` of the schema is not a regular expression"],
  [{ items: { $ref: "#/$defs/none" } }, "`$ref` of the schema/items is not a place in this schema"],
  [{ $ref: "https://example.org/s.json" }, "`$ref` of the schema"],
])("%j is no schema that an answer could fit", (schema, fault) => {
  expect(schemaFault(schema)).toContain(fault);
});

test.each([PERSON, { const: { type: "bogus" } }, { enum: [{ type: 1 }] }, { $ref: "#" }, { unknown: [] }, true])(
  "%j is a schema",
  (schema) => {
    expect(schemaFault(schema)).toBeNull();
  },
);
