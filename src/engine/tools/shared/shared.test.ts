import { describe, expect, test } from "vitest";
import { createPathLocks } from "./path-locks.ts";
import { shownName, shownOutput, shownText } from "./shown.ts";

describe("path locks", () => {
  test("holders of one path take turns, others do not wait, and a failure lets go", async () => {
    const locks = createPathLocks();
    const order: string[] = [];
    const work = (name: string, ms: number) => async (): Promise<void> => {
      order.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, ms));
      order.push(`${name} ends`);
    };
    const failing = locks.hold(["/a"], () => Promise.reject(new Error("broken")));
    const all = [
      locks.hold(["/a", "/b"], work("ab", 20)),
      locks.hold(["/b", "/a"], work("ba", 0)),
      locks.hold(["/c"], work("c", 0)),
    ];
    await expect(failing).rejects.toThrow("broken");
    await Promise.all(all);
    expect(order.filter((line) => !line.startsWith("c"))).toEqual(["ab begins", "ab ends", "ba begins", "ba ends"]);
    expect(order.indexOf("c ends")).toBeLessThan(order.indexOf("ab ends"));
  });
});

describe("what is shown", () => {
  test("names are on one line, and a model can read them back", () => {
    expect(shownName("src/ä b.ts")).toBe("src/ä b.ts");
    for (const name of ["a\nb", "\u001b[2J", " x", 'q"\u0000', "\u202egpj", "\\\n", "a\u{e0041}"]) {
      expect(shownName(name)).toMatch(/^"[\x20-\x7e]*"$/);
      expect(JSON.parse(shownName(name))).toBe(name);
    }
  });

  test("output is what a terminal would show, in linear time", () => {
    expect(shownOutput("\u001b[1mbold\u001b[0m\r\n1%\r2%\r\n\u0007x\r")).toBe("bold\n2%\n\\u0007x");
    expect(shownText("a\tb\nc\u0085\u202e")).toBe("a\tb\nc\\u0085\\u202e");
    const started = performance.now();
    shownOutput(`${"x".repeat(2_000_000)}\n\ry`);
    expect(performance.now() - started).toBeLessThan(1000);
  });
});
