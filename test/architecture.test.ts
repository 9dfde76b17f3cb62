import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { LAYERS } from "../layers.ts";
import { inspectTree, ruleNames } from "./architecture/inspect-tree.ts";
import { ALLOWED, HOUSE, PLANTED, SOUND } from "./architecture/planted.ts";
import { readSourceTree } from "./architecture/source-tree.ts";
import { plantTree } from "./support/plant-tree.ts";

const ROOT = join(import.meta.dirname, "..");

describe("the tree follows layers.ts", () => {
  test("no file breaks layers.ts or the house rules", () => {
    const violations = inspectTree(ROOT, LAYERS);
    expect(violations.map(({ rule, file, line, message }) => `${rule}: ${file}:${line ?? ""} ${message}`)).toEqual([]);
  });

  test("the inspector saw every file", () => {
    const seen = readSourceTree(ROOT, LAYERS).files.map((file) => file.path);
    expect(seen.length).toBeGreaterThan(0);
    const packages = readdirSync(join(ROOT, "packages")).map((name) => `packages/${name}/src`);
    const there = ["src", "web", ...packages].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path}`),
    );
    expect(new Set(seen)).toEqual(new Set(there.filter((path) => /\.tsx?$/.test(path))));
  });

  const rooms = readSourceTree(ROOT, LAYERS).rooms;
  const future = LAYERS.filter((layer) => !rooms.includes(layer.dir)).map((layer) => layer.name);
  test(`every folder of src is a layer in layers.ts; layers without a folder: ${future.join(", ") || "none"}`, () => {
    expect([...rooms].sort()).toEqual(
      LAYERS.map((layer) => layer.dir)
        .filter((dir) => rooms.includes(dir))
        .sort(),
    );
  });
});

describe("the inspector finds violations", () => {
  test("a tree that keeps every rule has no findings", async () => {
    expect(inspectTree(await plantTree(SOUND), HOUSE)).toEqual([]);
  });

  test("a tree without files is a finding", async () => {
    const violations = inspectTree(await plantTree({ "package.json": "{}", "src/core/readme.md": "" }), HOUSE);
    expect(violations.map(({ rule, file }) => `${rule} ${file}`)).toEqual(["saw-files src"]);
  });

  test.each(ruleNames())("a planted violation of %s is reported", async (rule) => {
    for (const { files, layers = HOUSE, at } of PLANTED[rule]) {
      const violations = inspectTree(await plantTree({ ...SOUND, ...files }), layers);
      expect(
        violations.map((violation) => `${violation.rule} ${violation.file}`),
        JSON.stringify(files),
      ).toEqual([`${rule} ${at}`]);
    }
  });

  test.each(Object.entries(ALLOWED))("allowed: %s", async (_name, files) => {
    expect(inspectTree(await plantTree({ ...SOUND, ...files }), HOUSE)).toEqual([]);
  });
});
