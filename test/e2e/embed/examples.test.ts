import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startDaemon } from "../../support/daemon.ts";
import { newPlace } from "./program.ts";

const EXAMPLES = join(import.meta.dirname, "../../../examples");

describe("the examples run on a machine without a daemon", () => {
  const PRINTED: { readonly [file: string]: RegExp } = {
    "hello.ts": /^hello \(completed, \d+ tokens\)\n$/,
    "tool.ts": /^calls stock tea\ngets 12 of tea\ncounted\n$/,
    "policy.ts": /^.*drafts\/a\.txt.*: done\n.*notes\.txt.*: done\n.*other\.txt.*: failed\n.*: failed\n$/,
    "provider.ts": /^The file says: .*buy milk/s,
    "structured.ts": /^1 file in TypeScript\n$/,
  };

  test.each(Object.entries(PRINTED))("%s", async (file, printed) => {
    const place = await newPlace();
    await writeFile(join(place.folder, "note.txt"), "buy milk\n");
    const { exitCode, stdout, stderr } = await place.run(file);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(printed);
    expect(existsSync(join(place.home, "daemon.json"))).toBe(false);
    if (file === "policy.ts") expect(existsSync(join(place.folder, "other.txt"))).toBe(false);
  });

  test("daemon.ts says what is missing, and works on a daemon", async () => {
    const place = await newPlace();
    const without = await place.run("daemon.ts", { NOMOS_HOME: join(place.folder, "none") });
    expect(without.exitCode).toBe(1);
    expect(without.stderr).toMatch(/No daemon runs on .*none/);
    const daemon = await startDaemon();
    const { stdout } = await place.run("daemon.ts", { NOMOS_HOME: daemon.home });
    expect(stdout).toBe("hello from the daemon\nstill here\n");
  });

  test("every example is run here, and none is longer than forty lines", async () => {
    const files = await readdir(EXAMPLES);
    expect(files.toSorted()).toEqual([...Object.keys(PRINTED), "daemon.ts"].toSorted());
    for (const file of files)
      expect((await readFile(join(EXAMPLES, file), "utf8")).split("\n").length).toBeLessThanOrEqual(40);
  });
});
