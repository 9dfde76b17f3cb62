import { spawnSync } from "node:child_process";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Files, plantTree } from "./support/plant-tree.ts";

const ROOT = join(import.meta.dirname, "..");

const passes = { "a.test.ts": 'import { test } from "vitest";\ntest("a", () => {});\n' };
const skips = { "b.test.ts": 'import { test } from "vitest";\ntest.skipIf(true)("b", () => {});\n' };
const fails = { "c.test.ts": 'import { test } from "vitest";\ntest("c", () => { throw new Error("c"); });\n' };
const isBroken = { "d.test.ts": 'import "./gone.ts";\n' };
const hasBrokenHook = {
  "e.test.ts":
    'import { beforeAll, test } from "vitest";\nbeforeAll(() => { throw new Error("e"); });\ntest("e", () => {});\n',
};

test.each<[string, Files, boolean, string, number]>([
  ["a good run", passes, true, "1 passed, 0 failed, 0 skipped", 0],
  ["a skipped test", { ...passes, ...skips }, false, "1 passed, 0 failed, 1 skipped", 0],
  ["a skipped test where skips are forbidden", { ...passes, ...skips }, true, "1 passed, 0 failed, 1 skipped", 1],
  ["a failed test", { ...passes, ...fails }, false, "1 passed, 1 failed, 0 skipped", 1],
  ["a file that cannot be loaded", { ...passes, ...isBroken }, false, "1 passed, 1 failed, 0 skipped", 1],
  ["a hook that throws", { ...passes, ...hasBrokenHook }, false, "1 passed, 1 failed, 1 skipped", 1],
])("%s ends with a plain line and its exit code", async (_what, files, forbidSkip, line, exitCode) => {
  const root = await plantTree({ ...files, "vitest.config.ts": config(forbidSkip) });
  await symlink(join(ROOT, "node_modules"), join(root, "node_modules"));
  const { stdout, status } = spawnSync(process.execPath, [join(ROOT, "node_modules/vitest/vitest.mjs"), "run"], {
    cwd: root,
    encoding: "utf8",
  });
  expect(stdout.split("\n")).toContain(line);
  expect(status).toBe(exitCode);
});

function config(forbidSkip: boolean): string {
  return `
    import { ClosingLineReporter } from ${JSON.stringify(join(ROOT, "tools/closing-line-reporter.ts"))};
    export default { test: { reporters: [new ClosingLineReporter({ forbidSkip: ${forbidSkip} })] } };`;
}
