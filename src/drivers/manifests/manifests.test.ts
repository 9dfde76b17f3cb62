import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { builtInManifest, builtInManifests, builtInSlugs } from "./built-in.ts";
import { checkManifestSettings, Manifest } from "./manifest.ts";
import { inRange, versionIn } from "./version-range.ts";

const FILE_LINES_MAX = 60;
const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".json"));

proves("AG-21", "each agent is one manifest of at most 60 lines, named after the agent, and all are offered", () => {
  expect(files.length).toBeGreaterThanOrEqual(13);
  for (const name of files) {
    const text = readFileSync(join(import.meta.dirname, name), "utf8");
    expect([name, text.split("\n").length <= FILE_LINES_MAX]).toEqual([name, true]);
    expect(`${Manifest.parse(JSON.parse(text)).id}.json`).toBe(name);
  }
  const offered = builtInSlugs();
  expect(offered.map((slug) => `${slug}.json`).toSorted()).toEqual(files.toSorted());
  expect(builtInManifests().map(({ id }) => id)).toEqual(offered);
  expect(builtInManifest("nobody")).toBeNull();
});

proves("AG-21", "every manifest says how to install the agent, which version works, and how to log in", () => {
  for (const { id, install, auth, version_check: check, unproved } of builtInManifests()) {
    expect([id, install.length > 0, (auth?.login.length ?? 0) > 0]).toEqual([id, true, true]);
    for (const way of install) {
      if (way.method !== "npm") continue;
      expect([id, check !== undefined]).toEqual([id, true]);
      // The installed version is the tested one.
      for (const name of way.packages) expect(name).toMatch(/@\d+\.\d+\.\d+$/);
      const own = way.packages.find((name) => name.startsWith(`${check?.package}@`));
      expect([id, inRange(versionIn(own?.split("@").at(-1) ?? "") ?? "", check?.range ?? "")]).toEqual([id, true]);
    }
    expect([id, unproved !== undefined]).toEqual([id, id === "cursor"]);
  }
});

describe("agent settings", () => {
  const manifest = Manifest.parse({
    id: "x",
    name: "x",
    description: "",
    protocol: "print",
    bin: "x",
    modes: [{ id: "plan" }],
    models: { allowed: ["small"] },
    options: [{ id: "effort", type: "enum", enum: ["low"] }],
  });
  const refused = (settings: object) => {
    try {
      checkManifestSettings(manifest, settings);
      return null;
    } catch (thrown) {
      return Reflect.get(Object(thrown), "code");
    }
  };

  proves("AG-3", "a setting that the manifest does not list is refused", () => {
    expect(refused({ mode: "plan", model: "small", options: { effort: "low" } })).toBeNull();
    expect(refused({ mode: "wild" })).toBe("unknown_mode");
    expect(refused({ model: "huge" })).toBe("unknown_model");
    expect(refused({ options: { colour: "red" } })).toBe("unknown_option");
    expect(refused({ options: { effort: "high" } })).toBe("unknown_option");
  });
});

test("a version is inside or outside a range", () => {
  expect(["1.2.3", "1.9.0"].map((version) => inRange(version, ">=1.2.3 <2.0.0"))).toEqual([true, true]);
  expect(["1.2.2", "2.0.0"].map((version) => inRange(version, ">=1.2.3 <2.0.0"))).toEqual([false, false]);
  expect([inRange("1.0.0", "1.0.0"), inRange("1.0.1", "=1.0.0"), inRange("1.0", "<=1.0.0")]).toEqual([
    true,
    false,
    true,
  ]);
  expect([versionIn("codex-cli 0.166.0 (x)"), versionIn("v24"), versionIn("")]).toEqual(["0.166.0", null, null]);
});
