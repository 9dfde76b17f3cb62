import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Finding, Rule } from "./rule.ts";
import type { SourceFile } from "./source-tree.ts";

/** File names and exported names use the words of GLOSSARY.md, not those that it says to avoid. */
export const glossaryWord: Rule = ({ files, avoidedWords }) =>
  files
    .filter((file) => !file.isTest && !file.path.endsWith(".generated.ts"))
    .flatMap((file) => {
      const ofFile = wordsIn(file.path.slice(file.path.lastIndexOf("/") + 1, -".ts".length)).map((word) => ({
        word,
        line: null,
      }));
      const found = [...ofFile, ...exportedWords(file)].filter(({ word }) => avoidedWords.has(word));
      return found.map(
        ({ word, line }): Finding => ({
          file: file.path,
          line,
          message: `has "${word}" in a name: GLOSSARY.md has another word for it`,
        }),
      );
    });

function exportedWords(file: SourceFile): { word: string; line: number }[] {
  return file.parsed.module.staticExports.flatMap(({ start, entries }) =>
    entries
      .filter(({ moduleRequest }) => moduleRequest === null)
      .flatMap(({ exportName }) => wordsIn(exportName.name ?? ""))
      .map((word) => ({ word, line: file.lineAt(start) })),
  );
}

/** `openHome`, `OPEN_HOME` and `open-home` are all two words. */
function wordsIn(name: string): readonly string[] {
  return (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []).map((word) => word.toLowerCase());
}

/** Single words of the column "avoid" that are neither words of ours nor listed under "Ordinary words". */
export function readAvoidedWords(root: string): ReadonlySet<string> {
  const page = join(root, "GLOSSARY.md");
  if (!existsSync(page)) return new Set();
  const text = readFileSync(page, "utf8");
  const rows = text.split("\n").flatMap((line) => {
    const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    return cells.length === 5 && cells[1]?.startsWith("**") ? [{ word: cells[1], avoid: cells[3] ?? "" }] : [];
  });
  const ours = new Set(rows.flatMap(({ word }) => word.match(/[a-z]+/g) ?? []));
  const ordinary = new Set(sectionOf(text, "Ordinary words").match(/[a-z]+/g) ?? []);
  const avoided = rows
    .flatMap(({ avoid }) => avoid.replace(/\(.*?\)/g, "").split(","))
    .map((word) => word.trim().toLowerCase());
  return new Set(avoided.filter((word) => /^[a-z]+$/.test(word) && !ours.has(word) && !ordinary.has(word)));
}

function sectionOf(text: string, heading: string): string {
  const [, after = ""] = text.split(`## ${heading}\n`);
  return after.split("\n## ")[0] ?? "";
}
