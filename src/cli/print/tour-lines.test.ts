import { expect, test } from "vitest";
import type { Terminal } from "../terminal.ts";
import { tourLines } from "./tour-lines.ts";

const COLUMNS = 80;
const LONG_NAME = "golden-mountain-c0";

test("the tour fits a terminal of 80 columns", () => {
  const terminal: Terminal = {
    version: "",
    home: "",
    cwd: "",
    environment: { npm_lifecycle_event: "start" },
    isScreen: true,
    isKeyboard: () => false,
    hasColour: false,
    hasCursor: false,
    columns: COLUMNS,
    print: () => undefined,
    printBytes: () => undefined,
    complain: () => undefined,
    readInput: async () => "",
  };
  const lines = tourLines(terminal, LONG_NAME);
  expect(lines.filter((line) => line.length > COLUMNS)).toEqual([]);
  expect(lines.join("\n")).toContain(`npx nomos attach ${LONG_NAME}`);
});
