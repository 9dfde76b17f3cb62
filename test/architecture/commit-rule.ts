import { Visitor } from "oxc-parser";
import type { Finding, Rule } from "./rule.ts";

/** The store itself, and the one layer that writes to it. */
const WRITERS: ReadonlySet<string> = new Set(["store", "commit"]);

/** Named in docs/adr/0027: what makes the fence that a commit needs, and what wraps a store without writing itself. */
const NAMED: ReadonlySet<string> = new Set([
  "src/services/home/home-lease.ts",
  "src/services/home/one-daemon.ts",
  "src/services/home/open-home.ts",
]);

const WRITES: ReadonlySet<string> = new Set(["append", "erase"]);

/** Files with a method of that name that are not stores. */
const OTHERS: ReadonlySet<string> = new Set(["committer", "own", "supervisor"]);

/** Files in which `input.erase` is a flag of a call. */
const FLAGGED: ReadonlySet<string> = new Set(["src/cli/secrets/scan.ts", "src/syscalls/secret/scan.ts"]);

/** Only a commit may append to the log or erase from it. */
export const oneCommit: Rule = ({ files }) =>
  files
    .filter(({ isTest, layer, path }) => !isTest && !WRITERS.has(layer?.name ?? "") && !NAMED.has(path))
    .flatMap((file) => {
      const findings: Finding[] = [];
      const note = (offset: number, what: string): void => {
        const message = `uses ${what} of a store: go through the committer`;
        findings.push({ file: file.path, line: file.lineAt(offset), message });
      };
      new Visitor({
        MemberExpression: ({ start, object, property }) => {
          const member = nameIn(property);
          const owner = nameIn(object.type === "MemberExpression" ? object.property : object);
          const isFlag = owner === "input" && FLAGGED.has(file.path);
          if (member !== null && WRITES.has(member) && !OTHERS.has(owner ?? "") && !isFlag) note(start, member);
        },
        ObjectPattern: ({ properties }) => {
          for (const property of properties) {
            const name = property.type === "Property" ? nameIn(property.key) : null;
            if (name !== null && WRITES.has(name)) note(property.start, name);
          }
        },
      }).visit(file.parsed.program);
      return findings;
    });

/** How a change is handed to the committer; each takes the function that decides. */
const CHANGES: ReadonlySet<string> = new Set(["change", "session", "commit"]);

/** Nothing is appended that no decision has seen: the deciding function takes the state and asks a named decision. */
export const decidedChange: Rule = ({ files }) =>
  files
    .filter(({ isTest }) => !isTest)
    .flatMap((file) => {
      const findings: Finding[] = [];
      const note = (node: { readonly type: string; readonly start: number; readonly body?: unknown }): void => {
        if (node.type !== "ArrowFunctionExpression" || !isArray(node.body)) return;
        const message = "appends facts that no decision has seen: call a decision with the state";
        findings.push({ file: file.path, line: file.lineAt(node.start), message });
      };
      new Visitor({
        CallExpression: ({ callee, arguments: given }) => {
          const name = callee.type === "MemberExpression" ? nameIn(callee.property) : null;
          if (name === null || !CHANGES.has(name)) return;
          for (const argument of given) note(argument);
        },
        Property: ({ key, value }) => {
          if (nameIn(key) === "decide") note(value);
        },
      }).visit(file.parsed.program);
      return findings;
    });

function isArray(body: unknown): boolean {
  return typeof body === "object" && body !== null && "type" in body && body.type === "ArrayExpression";
}

/** An identifier's name or a text's value. */
function nameIn(node: { readonly type: string; readonly name?: unknown; readonly value?: unknown }): string | null {
  const name = node.type === "Identifier" ? node.name : node.type === "Literal" ? node.value : null;
  return typeof name === "string" ? name : null;
}
