import { describe, expect, test } from "vitest";
import { type GlobPattern, globPattern } from "./glob-pattern.ts";

describe("glob patterns", () => {
  test.each([
    ["*.ts", ["a.ts", "src/b/a.ts", ".hidden/x.ts"], ["a.tsx", "ts"]],
    ["src/*.ts", ["src/a.ts"], ["src/b/a.ts", "x/src/a.ts"]],
    ["src/**/*.{ts,tsx}", ["src/a.ts", "src/b/c/a.tsx"], ["a.ts", "src/a.js"]],
    ["**/test/**", ["test/a", "x/test/y/z"], ["test", "tests/a"]],
    ["[ab]?.m[!d]", ["ax.mt", "b1.mx"], ["cx.mt", "ax.md", "a.mt"]],
    ["a[0-9].txt", ["a5.txt"], ["ax.txt"]],
    ["./README*", ["README.md", "docs/README"], ["readme"]],
    ["{a,b{c,d}}/x", ["a/x", "bc/x", "bd/x"], ["b/x"]],
    ["\\*.md", ["*.md"], ["a.md"]],
    ["[oops", ["[oops"], ["oops"]],
    ["a/**", ["a/b", "a/b/c"], ["b/a"]],
  ])("%s", (pattern, fits, others) => {
    const { matches } = compiled(pattern);
    expect(fits.filter((path) => !matches(path))).toEqual([]);
    expect(others.filter((path) => matches(path))).toEqual([]);
  });

  test("the folder and the names narrow a search, and only where they are certain", () => {
    const narrowed = (pattern: string) => {
      const { folder, names } = compiled(pattern);
      return { folder, names };
    };
    expect(narrowed("src/engine/**/*.{ts,tsx}")).toEqual({ folder: "src/engine", names: ["*.ts", "*.tsx"] });
    expect(narrowed("*.ts")).toEqual({ folder: "", names: ["*.ts"] });
    expect(narrowed("src/{a,b}/x.ts")).toEqual({ folder: "src", names: ["x.ts"] });
    expect(narrowed("src/**")).toEqual({ folder: "src", names: null });
    expect(narrowed("src/[ab].ts")).toEqual({ folder: "src", names: null });
    expect(narrowed("--pre=sh")).toEqual({ folder: "", names: null });
  });

  test("a hostile pattern costs milliseconds", () => {
    const started = performance.now();
    expect(compiled(`${"*a".repeat(40)}b`).matches("a".repeat(5000))).toBe(false);
    expect(compiled(`${"**/a/".repeat(40)}b`).matches("a/".repeat(500))).toBe(false);
    expect(performance.now() - started).toBeLessThan(1000);
    expect(globPattern("{a,b}".repeat(20))).toEqual({ problem: "{…} stands for more than 64 alternatives" });
    expect(globPattern("../*")).toHaveProperty("problem");
  });
});

function compiled(pattern: string): GlobPattern {
  const glob = globPattern(pattern);
  if ("problem" in glob) throw new Error(glob.problem);
  return glob;
}
