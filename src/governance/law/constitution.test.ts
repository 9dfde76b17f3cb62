import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { readConstitution } from "./constitution.ts";

const rule = (id: string) => `id: ${id}\ntype: filesystem_deny\npatterns: [a]`;
const idsOf = (text: string) => readConstitution(text).rules.map(({ id }) => id);
const faultsOf = (text: string) => readConstitution(text).faults.map(({ line, reason }) => `${line} ${reason}`);

proves("GL-4", "rules are the marked blocks of the page, in its order; other blocks and examples are text", () => {
  const page = [
    "# Law",
    "```yaml nomos-policy",
    rule("A"),
    "```",
    "~~~~yml  exo-policy",
    '{"id": "B", "type": "require_lock", "requires": 2}',
    "~~~~",
    "- a list",
    "  ```yaml nomos-policy",
    ...rule("C")
      .split("\n")
      .map((line) => `  ${line}`),
    "  ```",
    "````markdown",
    "```yaml nomos-policy",
    rule("EXAMPLE"),
    "```",
    "````",
    "```yaml",
    rule("PLAIN"),
    "```",
  ];
  expect(idsOf(page.join("\n"))).toEqual(["A", "B", "C"]);
  expect(idsOf(page.join("\r\n"))).toEqual(["A", "B", "C"]);
  expect(idsOf("# nothing\n")).toEqual([]);
});

proves("GL-4", "a rule that nobody would see, or that ends nowhere, is refused by its line", () => {
  expect(faultsOf(`text\n\`\`\`yaml nomos-policy\n${rule("A")}`)).toEqual(["2 its block is not closed"]);
  expect(faultsOf(`<!-- off:\n\`\`\`yaml nomos-policy\n${rule("A")}\n\`\`\`\n-->`)).toEqual([
    "2 its block is in a comment: nobody who reads the page would see the rule",
  ]);
  expect(idsOf(`<!-- a --> <!-- b -->\n\`\`\`yaml nomos-policy\n${rule("A")}\n\`\`\``)).toEqual(["A"]);
  expect(faultsOf(`\`\`\`yaml nomos-policy\n${rule("A")}\nid: B\n\`\`\``)).toEqual([
    expect.stringMatching(/^5 Map keys must be unique/),
  ]);
  const { notes } = readConstitution(
    `\`\`\`yaml nomos-polcy\n${rule("A")}\n\`\`\`\n\`\`\`nomos-policy\n${rule("A")}\n\`\`\``,
  );
  expect(notes).toMatchObject([{ line: 6, reason: expect.stringMatching(/is no rule; rules are marked/) }]);
});

proves(
  "GL-4",
  "a byte order mark, old line ends, list and quote marks, an open block: no rule is lost in silence",
  () => {
    const block = `\`\`\`yaml nomos-policy\n${rule("A")}\n\`\`\`\n`;
    expect(idsOf(`\ufeff${block}`)).toEqual(["A"]);
    expect(idsOf(`# Law\n${block}`.replaceAll("\n", "\r"))).toEqual(["A"]);
    for (const before of ["- ", "1. ", "> ", "> - ", "\u200b", "- \u00a0* "])
      expect(faultsOf(`# Law\n${before}${block}`), before).toEqual([
        expect.stringMatching(/^2 its block does not begin its line/),
      ]);
    expect(idsOf("Rules are marked `yaml nomos-policy`, as in ```yaml nomos-policy``` here.\n")).toEqual([]);
    expect(faultsOf(`\`\`\`text\nhello\n\n${block}`)).toEqual([
      "4 its block lies in the block of line 1, which is not closed before it",
    ]);
  },
);
