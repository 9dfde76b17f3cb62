import { expect, test } from "vitest";
import { plainText } from "../../../test/support/fake-terminal.ts";
import { widthOf } from "../print/screen-text.ts";
import { dim, joined, red } from "../screen/styled.ts";
import { fitLines } from "./fit-lines.ts";

test("a wide line goes on between words, below the text that it began", () => {
  const lines = ["  /session [NAME]   go to another session, by name or from a list", "short"];
  expect(fitLines(lines, 40)).toEqual([
    "  /session [NAME]   go to another",
    "                    session, by name or",
    "                    from a list",
    "short",
  ]);
});

test.each([80, 60, 40, 20])("at %i columns no line is wider, and a style stays", (columns) => {
  const words = "✗ The file cannot be written: ENOENT: no such file or directory, open '/no/such/folder/of/mine/x.md'.";
  const lines = fitLines([red(words), dim(`  /x  ${words}`), `  ${"name ".repeat(12)}   text`], columns);
  expect(Math.max(...lines.map((line) => widthOf(plainText(line))))).toBeLessThanOrEqual(columns);
  expect(lines[0]).toMatchObject({ style: "red" });
  expect(fitLines([joined("a ", red("b"))], 10)).toEqual([joined("a ", red("b"))]);
});
