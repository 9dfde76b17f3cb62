import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { resolveKey } from "./key.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "nomos-key-"));
});
afterAll(() => rm(folder, { recursive: true }));

test("a variable, trimmed; null when it is not set or empty", async () => {
  expect(await resolveKey({ env: "A" }, { A: "  sk-1\n" })).toBe("sk-1");
  expect(await resolveKey({ env: "A" }, { A: "  " })).toBeNull();
  expect(await resolveKey({ env: "A" }, {})).toBeNull();
});

test("a file, trimmed", async () => {
  const file = join(folder, "key");
  await writeFile(file, "\n sk-2 \n");
  expect(await resolveKey({ file }, {})).toBe("sk-2");
});

proves("MOD-3", "a file that is missing, empty or too large is named; its content is not", async () => {
  const empty = join(folder, "empty");
  const large = join(folder, "large");
  await writeFile(empty, " \n");
  await writeFile(large, "sk-secret ".repeat(10_000));
  await expect(resolveKey({ file: join(folder, "none") }, {})).rejects.toThrow(
    /key file .*none cannot be read \(ENOENT\)/,
  );
  await expect(resolveKey({ file: folder }, {})).rejects.toThrow(/EISDIR/);
  await expect(resolveKey({ file: empty }, {})).rejects.toThrow(/empty is empty/);
  await expect(resolveKey({ file: large }, {})).rejects.toThrow(/^The key file [^ ]*large is larger than 64 KB\.$/);
});

test("a secret is refused until there is a vault", async () => {
  await expect(resolveKey({ secret: "openai" }, {})).rejects.toThrow("comes with the vault");
});
