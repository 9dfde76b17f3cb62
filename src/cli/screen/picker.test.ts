import { expect, test } from "vitest";
import { plainText } from "../../../test/support/fake-terminal.ts";
import { createKeyDecoder } from "./keys.ts";
import { createPicker, type Picker } from "./picker.ts";

const choices = Array.from({ length: 30 }, (_, at) => ({
  value: at,
  text: `item ${at}`,
  hint: at % 2 === 0 ? "even" : "odd",
}));

function press(picker: Picker, typed: string): void {
  const decoder = createKeyDecoder();
  for (const key of [...decoder.feed(typed), ...decoder.flush()]) picker.hear(key);
}

function open(list = choices) {
  const chosen: (number | null)[] = [];
  return { chosen, picker: createPicker("Choose", list, (value) => chosen.push(value)) };
}

const shown = (picker: Picker, columns = 40, rows = 20) => picker.lines(columns, rows).rows.map(plainText);

test("arrows move within the list, typing filters by every word, Enter chooses", () => {
  const { picker, chosen } = open();
  press(picker, "\u001b[A\u001b[B\u001b[B\r");
  press(picker, "1 odd");
  expect(shown(picker).slice(0, 3)).toEqual(["Choose: 1 odd", "> item 1   odd", "  item 11  odd"]);
  press(picker, "\u001b[F\r\u001b");
  expect(chosen).toEqual([2, 21, null]);
});

test("nothing matches: Enter chooses nothing, and Backspace brings the list back", () => {
  const { picker, chosen } = open();
  press(picker, "zz\r");
  expect(shown(picker)[1]).toBe("  nothing matches");
  press(picker, "\u007f\u007f\r");
  expect(chosen).toEqual([0]);
});

test("it fits its rows and columns, with the chosen line in sight; control characters are shown, not sent", () => {
  const { picker } = open([{ value: 0, text: "\u001b[2J bad", hint: "x".repeat(100) }, ...choices]);
  press(picker, "\u001b[F");
  for (const [columns, rows] of [
    [20, 5],
    [80, 24],
    [10, 3],
  ] as const) {
    const lines = shown(picker, columns, rows);
    expect(lines.length).toBeLessThanOrEqual(rows);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
    expect(lines.some((line) => line.startsWith("> item 29".slice(0, columns)))).toBe(true);
  }
  press(picker, "\u001b[H");
  expect(shown(picker).join("")).not.toContain("\u001b");
});
