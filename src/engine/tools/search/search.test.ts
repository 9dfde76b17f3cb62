import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { callTool } from "../../../../test/engine/call-tool.ts";
import { type WorldHow, worldHere } from "../../../../test/engine/world-here.ts";
import { needs } from "../../../../test/support/needs.ts";
import { plantTree } from "../../../../test/support/plant-tree.ts";
import { glob } from "./glob.ts";
import { grep } from "./grep.ts";
import { extendedRegex } from "./grep-commands.ts";
import { ls } from "./ls.ts";
import { parseListed } from "./parse-entries.ts";

const FILES = {
  ".gitignore": "*.log\nout/\n",
  "src/a.ts": "one\nfoo(1)\nthree\nfour\n",
  "src/deep/b.test.ts": "foo(2)\n",
  "docs/c.md": "Foo: 3 [x]\n",
  "debug.log": "foo(4)\n",
  "out/d.ts": "foo(5)\n",
  ".github/e.yml": "foo(6)\n",
};

/** The three ways to search, by what the machine has. */
const WAYS: readonly [string, WorldHow, boolean][] = [
  ["rg", {}, false],
  ["rg", {}, true],
  ["git", { without: ["rg"] }, true],
  ["grep and find", { without: ["rg", "git"] }, false],
];

describe.each(WAYS)("with %s", (way, how, isRepository) => {
  const inThisWay = way === "rg" && !needs("rg") ? test.skip : test;
  const plant = async (): Promise<string> => {
    const cwd = await plantTree(FILES);
    if (isRepository) execFileSync("git", ["init", "-q", cwd]);
    return cwd;
  };
  const isPlain = way === "grep and find";

  inThisWay("grep finds lines, by file and by number, without ignored files", async () => {
    const { context } = worldHere(await plant(), how);
    const { text } = await callTool(grep, { pattern: String.raw`foo\(\d\)` }, context);
    const found = [".github/e.yml:1: foo(6)", "src/a.ts:2: foo(1)", "src/deep/b.test.ts:1: foo(2)"];
    const ignored = ["debug.log:1: foo(4)", "out/d.ts:1: foo(5)"];
    expect(text.split("\n").sort()).toEqual([...found, ...(isPlain ? ignored : [])].sort());
  });

  inThisWay("grep takes a path, a glob, plain text, upper and lower case, context and a limit", async () => {
    const { context } = worldHere(await plant(), how);
    const text = async (input: object): Promise<string> => (await callTool(grep, input, context)).text;
    expect(await text({ pattern: "foo", path: "src/deep" })).toBe("src/deep/b.test.ts:1: foo(2)");
    expect(await text({ pattern: "foo", path: "src/a.ts" })).toBe("src/a.ts:2: foo(1)");
    expect(await text({ pattern: "foo", glob: "src/**/*.test.ts" })).toBe("src/deep/b.test.ts:1: foo(2)");
    expect(await text({ pattern: "foo", glob: "*.{yml,md}", ignoreCase: true })).toBe(
      ".github/e.yml:1: foo(6)\ndocs/c.md:1: Foo: 3 [x]".split("\n").sort().join("\n"),
    );
    expect(await text({ pattern: "3 [x]", literal: true })).toBe("docs/c.md:1: Foo: 3 [x]");
    expect(await text({ pattern: "foo", path: "src/a.ts", context: 1 })).toBe(
      "src/a.ts-1- one\nsrc/a.ts:2: foo(1)\nsrc/a.ts-3- three",
    );
    expect(await text({ pattern: "foo", path: "src", limit: 1 })).toMatch(/\n\[stopped after 1 matches;/);
    expect(await text({ pattern: "nothing here" })).toMatch(/^No matches\./);
  });

  inThisWay("an invalid expression comes back with the engine's message and a hint", async () => {
    const { context } = worldHere(await plant(), how);
    const { text, isError } = await callTool(grep, { pattern: "foo(" }, context);
    expect(isError).toBe(true);
    expect(text).toMatch(/unclosed group|Unmatched/);
    expect(text).toContain("literal: true");
  });

  inThisWay("glob finds files by name and path, sorted, without ignored ones", async () => {
    const { context } = worldHere(await plant(), how);
    const text = async (input: object): Promise<string> => (await callTool(glob, input, context)).text;
    expect(await text({ pattern: "*.ts", path: "src" })).toBe("src/a.ts\nsrc/deep/b.test.ts");
    expect(await text({ pattern: "src/**/*.test.ts" })).toBe("src/deep/b.test.ts");
    expect(await text({ pattern: "**/*.yml" })).toBe(".github/e.yml");
    expect(await text({ pattern: `${context.cwd}/docs/*` })).toBe("docs/c.md");
    expect(await text({ pattern: "*.{ts,md}", limit: 1, path: "src" })).toBe(
      "src/a.ts\n[1 more file; narrow the pattern or raise limit]",
    );
    if (!isPlain) expect(await text({ pattern: "*.log" })).toMatch(/^No file matches/);
  });

  inThisWay("no argument of a model is taken for an option", async () => {
    const cwd = await plantTree({ "-x/f.txt": "--pre=sh and -e\n", "-rf": "--pre=sh\n" });
    if (isRepository) execFileSync("git", ["init", "-q", cwd]);
    const { context } = worldHere(cwd, how);
    const text = async (input: object): Promise<string> => (await callTool(grep, input, context)).text;
    expect(await text({ pattern: "--pre=sh", path: "-x" })).toBe("-x/f.txt:1: --pre=sh and -e");
    expect(await text({ pattern: "--pre=sh", path: "-rf" })).toBe("-rf:1: --pre=sh");
    expect(await text({ pattern: "-e", literal: true })).toBe("-x/f.txt:1: --pre=sh and -e");
    expect(await text({ pattern: "sh", glob: "-rf" })).toBe("-rf:1: --pre=sh");
    expect((await callTool(glob, { pattern: "*", path: "-x" }, context)).text).toBe("-x/f.txt");
    expect((await callTool(ls, { path: "-x" }, context)).text).toBe("f.txt  16 B");
  });

  inThisWay("hostile names are shown escaped, and so that they can be read", async () => {
    const cwd = await plantTree({ "a\nb.txt": "foo\n", "c\u001b[31m:9:x.txt": "foo\n", "\u202egnp.txt": "foo\n" });
    if (isRepository) execFileSync("git", ["init", "-q", cwd]);
    const { context } = worldHere(cwd, how);
    const found = (await callTool(grep, { pattern: "foo" }, context)).text.split("\n").sort();
    const names = [String.raw`"\u202egnp.txt"`, String.raw`"a\nb.txt"`, String.raw`"c\u001b[31m:9:x.txt"`];
    expect(found).toEqual(names.map((name) => `${name}:1: foo`));
    const listed = (await callTool(glob, { pattern: "*.txt" }, context)).text.split("\n").sort();
    expect(listed).toEqual(names);
    expect(listed.map((name) => JSON.parse(name))).toContain("c\u001b[31m:9:x.txt");
  });

  inThisWay("a path outside is refused before anything runs; a missing one is explained", async () => {
    const cwd = await plant();
    await symlink("/etc", join(cwd, "way-out"));
    const here = worldHere(cwd, how);
    for (const path of ["/etc", "..", "way-out"]) {
      for (const [tool, input] of [
        [grep, { pattern: "root", path }],
        [glob, { pattern: "*", path }],
        [ls, { path }],
      ] as const) {
        const { text, isError } = await callTool(tool, input, here.context);
        expect({ text, isError }).toEqual({ text: expect.stringContaining("outside of the session's"), isError: true });
      }
    }
    expect((await callTool(grep, { pattern: "x", path: "scr" }, here.context)).text).toBe(
      "scr does not exist. Its directory . has no similar name. Find the file with glob, or list the directory with ls.",
    );
  });
});

describe("search", () => {
  test("ripgrep is looked for once in a session, and its configuration is not read", async () => {
    const cwd = await plantTree({ "a.txt": "foo\n", rgrc: "--pre=sh\n" });
    const here = worldHere(cwd, { env: { RIPGREP_CONFIG_PATH: join(cwd, "rgrc") } });
    for (const pattern of ["foo", "bar", "foo"]) await callTool(grep, { pattern, glob: "a.txt" }, here.context);
    expect(here.looks.filter((argv) => argv[1] === "--version")).toHaveLength(1);
    expect((await callTool(grep, { pattern: "foo" }, here.context)).text).toBe("a.txt:1: foo");
  });

  test("long lines are cut, and an answer has a limit", async () => {
    const cwd = await plantTree({
      "min.js": `${"foo".repeat(2_000_000)}\n`,
      "b.txt": `foo ${"y".repeat(400)}\n`.repeat(900),
    });
    const { text } = await callTool(grep, { pattern: "foo", limit: 1000 }, worldHere(cwd).context);
    expect(text.length).toBeLessThanOrEqual(50_000);
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThan(600);
    expect(text).toMatch(/\n\[stopped after \d+ matches;/);
  });

  test("shorthands that POSIX does not know are spelled out", () => {
    expect(extendedRegex(String.raw`(?:\d+)[\d.]\\d\.\w[\s]`)).toBe(
      String.raw`([[:digit:]]+)[[:digit:].]\\d\.[[:alnum:]_][[:space:]]`,
    );
  });
});

describe("ls", () => {
  test("directories, sizes and links, one level or several", async () => {
    const cwd = await plantTree({ "b.txt": "12345", "dir/sub/x": "", ".git/config": "", ".env": "" });
    await symlink("b.txt", join(cwd, "link"));
    await writeFile(join(cwd, "a\u0007"), "");
    const { context } = worldHere(cwd);
    expect((await callTool(ls, {}, context)).text.split("\n")).toEqual([
      ".env  0 B",
      ".git/",
      String.raw`"a\u0007"  0 B`,
      "b.txt  5 B",
      "dir/",
      "link -> b.txt",
    ]);
    const deep = (await callTool(ls, { depth: 3 }, context)).text.split("\n");
    expect(deep).toContain("dir/sub/x  0 B");
    expect(deep).not.toContain(".git/config  0 B");
    expect((await callTool(ls, { path: "node_modules" }, context)).isError).toBe(true);
  });

  test("more than 1000 entries: says how many more; an empty one and a file say so", async () => {
    const many = Object.fromEntries(Array.from({ length: 1203 }, (_, at) => [`many/f${at}`, ""]));
    const cwd = await plantTree(many);
    await mkdir(join(cwd, "empty"));
    const { context } = worldHere(cwd);
    const { text } = await callTool(ls, { path: "many" }, context);
    expect(text.split("\n")).toHaveLength(1001);
    expect(text).toMatch(/\n\[203 more entries; find files with glob\]$/);
    expect((await callTool(ls, { path: "empty" }, context)).text).toBe("empty is empty.");
    expect((await callTool(ls, { path: "many/f1" }, context)).text).toBe(
      "many/f1 is not a directory. Read it with read.",
    );
  });

  test("where find cannot print, the lines of ls are read", () => {
    const lines = [
      "drwxr-xr-x 2 1000 1000 4096 Nov  3 10:00 ./src/a b",
      "-rw-r--r-- 1 1000 1000   12 Nov  3  2024 ./src/x",
      "lrwxrwxrwx 1 1000 1000    5 Nov  3 10:00 ./src/l -> b.txt",
      "crw-rw-rw- 1 0 0 1, 3 Nov  3 10:00 ./src/null",
    ];
    expect(parseListed(`${lines.join("\n")}\n`, "./src")).toEqual([
      { kind: "directory", name: "a b", size: 4096, target: "" },
      { kind: "file", name: "x", size: 12, target: "" },
      { kind: "link", name: "l", size: 5, target: "b.txt" },
      { kind: "other", name: "null", size: 3, target: "" },
    ]);
  });
});
