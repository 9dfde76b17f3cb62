import { posix } from "node:path";
import { type Expression, type Function as FunctionNode, Visitor } from "oxc-parser";
import type { Finding, Rule } from "./rule.ts";
import type { SourceFile } from "./source-tree.ts";

const FUNCTION_LINES_MAX = 70;
/** A factory holds the closures it returns: one named piece each, in one scope. */
const FACTORY_LINES_MAX = 120;
const FACTORY_NAME = /^(?:create|open|start|make|connect)[A-Z]/;
const FOLDER_FILES_MAX = 20;

export const functionSize: Rule = ({ files }) =>
  files.filter(({ isTest, path }) => !isTest && !path.endsWith(".generated.ts")).flatMap(longFunctions);

export const folderFiles: Rule = ({ files }) => {
  const counts = new Map<string, number>();
  for (const { isTest, path } of files) {
    const folder = posix.dirname(path);
    if (!isTest) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > FOLDER_FILES_MAX)
    .map(([file, count]) => ({
      file,
      line: null,
      message: `holds ${count} source files, at most ${FOLDER_FILES_MAX} are allowed: make a folder for a part of them`,
    }));
};

type AnyFunction = FunctionNode | Extract<Expression, { type: "ArrowFunctionExpression" }>;

function longFunctions(file: SourceFile): readonly Finding[] {
  const findings: Finding[] = [];
  /** By where the function begins: the variable or member that it is the value of. */
  const names = new Map<number, string>();
  /** Functions that contain a function: only these can return closures. */
  const closures: number[] = [];
  const note = (node: AnyFunction): void => {
    const lines = file.lineAt(node.end - 1) - file.lineAt(node.start) + 1;
    const name = ("id" in node ? node.id?.name : null) ?? names.get(node.start) ?? "a function";
    const isFactory = FACTORY_NAME.test(name) && closures.some((at) => at > node.start && at < node.end);
    const max = isFactory ? FACTORY_LINES_MAX : FUNCTION_LINES_MAX;
    if (lines <= max) return;
    const message = `${name} has ${lines} lines, at most ${max} are allowed: give a part of it a name of its own`;
    findings.push({ file: file.path, line: file.lineAt(node.start), message });
  };
  const found: AnyFunction[] = [];
  const hear = (node: AnyFunction): void => {
    found.push(node);
    closures.push(node.start);
  };
  new Visitor({
    VariableDeclarator: ({ id, init }) => {
      if (init !== null && id.type === "Identifier") names.set(init.start, id.name);
    },
    Property: ({ key, value }) => {
      if (key.type === "Identifier") names.set(value.start, key.name);
    },
    FunctionDeclaration: hear,
    FunctionExpression: hear,
    ArrowFunctionExpression: hear,
  }).visit(file.parsed.program);
  for (const node of found) note(node);
  return findings;
}
