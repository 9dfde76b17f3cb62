import { encode } from "uqr";
import { expect, test } from "vitest";
import { rendered } from "../screen/styled.ts";
import { qrLines } from "./qr-lines.ts";

const LINK = `https://nomos.example.org/#link=nml_${"0123456789abcdef".repeat(3)}`;
const SHOWN: Readonly<Record<string, readonly [boolean, boolean]>> = {
  " ": [false, false],
  "▄": [false, true],
  "▀": [true, false],
  "█": [true, true],
};

test("the drawn blocks are the modules of the code, with a light frame, and fit a terminal", () => {
  const lines = qrLines(LINK).map((line) => rendered(line, (text) => text, false));
  const rows = lines.flatMap((line) => {
    const pairs = [...line].map((block) => SHOWN[block] ?? expect.fail(`no block: ${block}`));
    return [pairs.map(([upper]) => upper), pairs.map(([, lower]) => lower)];
  });
  const { data, size } = encode(LINK, { ecc: "L", border: 2 });
  expect(rows.slice(0, size)).toEqual(data);
  expect(rows.slice(0, 2).flat()).not.toContain(true);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(80);
  expect(lines.length).toBeLessThan(24);
});

test("the code is dark on light, whatever the terminal's colours are", () => {
  const [line = ""] = qrLines(LINK);
  const [plain, painted] = [false, true].map((hasColour) => rendered(line, (text) => text, hasColour));
  expect(painted).toBe(`\u001b[30;107m${plain}\u001b[39;49m`);
});
