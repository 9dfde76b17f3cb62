import { Visitor } from "oxc-parser";
import type { Finding, Rule } from "./rule.ts";
import { EVERYTHING, type SourceFile } from "./source-tree.ts";

/** An entrance says by name what it lets out: with `export *` a file would let out whatever it happens to export. */
export const namedExports: Rule = ({ files }) =>
  files.filter(isDoor).flatMap((file) => {
    const findings: Finding[] = [];
    new Visitor({
      ExportAllDeclaration: ({ start, source }) => {
        const message = `lets out all of ${source.value}: list the names`;
        findings.push({ file: file.path, line: file.lineAt(start), message });
      },
    }).visit(file.parsed.program);
    return findings;
  });

/** What no other layer, test or tool takes through an entrance stays inside. An entrance that nobody imports yet is left alone. */
export const usedExports: Rule = ({ files, takenFrom }) =>
  files.filter(isDoor).flatMap((file) => {
    const taken = takenFrom.get(file.path);
    if (taken === undefined || taken.has(EVERYTHING)) return [];
    return exportedNames(file)
      .filter(({ name }) => !taken.has(name))
      .map(({ name, start }) => ({
        file: file.path,
        line: file.lineAt(start),
        message: `lets out ${name}, which nobody takes from here`,
      }));
  });

function isDoor({ path, layer }: SourceFile): boolean {
  return layer !== null && path === `${layer.dir}/index.ts`;
}

function exportedNames(file: SourceFile): readonly { readonly name: string; readonly start: number }[] {
  return file.parsed.module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ exportName: { name }, start }) => (name === null ? [] : [{ name, start }])),
  );
}
