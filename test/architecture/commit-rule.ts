import { Visitor } from "oxc-parser";
import type { Finding, Rule } from "./rule.ts";

/** The store itself, and the one layer that writes to it. */
const WRITERS: ReadonlySet<string> = new Set(["store", "commit"]);

/** Listed in docs/adr/0027: code that makes the fence for a commit, and wrappers that do not write themselves. */
const NAMED: ReadonlySet<string> = new Set(["src/app/home-lease.ts", "src/app/one-daemon.ts", "src/app/open-home.ts"]);

const WRITES: ReadonlySet<string> = new Set(["append", "erase"]);

/** Files with a method of that name that are not stores. */
const OTHERS: ReadonlySet<string> = new Set(["committer", "own", "supervisor"]);

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
          if (member !== null && WRITES.has(member) && !OTHERS.has(owner ?? "")) note(start, member);
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

/** An identifier's name or a string's value. */
function nameIn(node: { readonly type: string; readonly name?: unknown; readonly value?: unknown }): string | null {
  const name = node.type === "Identifier" ? node.name : node.type === "Literal" ? node.value : null;
  return typeof name === "string" ? name : null;
}
