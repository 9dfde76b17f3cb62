import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { type ParseResult, parseSync } from "oxc-parser";

/** Replaces the text between two positions. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

type Exported = ReadonlyMap<string, { readonly file: string; readonly name: string }>;

/**
 * Imports from a room's entrance, made to name the file behind it. The bundler places whole files: by an entrance, whoever
 * takes one function would load the room.
 */
export function throughEntrances(root: string): (source: string, parsed: ParseResult) => readonly Edit[] {
  const known = new Map<string, Exported>();
  const exportedBy = (entrance: string): Exported => {
    const found = known.get(entrance) ?? readEntrance(root, entrance);
    known.set(entrance, found);
    return found;
  };

  return (source, parsed) =>
    parsed.module.staticImports.flatMap(({ start, end, moduleRequest, entries }) => {
      const entrance = posix.join(posix.dirname(source), moduleRequest.value);
      if (!moduleRequest.value.startsWith(".") || !entrance.endsWith("/index.ts")) return [];
      const exported = exportedBy(entrance);
      const values = entries.filter(({ isType }) => !isType);
      const lines = values.map(({ importName, localName }) => {
        const behind = exported.get(importName.name ?? "");
        return behind && `import { ${behind.name} as ${localName.value} } from "${from(source, behind.file)}";`;
      });
      return lines.includes(undefined) ? [] : [{ start, end, text: lines.join(" ") }];
    });
}

function readEntrance(root: string, entrance: string): Exported {
  const { module } = parseSync(entrance, readFileSync(join(root, entrance), "utf8"));
  return new Map(
    module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ isType, moduleRequest, importName, exportName }) => {
        if (isType || moduleRequest === null || importName.name === null || exportName.name === null) return [];
        const file = posix.join(posix.dirname(entrance), moduleRequest.value);
        return [[exportName.name, { file, name: importName.name }] as const];
      }),
    ),
  );
}

function from(source: string, file: string): string {
  const path = posix.relative(posix.dirname(source), file);
  return path.startsWith(".") ? path : `./${path}`;
}
