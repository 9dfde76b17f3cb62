import { type Expression, Visitor } from "oxc-parser";
import type { Finding, Rule } from "./rule.ts";
import type { SourceFile } from "./source-tree.ts";

/** The aim is 300 lines; the rest is tolerance. */
const FILE_LINES_MAX = 320;
/** An entrance only lists names. Its layer's own limits hold the code behind it. */
const ENTRANCE_LINES_MAX = 500;

/** Names that say nothing about the content. */
const VAGUE_WORDS: ReadonlySet<string> = new Set(["common", "helper", "helpers", "manager", "misc", "util", "utils"]);

const SILENCERS = /@ts-(?:ignore|expect-error|nocheck)|biome-ignore/;

/** A file that cannot be parsed would pass every other rule. */
export const parses: Rule = ({ files }) =>
  files.flatMap((file) =>
    file.parsed.errors.map((error) => found(file, error.labels[0]?.start ?? null, `does not parse: ${error.message}`)),
  );

export const fileSize: Rule = ({ files }) =>
  files
    .filter((file) => !file.isTest && !file.path.endsWith(".generated.ts") && file.lineCount > linesMax(file))
    .map((file) => found(file, null, `has ${file.lineCount} lines, at most ${linesMax(file)} are allowed`));

const linesMax = ({ path, layer }: SourceFile): number =>
  path === `${layer?.dir}/index.ts` ? ENTRANCE_LINES_MAX : FILE_LINES_MAX;

export const layerSize: Rule = ({ files, layers }) =>
  layers.flatMap(({ dir, maxLines }) => tooLarge(files, dir, maxLines));

/** Limits the lines of each folder of a layer. Files directly in the layer, its index and its list, do not count. */
export const folderSize: Rule = ({ files, layers }) =>
  layers.flatMap(({ dir, maxLinesOfFolder }) => {
    const inside = files.filter(({ path }) => path.startsWith(`${dir}/`)).map(({ path }) => path.split("/"));
    const folders = new Set(inside.filter(({ length }) => length > 3).map((parts) => parts.slice(0, 3).join("/")));
    return [...folders].flatMap((folder) => tooLarge(files, folder, maxLinesOfFolder));
  });

function tooLarge(files: readonly SourceFile[], dir: string, max = Number.POSITIVE_INFINITY): readonly Finding[] {
  const lines = files
    .filter((file) => !file.isTest && file.path.startsWith(`${dir}/`))
    .reduce((sum, file) => sum + file.lineCount, 0);
  return lines <= max ? [] : [{ file: dir, line: null, message: `has ${lines} lines, at most ${max} are allowed` }];
}

export const plainName: Rule = ({ files }) =>
  files.flatMap((file) => {
    const words = file.path.replace(/\.ts$/, "").split(/[/.\-_]/);
    return words
      .filter((word) => VAGUE_WORDS.has(word))
      .map((word) => found(file, null, `is named "${word}": name what it does`));
  });

export const noEscapeHatch: Rule = ({ files }) =>
  files.flatMap((file) => {
    const findings = file.parsed.comments
      .filter(({ value }) => SILENCERS.test(value))
      .map(({ value, start }) => found(file, start, `silences a check: ${value.trim()}`));
    new Visitor({
      TSAnyKeyword: ({ start }) => {
        findings.push(found(file, start, "uses the type any"));
      },
    }).visit(file.parsed.program);
    return findings;
  });

/** A pure layer gets time and randomness as arguments. Other host features are refused by the compiler. */
export const pure: Rule = ({ files }) =>
  files
    .filter((file) => file.layer?.runtime === "language")
    .flatMap((file) => {
      const findings: Finding[] = [];
      const note = (start: number, what: string): void => {
        findings.push(found(file, start, `reads ${what}: take it as an argument`));
      };
      new Visitor({
        MemberExpression: ({ start, object, property, computed }) => {
          const member = computed ? textOf(property) : nameOf(property);
          if (nameOf(object) === "Date" && member === "now") note(start, "Date.now");
          if (nameOf(object) === "Math" && member === "random") note(start, "Math.random");
        },
        NewExpression: ({ start, callee }) => {
          if (nameOf(callee) === "Date") note(start, "new Date");
        },
        CallExpression: ({ start, callee }) => {
          if (nameOf(callee) === "Date") note(start, "Date()");
        },
      }).visit(file.parsed.program);
      return findings;
    });

function nameOf(node: Expression | { readonly type: "PrivateIdentifier" }): string | null {
  return node.type === "Identifier" ? node.name : null;
}

function textOf(node: Expression | { readonly type: "PrivateIdentifier" }): string | null {
  return node.type === "Literal" && typeof node.value === "string" ? node.value : null;
}

function found(file: SourceFile, offset: number | null, message: string): Finding {
  return { file: file.path, line: offset === null ? null : file.lineAt(offset), message };
}
