import { expect, test } from "vitest";
import { chord, createKeyDecoder } from "./keys.ts";

const chords = (text: string): readonly string[] => createKeyDecoder().feed(text).map(chord);

test("letters, control keys, arrows and modified keys are told apart", () => {
  expect(chords("aé漢😀")).toEqual(["text", "text", "text", "text"]);
  expect(chords("\u0003\u0004\r\t\u007f")).toEqual(["ctrl-c", "ctrl-d", "enter", "tab", "backspace"]);
  expect(chords("\u001b[A\u001bOB\u001b[1;5C\u001b[3~\u001b[5~")).toEqual([
    "up",
    "down",
    "ctrl-right",
    "delete",
    "pageup",
  ]);
  expect(chords("\u001b\r\u001b[13;2u\u001b[27;2;13~\u001bb\u001b[Z")).toEqual([
    "alt-enter",
    "shift-enter",
    "shift-enter",
    "alt-b",
    "shift-tab",
  ]);
});

test("a paste is one key, whatever it holds and however it is cut", () => {
  const pasted = "line one\r\nline \u001b[A two\rthree\u001b";
  const bytes = `x\u001b[200~${pasted}\u001b[201~y`;
  for (let cut = 1; cut < bytes.length; cut += 1) {
    const decoder = createKeyDecoder();
    const keys = [...decoder.feed(bytes.slice(0, cut))];
    keys.push(...(decoder.isHalf() ? [] : []), ...decoder.feed(bytes.slice(cut)));
    const texts = keys.filter(({ name }) => name === "paste" || name === "text").map(({ text }) => text);
    expect(texts).toEqual(["x", "line one\nline \u001b[A two\nthree\u001b", "y"]);
  }
});

test("a lone escape is the Escape key once nothing follows", () => {
  const decoder = createKeyDecoder();
  expect(decoder.feed("\u001b")).toEqual([]);
  expect(decoder.isHalf()).toBe(true);
  expect(decoder.flush().map(chord)).toEqual(["escape"]);
  expect(decoder.isHalf()).toBe(false);
});

test("clicks and the wheel have a place", () => {
  const [click, up, release] = createKeyDecoder().feed("\u001b[<0;5;3M\u001b[<64;1;1M\u001b[<0;5;3m");
  expect(click).toMatchObject({ name: "click", at: { row: 2, column: 4 } });
  expect(up?.name).toBe("wheelup");
  expect(release?.name).toBe("unknown");
});

test("an unknown or endless sequence neither hangs nor types its bytes", () => {
  expect(chords("\u001b[99zq")).toEqual(["unknown", "text"]);
  const decoder = createKeyDecoder();
  decoder.feed(`\u001b[${"1;".repeat(100)}`);
  expect(decoder.isHalf()).toBe(false);
});
