import { mkdir, open, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { callTool } from "../../../../test/engine/call-tool.ts";
import { worldHere } from "../../../../test/engine/world-here.ts";
import { plantTree } from "../../../../test/support/plant-tree.ts";
import { RESULT_CHARS_MAX } from "../shared/shown.ts";
import { read } from "./read.ts";

describe("read", () => {
  test("a small file comes back with line numbers and nothing else", async () => {
    const cwd = await plantTree({ "a.txt": "one\n\ttwo\nthree" });
    const { text, isError } = await callTool(read, { path: "a.txt" }, worldHere(cwd).context);
    expect({ text, isError }).toEqual({ text: "1\tone\n2\t\ttwo\n3\tthree", isError: false });
  });

  test("a long file says with which offset to go on, and the pages fit together", async () => {
    const cwd = await plantTree({ "a.txt": numbers(4500) });
    const { context } = worldHere(cwd);
    const first = await callTool(read, { path: "a.txt" }, context);
    expect(first.text).toMatch(/\n2000\tline 2000\n\[lines 1-2000; go on with offset: 2001\]$/);
    const last = await callTool(read, { path: "a.txt", offset: 4001 }, context);
    expect(last.text).toMatch(/^4001\tline 4001\n/);
    expect(last.text).toMatch(/\n4500\tline 4500$/);
  });

  test("an offset behind the end says how many lines there are", async () => {
    const cwd = await plantTree({ "a.txt": "1\n2\n" });
    const { text, isError } = await callTool(read, { path: "a.txt", offset: 3 }, worldHere(cwd).context);
    expect({ text, isError }).toEqual({ text: "a.txt has 2 lines; offset 3 is behind the end.", isError: true });
  });

  test("50 KB is the limit of an answer, and a long line is cut with a note", async () => {
    const wide = `${"w".repeat(3000)}\n`.repeat(100);
    const cwd = await plantTree({ "wide.txt": wide, "one-line.js": "x".repeat(3_000_000) });
    const { context } = worldHere(cwd);
    const { text } = await callTool(read, { path: "wide.txt" }, context);
    expect(text.length).toBeLessThanOrEqual(RESULT_CHARS_MAX);
    expect(text).toContain("[line cut: 2001 more characters]");
    const [, next] = /go on with offset: (\d+)\]$/.exec(text) ?? [];
    const following = await callTool(read, { path: "wide.txt", offset: Number(next) }, context);
    expect(following.text).toMatch(new RegExp(`^${next}\twww`));
    const minified = await callTool(read, { path: "one-line.js" }, context);
    expect(minified.text).toMatch(/^1\tx{999}… \[line cut: about 2\.9 MB more\]$/);
  });

  test("a file of 100 MB is read in ranges, near its end too", async () => {
    const cwd = await plantTree({});
    const line = `${"x".repeat(999)}\n`;
    await using file = await open(join(cwd, "huge.log"), "w");
    for (let megabyte = 0; megabyte < 100; megabyte++) await file.write(line.repeat(1000));
    await file.write("the end\n");
    const here = worldHere(cwd);
    const first = await callTool(read, { path: "huge.log", limit: 2 }, here.context);
    expect(first.text).toMatch(/go on with offset: 3\]$/);
    expect(Math.max(...here.reads)).toBeLessThan(1_000_000);
    const last = await callTool(read, { path: "huge.log", offset: 100_001 }, here.context);
    expect(last.text).toBe("100001\tthe end");
    expect(Math.max(...here.reads)).toBeLessThanOrEqual(4_194_304);
  });

  test("CRLF is shown as plain lines with a note; a byte order mark is not shown", async () => {
    const cwd = await plantTree({ "a.txt": "\uFEFFone\r\ntwo\r\n" });
    const { text } = await callTool(read, { path: "a.txt" }, worldHere(cwd).context);
    expect(text).toMatch(/^1\tone\n2\ttwo\n\[line ends are CRLF/);
  });

  test("an image comes back as an image", async () => {
    const cwd = await plantTree({});
    await writeFile(join(cwd, "dot.png"), PNG);
    const { content, isError } = await callTool(read, { path: "dot.png" }, worldHere(cwd).context);
    expect(isError).toBe(false);
    expect(content[1]).toEqual({ kind: "image", mediaType: "image/png", base64: PNG.toString("base64") });
  });

  test("a binary file is an error that says what it is and what to do", async () => {
    const cwd = await plantTree({});
    const files: [string, Buffer, string][] = [
      ["a.zip", Buffer.from("504b0304140000", "hex"), "a ZIP archive"],
      ["a.db", Buffer.from("SQLite format 3\0"), "an SQLite database"],
      ["a.bin", Buffer.from("text\0text"), "a binary file"],
      ["a.txt", Buffer.from("\uFEFFhi", "utf16le"), "text in UTF-16"],
      ["riff.wav", Buffer.from("RIFF....WAVE\0"), "a binary file"],
    ];
    for (const [name, bytes, what] of files) {
      await writeFile(join(cwd, name), bytes);
      const { text, isError } = await callTool(read, { path: name }, worldHere(cwd).context);
      expect(text).toContain(`${name} is ${what}`);
      expect(text).toMatch(/terminal/);
      expect(isError).toBe(true);
    }
  });

  test("bytes that are no UTF-8 are shown with a note", async () => {
    const cwd = await plantTree({});
    await writeFile(join(cwd, "latin.txt"), Buffer.from("caf\xe9\n", "latin1"));
    const { text } = await callTool(read, { path: "latin.txt" }, worldHere(cwd).context);
    expect(text).toMatch(/^1\tcaf\uFFFD\n\[not valid UTF-8/);
  });

  test("a missing file: similar names of its directory are named", async () => {
    const cwd = await plantTree({ "src/Session.ts": "", "src/other.ts": "", "src/a\nb": "" });
    const { context } = worldHere(cwd);
    const missing = await callTool(read, { path: "src/sesion.ts" }, context);
    expect(missing.text).toBe("src/sesion.ts does not exist. Did you mean: src/Session.ts?");
    expect(missing.isError).toBe(true);
    const nowhere = await callTool(read, { path: "lib/x.ts" }, context);
    expect(nowhere.text).toBe("lib/x.ts does not exist. Neither does its directory lib. Find the file with glob.");
  });

  test("a directory, an empty file, and paths outside say what to do", async () => {
    const cwd = await plantTree({ "empty.txt": "", "dir/x": "" });
    await mkdir(join(cwd, "sub"));
    await symlink("/etc", join(cwd, "sub/etc"));
    const { context } = worldHere(cwd);
    expect((await callTool(read, { path: "dir" }, context)).text).toBe(
      "dir is not a file. If it is a directory, list it with ls.",
    );
    expect((await callTool(read, { path: "empty.txt" }, context)).text).toBe("empty.txt is empty.");
    for (const path of ["../x", "/etc/passwd", "sub/etc/passwd"]) {
      const { text, isError } = await callTool(read, { path }, context);
      expect(text).toContain("is outside of the session's directory");
      expect(text).toContain("ask the user");
      expect(isError).toBe(true);
    }
  });
});

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

function numbers(count: number): string {
  return Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");
}
