import { describe, expect, test } from "vitest";
import { createOutputTail } from "./output-tail.ts";

/** All pages from an offset on, as a model reads them. */
function pagesOf(tail: ReturnType<typeof createOutputTail>, from: number): string {
  let [text, at] = ["", from];
  for (let page = tail.page(at); page.next > at; page = tail.page(at)) {
    text += page.text;
    at = page.next;
  }
  return text;
}

describe("the output of a program in the background", () => {
  test("text of several bytes a character: its pages are the text, whatever the size of a page", () => {
    const lines = Array.from({ length: 200 }, (_, n) => `line ${n} äöü €𝄞\n`);
    for (const pageBytes of [5, 7, 64, 1000]) {
      const tail = createOutputTail(1_000_000, pageBytes);
      for (const line of lines) tail.add(line);
      expect(pagesOf(tail, 0)).toBe(lines.join(""));
      expect(tail.total()).toBe(Buffer.byteLength(lines.join("")));
    }
  });

  test("more than is kept: reading from the start begins at the oldest byte, and each page goes on", () => {
    const tail = createOutputTail(100_000, 3000);
    for (let n = 0; n < 100_000; n += 1) tail.add(`${String(n).padStart(5, "0")}ä\n`);
    expect(tail.page(0).at).toBe(tail.total() - Buffer.byteLength(tail.text()));
    expect(tail.total()).toBe(800_000);
    expect(pagesOf(tail, 0)).toBe(tail.text());
    expect(tail.text()).toMatch(/^8[5-7]\d\d\dä\n.*99999ä\n$/s);
    expect(tail.page(1_000_000)).toEqual({ text: "", at: tail.total(), next: tail.total() });
  });

  test("an offset inside a character begins with the next one", () => {
    const tail = createOutputTail();
    tail.add("€uro");
    expect(tail.page(1)).toEqual({ text: "uro", at: 3, next: 6 });
  });
});
