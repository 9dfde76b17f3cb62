import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Declaration, parseSync } from "oxc-parser";

/** Where the facts are declared, and the shapes that they are made of. */
const SOURCES = [
  "src/kernel/events.ts",
  "src/kernel/event-parts.ts",
  "src/kernel/driver-events.ts",
  "src/kernel/worktree-events.ts",
  "src/kernel/keeping.ts",
  "src/kernel/world-events.ts",
  "src/kernel/session/view.ts",
];

const MAPS = ["EventMap", "DriverEventMap", "WorldEventMap", "WorktreeEventMap"];

export interface EventShapes {
  /** Event type -> the type of its data, as it is written. */
  readonly facts: ReadonlyMap<string, string>;
  /** The declarations that those refer to, in the order of the sources. */
  readonly parts: readonly string[];
}

export function eventShapes(root: string): EventShapes {
  const facts = new Map<string, string>();
  const declared = new Map<string, string>();
  for (const source of SOURCES) {
    const text = readFileSync(join(root, source), "utf8");
    for (const statement of parseSync(source, text).program.body) {
      const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : null;
      if (declaration === null || !isType(declaration)) continue;
      if (MAPS.includes(declaration.id.name))
        for (const [type, shape] of membersOf(declaration, text)) facts.set(type, shape);
      else declared.set(declaration.id.name, plain(text.slice(declaration.start, declaration.end)));
    }
  }
  const named = namesIn([...facts.values()].join("\n"), declared);
  return { facts, parts: [...declared].flatMap(([name, text]) => (named.has(name) ? [text] : [])) };
}

type TypeDeclaration = Extract<Declaration, { type: "TSInterfaceDeclaration" | "TSTypeAliasDeclaration" }>;

function isType(declaration: Declaration): declaration is TypeDeclaration {
  return declaration.type === "TSInterfaceDeclaration" || declaration.type === "TSTypeAliasDeclaration";
}

function membersOf(declaration: TypeDeclaration, text: string): readonly (readonly [string, string])[] {
  if (declaration.type !== "TSInterfaceDeclaration") return [];
  return declaration.body.body.flatMap((member) => {
    if (member.type !== "TSPropertySignature" || member.key.type !== "Literal") return [];
    const type = member.typeAnnotation?.typeAnnotation;
    return type === undefined
      ? []
      : [[String(member.key.value), plain(text.slice(type.start, type.end), "\n  ")] as const];
  });
}

/** The declared names that a text uses, and those that they use in turn. */
function namesIn(text: string, declared: ReadonlyMap<string, string>): ReadonlySet<string> {
  const found = new Set<string>();
  const look = (at: string): void => {
    for (const [name] of at.matchAll(/\b[A-Z]\w+/g)) {
      const inner = declared.get(name);
      if (inner === undefined || found.has(name)) continue;
      found.add(name);
      look(inner);
    }
  };
  look(text);
  return found;
}

/** That nothing in it ever changes goes without saying here. */
function plain(text: string, indent = "\n"): string {
  return text.replaceAll("readonly ", "").replaceAll(indent, "\n");
}
