import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { removeTree } from "../../host/index.ts";
import { createTempFolders } from "./temp-folders.ts";

proves("AG-25", "each borrower has its own directory, whose files are removed when it is returned", async () => {
  const root = await mkdtemp(join(tmpdir(), "nomos-temps-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const temps = createTempFolders(join(root, "tmp"), async (path) => void (await removeTree(path)));
  const [one, other] = [temps.lend(), temps.lend()];
  expect(one.path).not.toBe(other.path);
  await writeFile(join(one.path, "socket"), "");
  one.giveBack();
  await temps.settled();
  expect([existsSync(one.path), existsSync(other.path)]).toEqual([false, true]);
  other.giveBack();
  await temps.settled();
  expect(await readdir(join(root, "tmp"))).toEqual([]);
});
