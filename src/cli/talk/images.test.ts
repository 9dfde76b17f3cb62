import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, test } from "vitest";
import { imagesIn, pastedImage } from "./images.ts";

const cwd = mkdtempSync(join(tmpdir(), "nomos-images-"));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));
const PNG = Buffer.from("89504e470d0a1a0a", "hex");
writeFileSync(join(cwd, "a b.png"), PNG);
writeFileSync(join(cwd, "c.PNG"), PNG);
writeFileSync(join(cwd, "text.png"), "hello");
writeFileSync(join(cwd, "huge.png"), PNG);
truncateSync(join(cwd, "huge.png"), 9_000_000);

test.each([
  ["a path with a backslash", `${cwd}/a\\ b.png`],
  ["in quotes", `'${cwd}/a b.png'`],
  ["an address", pathToFileURL(join(cwd, "a b.png")).href],
  ["relative, with a line feed", "a b.png\n"],
])("%s that is pasted becomes a mention", (_what, pasted) => {
  expect(pastedImage(pasted, cwd)).toEqual({ mention: `@"${cwd}/a b.png"`, name: "a b.png" });
});

test.each([
  ["a sentence", "look at a b.png please"],
  ["a file of another kind", "text.png"],
  ["no file", "none.png"],
  ["a folder", "."],
  ["two lines", "c.PNG\nc.PNG"],
  ["a file that is too large", "huge.png"],
  ["a broken address", "file://%zz"],
])("%s that is pasted stays text", (_what, pasted) => {
  expect(pastedImage(pasted, cwd)).toBeNull();
});

test("a pipe that is called like a picture is not read", async () => {
  execFileSync("mkfifo", [join(cwd, "pipe.png")]);
  expect(pastedImage("pipe.png", cwd)).toBeNull();
  expect(await imagesIn("see @pipe.png", cwd)).toEqual([]);
});

test("mentions: each picture once; an address of a person and a name that is no file stay text", async () => {
  const images = await imagesIn('@c.PNG me@c.PNG @c.PNG and @"a b.png" @none.png', cwd);
  expect(images.map(({ name, mediaType }) => [name, mediaType])).toEqual([
    ["c.PNG", "image/png"],
    ["a b.png", "image/png"],
  ]);
  await expect(imagesIn("@text.png", cwd)).rejects.toThrow("text.png is no picture");
  await expect(imagesIn("@huge.png", cwd)).rejects.toThrow("huge.png has 9000000 bytes");
});
