import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { trialOf } from "./tried-before.ts";

const MODULE = new URL("./tried-before.ts", import.meta.url).href;

/** What a process with these rights finds that was remembered by this one. */
function heldIn(file: string, ...through: readonly string[]): boolean {
  const ask = `import { trialOf } from "${MODULE}"; console.log(trialOf("/bin/sh", { file: "${file}", version: "1" }).held());`;
  const [program = "", ...args] = [...through, process.execPath, "--input-type=module", "-e", ask];
  return execFileSync(program, args, { encoding: "utf8" }).trim() === "true";
}

test.skipIf(process.platform !== "linux")("what worked is not believed by a process with other rights", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tried-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "works");
  expect(heldIn(file)).toBe(false);
  await trialOf("/bin/sh", { file, version: "1" }).remember();
  expect(heldIn(file)).toBe(true);
  expect(heldIn(file, "setpriv", "--no-new-privs")).toBe(false);
});
