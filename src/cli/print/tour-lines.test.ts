import { expect, test } from "vitest";
import { fakeTerminal, plainText } from "../../../test/support/fake-terminal.ts";
import { tourLines } from "./tour-lines.ts";

const COLUMNS = 80;
const LONG_NAME = "golden-mountain-c0";

test("the tour fits a terminal of 80 columns", () => {
  const { terminal } = fakeTerminal({ environment: { npm_lifecycle_event: "start" }, columns: COLUMNS });
  const lines = tourLines(terminal, LONG_NAME).map(plainText);
  expect(lines.filter((line) => line.length > COLUMNS)).toEqual([]);
  expect(lines.join("\n")).toContain(`npx nomos attach ${LONG_NAME}`);
});
