import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Declaration, type Expression, type ObjectProperty, parseSync } from "oxc-parser";

/** Files that define events and their shapes; a new domain is found by itself. */
const SOURCES = "src/{kernel,domains}/**/*.ts";

export interface EventShapes {
  /** Event type -> the source text of its data type. */
  readonly facts: ReadonlyMap<string, string>;
  /** The declarations that those use, in source order. */
  readonly parts: readonly string[];
}

export function eventShapes(root: string): EventShapes {
  const facts = new Map<string, string>();
  const declared = new Map<string, string[]>();
  const sources = globSync(SOURCES, { cwd: root }).filter((path) => !path.endsWith(".test.ts"));
  for (const source of sources.toSorted()) {
    const text = readFileSync(join(root, source), "utf8");
    for (const statement of parseSync(source, text).program.body) {
      const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : null;
      if (declaration === null) continue;
      for (const [type, shape] of eventsIn(declaration, text)) facts.set(type, shape);
      if (!isType(declaration)) continue;
      const { name } = declaration.id;
      declared.set(name, [...(declared.get(name) ?? []), plain(text.slice(declaration.start, declaration.end))]);
    }
  }
  return { facts, parts: partsOf([...facts.values()].join("\n"), declared) };
}

type TypeDeclaration = Extract<Declaration, { type: "TSInterfaceDeclaration" | "TSTypeAliasDeclaration" }>;

function isType(declaration: Declaration): declaration is TypeDeclaration {
  return declaration.type === "TSInterfaceDeclaration" || declaration.type === "TSTypeAliasDeclaration";
}

/** The members `"type@1": event<Shape>(...)` of exported objects. */
function eventsIn(declaration: Declaration, text: string): readonly (readonly [string, string])[] {
  if (declaration.type !== "VariableDeclaration") return [];
  return declaration.declarations.flatMap(({ init }) =>
    init?.type === "ObjectExpression"
      ? init.properties.flatMap((member) => (member.type === "Property" ? eventOf(member, text) : []))
      : [],
  );
}

function eventOf({ key, value }: ObjectProperty, text: string): readonly (readonly [string, string])[] {
  if (key.type !== "Literal" || !isEventCall(value)) return [];
  const shape = value.typeArguments?.params[0];
  if (shape === undefined) throw new Error(`${key.value} says no shape: event<Shape>(...)`);
  return [[String(key.value), plain(text.slice(shape.start, shape.end))]];
}

function isEventCall(value: Expression): value is Extract<Expression, { type: "CallExpression" }> {
  return value.type === "CallExpression" && value.callee.type === "Identifier" && value.callee.name === "event";
}

/** The declarations that a text uses, directly and indirectly. */
function partsOf(text: string, declared: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const found = new Set<string>();
  const look = (at: string): void => {
    for (const [name] of at.matchAll(/\b[A-Z]\w+/g)) {
      const inner = declared.get(name);
      if (inner === undefined || found.has(name)) continue;
      if (inner.length > 1) throw new Error(`the shapes of events name ${name}, which is declared twice`);
      found.add(name);
      inner.forEach(look);
    }
  };
  look(text);
  return [...declared].flatMap(([name, texts]) => (found.has(name) ? texts : []));
}

/** Removes `readonly`, which is clear here, and the indent of the last line. */
function plain(text: string): string {
  const [, indent = ""] = /\n( *)[^\n]*$/.exec(text) ?? [];
  return text.replaceAll("readonly ", "").replaceAll(`\n${indent}`, "\n");
}
