import { type Argument, type ParseResult, Visitor } from "oxc-parser";

/**
 * How a module names another file or package.
 * `import`: loaded with the module. `type`: erased before it runs. `dynamic`: loaded when `import()` is reached.
 * `url`: `new URL("./x", import.meta.url)`, how a worker, a child program or an asset is found.
 */
export interface Reference {
  readonly kind: "import" | "type" | "dynamic" | "url";
  readonly specifier: string;
  /** Position of the quoted specifier in the text, quotes included. */
  readonly start: number;
  readonly end: number;
}

/** All names written as literals. A name computed at run time (a user's driver file) is not included. */
export function findReferences(parsed: ParseResult): readonly Reference[] {
  const found: Reference[] = [];
  const note = (kind: Reference["kind"], node: Argument | null | undefined): void => {
    const specifier = node ? writtenOut(node) : null;
    if (node && specifier !== null) found.push({ kind, specifier, start: node.start, end: node.end });
  };
  new Visitor({
    // `import { type A } from "x"` still loads x: only a whole `import type` is erased.
    ImportDeclaration: (node) => note(node.importKind === "type" ? "type" : "import", node.source),
    ExportNamedDeclaration: (node) => note(node.exportKind === "type" ? "type" : "import", node.source),
    ExportAllDeclaration: (node) => note(node.exportKind === "type" ? "type" : "import", node.source),
    TSImportType: (node) => note("type", node.source),
    ImportExpression: (node) => note("dynamic", node.source),
    NewExpression: (node) => {
      const [name, base] = node.arguments;
      const isUrl = node.callee.type === "Identifier" && node.callee.name === "URL";
      if (isUrl && base && isImportMetaUrl(base)) note("url", name);
    },
  }).visit(parsed.program);
  return found;
}

function writtenOut(node: Argument): string | null {
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type === "TemplateLiteral" && node.quasis.length === 1) return node.quasis[0]?.value.cooked ?? null;
  return null;
}

function isImportMetaUrl(node: Argument): boolean {
  if (node.type !== "MemberExpression" || node.computed) return false;
  return node.object.type === "MetaProperty" && node.property.name === "url";
}
